"""The sheet of judged samples: which are drawn, what is shown, and what the key says."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.validation.judged_sample import JudgedSample, JudgedSamples
from inspect_discoverybench.validation.label_sheet import allocate, draw_samples, has_replies
from inspect_discoverybench.validation.sheet import Item
from tests.validation.logs import FORMULA, SCRIPT, judged


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return judged(tmp_path_factory.mktemp("logs"), epochs=2)


@pytest.fixture(scope="module")
def samples(path: str) -> list[JudgedSample]:
    return JudgedSamples.read([path], "HMS").samples


def by_number(items: list[Item]) -> dict[int, Item]:
    """Items by their number in `SCRIPT`."""
    texts = {item.texts["predicted_hypothesis"]: item for item in items}
    return {7 if text == FORMULA else int(text.split()[1]): item for text, item in texts.items()}


def test_the_key_has_the_answers_of_the_judge(samples: list[JudgedSample]) -> None:
    items = by_number(draw_samples(samples, 200, seed=1))
    assert sorted(items) == [0, 1, 2, 6, 7]
    for number, item in items.items():
        match, variables, relationship = SCRIPT[number]
        assert variables
        assert item.key["context_match"] == ("yes" if match else "no")
        assert item.key["variables"] == " ".join(map(str, variables))
        assert item.key["relationship"] == relationship


def test_answers_are_shown_with_their_reasons(samples: list[JudgedSample]) -> None:
    answers = by_number(draw_samples(samples, 200, seed=1))[1].answers
    assert answers["predicted_context"] == {"value": "where Finding 1", "reason": "<b>found</b>"}
    assert answers["variables"] == {"value": "4 2 2", "reason": "counted"}
    assert answers["relationship"] == {"value": "B", "reason": "compared"}


def test_skipped_questions_have_no_answer(tmp_path: Path) -> None:
    gated = JudgedSamples.read([judged(tmp_path, gate=True)], "HMS").samples
    item = by_number(draw_samples(gated, 200, seed=1))[2]
    assert (item.key["variables"], item.key["relationship"], item.key["stratum"]) == ("", "", "0, –, –")


def test_samples_without_their_replies_are_left_out(path: str) -> None:
    changed = read_eval_log(path)
    records = [score.metadata for s in changed.samples or [] for score in (s.scores or {}).values() if score.metadata]
    scored = [record for record in records if len(record["facets"]) == 3]
    scored[0].pop("replies")
    scored[1]["facets"] = {"context": 0.5}
    write_eval_log(changed, "changed.eval")
    judged_samples = JudgedSamples.read(["changed.eval"], "HMS")
    assert judged_samples.left_out == {"no submission": 2, "unscored": 4}
    assert [has_replies(sample) for sample in judged_samples.samples].count(False) == 2


def test_an_undecided_facet_of_an_old_log_is_described(path: str) -> None:
    """Before task version 3-A, HMS was 0 if a decided facet was 0, although another facet was undecided."""
    old = read_eval_log(path)
    for sample in old.samples or []:
        score = (sample.scores or {})["HMS"]
        if score.answer == "Finding 3" and isinstance(score.value, dict):
            score.value["hms"] = 0.0
    write_eval_log(old, "old.eval")
    answer = by_number(draw_samples(JudgedSamples.read(["old.eval"], "HMS").samples, 200, seed=1))[3].answers[
        "variables"
    ]
    assert answer["value"] == ""
    assert answer["reason"].startswith("The last reply was rejected: it is not a JSON object")


def test_every_outcome_is_drawn_and_the_weights_sum_to_the_population(samples: list[JudgedSample]) -> None:
    items = draw_samples(samples, 7, seed=1)
    assert len(items) == 7
    assert {item.key["stratum"] for item in items} == {"1, 1, 1", "1, partial, partial", "0, partial, 1", "0, 0, 0"}
    assert sum(float(item.key["weight"]) for item in items) == pytest.approx(10)
    for stratum, size in Counter(item.key["stratum"] for item in items).items():
        weights = {float(item.key["weight"]) for item in items if item.key["stratum"] == stratum}
        assert weights == {(4 if stratum == "1, 1, 1" else 2) / size}
    assert items == draw_samples(samples, 7, seed=1)
    assert len({item.name for item in items + draw_samples(samples, 7, seed=2)}) == 14


def test_a_sample_of_each_outcome_must_fit(samples: list[JudgedSample]) -> None:
    with pytest.raises(InvalidArgument, match=r"^--samples must be at least 4, got 3: the judged samples have 4 diff"):
        draw_samples(samples, 3, seed=1)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(1, 60), min_size=1), st.integers(1, 300))
def test_the_sample_is_proportional(sizes: dict[str, int], count: int) -> None:
    population = sum(sizes.values())
    count = max(count, len(sizes))
    allocation = allocate(sizes, count)
    assert sum(allocation.values()) == min(count, population)
    for name, size in sizes.items():
        assert 1 <= allocation[name] <= size
        assert allocation[name] <= max(1, size * min(count, population) / population + 1)
