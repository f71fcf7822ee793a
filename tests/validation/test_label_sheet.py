"""The sheet of judged samples: which are drawn, what is shown, and what the key says."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import score as inspect_score
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.judged import JudgedLog, JudgedSample
from inspect_discoverybench.validation.label_sheet import describe, draw_items, write_items
from inspect_discoverybench.validation.spreadsheet import read_rows
from inspect_discoverybench.validation.strata import allocate
from tests.validation.logs import FORMULA, SCRIPT, evaluated, judged

FIXTURES = Path(__file__).parents[1] / "fixtures" / "logs"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return judged(tmp_path_factory.mktemp("logs"), epochs=2)


@pytest.fixture
def log(path: str) -> JudgedLog:
    return JudgedLog.read(path, "HMS")


def number(sample: JudgedSample) -> int:
    """Number of the sample in `SCRIPT`."""
    return 7 if sample.predicted_hypothesis == FORMULA else int(sample.predicted_hypothesis.split()[1])


def raw_rows(name: str) -> list[dict[str, str]]:
    """Rows as a spreadsheet sees them."""
    with Path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_judged_samples_have_the_answers_of_the_judge(log: JudgedLog) -> None:
    assert sorted(map(number, log.samples)) == sorted([0, 1, 2, 6, 7] * 2)
    for sample in log.samples:
        match, variables, relationship = SCRIPT[number(sample)]
        texts = sample.answers.texts
        assert texts[Step.CONTEXT_MATCH] == ("yes" if match else "no")
        assert variables
        assert texts[Step.VARIABLES] == " ".join(map(str, variables))
        assert texts[Step.RELATIONSHIP] == relationship
        assert sample.answers.hms == pytest.approx(sample.hms)


def test_samples_that_were_not_judged_are_counted(log: JudgedLog, path: str) -> None:
    unscored = "unscored: the judge's replies do not determine HMS"
    assert log.left_out == {"no submission": 2, unscored: 4}

    changed = read_eval_log(path)
    first, second, third, *_ = [s for s in changed.samples or [] if s.scores and (s.scores["HMS"].metadata or {})]
    assert first.scores
    assert second.scores
    assert third.scores
    first.scores = {}
    (second.scores["HMS"].metadata or {}).pop("replies")
    (third.scores["HMS"].metadata or {})["facets"] = {"context": 0.5}
    write_eval_log(changed, "changed.eval")
    assert JudgedLog.read("changed.eval", "HMS").left_out == {
        "no submission": 2,
        unscored: 4,
        "not scored": 1,
        "the judge's replies are not recorded": 1,
        "the recorded replies do not give the recorded facets": 1,
    }


def test_old_logs_are_read() -> None:
    for name in ("v1_react.eval", "v1_no_data_guess.eval"):
        samples = JudgedLog.read(str(FIXTURES / name), "HMS").samples
        assert len(samples) == 2
        assert all(sample.answers.hms == sample.hms and sample.predicted_workflow for sample in samples)


def test_a_score_is_chosen_by_its_name() -> None:
    path, _ = evaluated()
    again = inspect_score(read_eval_log(path), hms("discoverybench/lexical"), action="append", display="none")
    write_eval_log(again, "again.eval")
    samples = JudgedLog.read("again.eval", "HMS1").samples
    assert [sample.score for sample in samples] == ["HMS1"] * 4
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'HMS1'\. Available scores: HMS\.$"):
        JudgedLog.read(path, "HMS1")


def test_skipped_questions_are_shown_as_not_asked(tmp_path: Path) -> None:
    log = JudgedLog.read(judged(tmp_path, gate=True), "HMS")
    skipped = [sample for sample in log.samples if number(sample) == 2]
    for sample in skipped:
        assert sample.answers.texts[Step.VARIABLES] == sample.answers.texts[Step.RELATIONSHIP] == ""
        assert describe(sample, Step.VARIABLES) == ("Not asked, because the contexts do not match.", "")
    assert len(skipped) == 1


def test_each_answer_is_described_with_its_reason(log: JudgedLog) -> None:
    by_number = {number(sample): sample for sample in log.samples}
    assert describe(by_number[1], Step.VARIABLES) == (
        "4 in the gold hypothesis, 2 in the predicted hypothesis, 2 shared (F1 0.67)",
        "counted",
    )
    assert describe(by_number[1], Step.RELATIONSHIP)[0] == "B) similar, but the predicted one is more general"
    assert describe(by_number[1], Step.PREDICTED_CONTEXT) == ("where Finding 1", "<b>found</b>")
    assert describe(by_number[2], Step.CONTEXT_MATCH) == ("The contexts do not match.", "")
    assert describe(by_number[6], Step.CONTEXT_MATCH) == (
        "The contexts match.",
        "They are identical, so the judge was not asked.",
    )


def test_an_undecided_facet_of_an_old_log_is_described(path: str) -> None:
    """Before task version 3-A, HMS was 0 if a decided facet was 0, although another facet was undecided."""
    old = read_eval_log(path)
    for sample in old.samples or []:
        score = (sample.scores or {})["HMS"]
        if score.answer == "Finding 3" and isinstance(score.value, dict):
            score.value["hms"] = 0.0
    write_eval_log(old, "old.eval")
    first, second = [read for read in JudgedLog.read("old.eval", "HMS").samples if number(read) == 3]
    assert first.answers.hms == second.answers.hms == 0
    answer, reason = describe(first, Step.VARIABLES)
    assert answer == "No valid reply."
    assert reason.startswith("The last reply was rejected: it is not a JSON object")


def test_every_outcome_is_drawn_and_the_weights_sum_to_the_population(log: JudgedLog) -> None:
    items = draw_items([log], 7, seed=1)
    assert len(items) == 7
    assert {item.stratum for item in items} == {"1, 1, A", "1, partial, B", "0, partial, A", "0, 0, C"}
    assert sum(item.weight for item in items) == pytest.approx(10)
    for stratum, size in Counter(item.stratum for item in items).items():
        assert {item.weight for item in items if item.stratum == stratum} == {(4 if stratum == "1, 1, A" else 2) / size}
    assert items == draw_items([log], 7, seed=1)
    assert {item.weight for item in draw_items([log], 200, seed=1)} == {1}


def test_a_sample_of_each_outcome_must_fit(log: JudgedLog) -> None:
    with pytest.raises(InvalidArgument, match=r"^--samples must be at least 4, got 3: the judged samples have 4 diff"):
        draw_items([log], 3, seed=1)


def test_a_log_twice_is_refused(log: JudgedLog) -> None:
    with pytest.raises(InvalidArgument, match=r"are logs of the same run, \w+\. Pass one log of each run\.$"):
        draw_items([log, log], 5, seed=1)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(1, 60), min_size=1), st.integers(1, 300))
def test_the_sample_is_proportional(sizes: dict[str, int], count: int) -> None:
    if count < min(len(sizes), sum(sizes.values())):
        with pytest.raises(InvalidArgument):
            allocate(sizes, count)
        return
    allocation = allocate(sizes, count)
    population = sum(sizes.values())
    assert sum(allocation.values()) == min(count, population)
    for name, size in sizes.items():
        assert 1 <= allocation[name] <= size
        assert allocation[name] <= max(1, size * min(count, population) / population + 1)


def test_the_files_are_the_same_each_time_and_cannot_run_in_a_spreadsheet(log: JudgedLog) -> None:
    write_items(draw_items([log], 200, seed=3), Path("one"))
    write_items(draw_items([log], 200, seed=3), Path("other"))
    for name in ("sheet.csv", "label.html", "key.csv"):
        assert Path("one", name).read_bytes() == Path("other", name).read_bytes()
    sheet, key = raw_rows("one/sheet.csv"), raw_rows("one/key.csv")
    assert [row["item"] for row in sheet] == [row["item"] for row in key]
    cells = [cell for row in [*sheet, *key] for cell in row.values()]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    assert {row["predicted_hypothesis"] for row in sheet} >= {f"'{FORMULA}", "Finding 0"}
    unescaped = {row.cells["predicted_hypothesis"] for row in read_rows(Path("one/sheet.csv"), ("item",))}
    assert unescaped == {sample.predicted_hypothesis for sample in log.samples}


def test_annotators_see_neither_logs_nor_strata(log: JudgedLog) -> None:
    write_items(draw_items([log], 200, seed=3), Path())
    for name in ("sheet.csv", "label.html"):
        text = Path(name).read_text("utf-8")
        telling = [log.task_id, "stratum", *(sample.sample_id for sample in log.samples)]
        assert [word for word in telling if word in text] == []


def test_texts_of_models_are_data_in_the_page(log: JudgedLog) -> None:
    write_items(draw_items([log], 200, seed=3), Path())
    page = Path("label.html").read_text("utf-8")
    assert page.count("</script>") == 2
    assert "<b>" not in page
    [embedded] = re.findall(r'<script type="application/json" id="items">(.*?)</script>', page)
    assert {item["predicted_hypothesis"] for item in json.loads(embedded)} >= {FORMULA}
    assert re.findall(r"(?:src|href)=|https?:(?!//evil\.example)|@import|url\(", page) == []
