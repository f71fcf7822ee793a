"""The annotation sheet of two real logs: which pairs it contains, in which order, and what it hides."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import score as inspect_score
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.validation.page import Card, page
from inspect_discoverybench.validation.scored_log import ScoredLog, ScoredPrediction
from inspect_discoverybench.validation.sheet import (
    SheetPair,
    candidates,
    draw,
    read_scores_from_logs,
    write,
)
from inspect_discoverybench.validation.votes import Choice, read_scores
from tests.validation.logs import evaluated

HOSTILE = '</script><script>alert("1")</script><!-- $pairs & <b>'


@pytest.fixture
def logs() -> tuple[str, str]:
    return evaluated()


@pytest.fixture
def runs(logs: tuple[str, str]) -> tuple[ScoredLog, ScoredLog]:
    return ScoredLog.read(logs[0], "HMS"), ScoredLog.read(logs[1], "HMS")


def changed(log: str, change: Callable[[EvalLog], None]) -> str:
    """A copy of a log in which something is different."""
    copy = read_eval_log(log)
    change(copy)
    write_eval_log(copy, "changed.eval")
    return "changed.eval"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_sample_answered_differently_is_a_candidate(
    logs: tuple[str, str], runs: tuple[ScoredLog, ScoredLog]
) -> None:
    all_pairs = candidates(*runs)
    assert len(all_pairs) == 4
    samples = {str(sample.id): sample for sample in read_eval_log(logs[0]).samples or []}
    for one, other in all_pairs:
        sample = samples[one.sample_id]
        assert sample.scores
        assert (one.sample_id, one.epoch) == (other.sample_id, other.epoch)
        assert (one.goal, one.gold_hypothesis) == (sample.metadata["goal"], sample.target)
        assert (one.hypothesis, one.hms) == (sample.scores["HMS"].answer, sample.scores["HMS"].as_dict()["hms"])
        assert one.hypothesis != other.hypothesis


def test_unscored_unanswered_and_equal_predictions_are_not_candidates(
    logs: tuple[str, str], runs: tuple[ScoredLog, ScoredLog]
) -> None:
    def change(log: EvalLog) -> None:
        samples = log.samples or []
        for sample in samples:
            assert sample.scores
        for sample, score in zip(
            samples, (Score.unscored(answer="It rises."), Score(value={"hms": 0.0})), strict=False
        ):
            sample.scores = {"HMS": score}
        key = (str(samples[2].id), samples[2].epoch)
        samples[2].scores = {"HMS": Score(value={"hms": 1.0}, answer=f" {runs[0].predictions[key].hypothesis}\n")}

    other = ScoredLog.read(changed(logs[1], change), "HMS")
    [(one, _)] = candidates(runs[0], other)
    assert one.sample_id == str((read_eval_log(logs[1]).samples or [])[3].id)


def test_a_seed_chooses_pairs_their_order_and_sides(runs: tuple[ScoredLog, ScoredLog]) -> None:
    all_pairs = candidates(*runs)
    sample = draw(all_pairs, 3, seed=1)
    assert [pair.name for pair in sample] == ["p001", "p002", "p003"]
    assert sample == draw(all_pairs, 3, seed=1)
    assert {pair.first.sample_id for pair in sample} < {one.sample_id for one, _ in all_pairs}
    assert len(draw(all_pairs, 100, seed=1)) == 4
    by_seed = [draw(all_pairs, 4, seed) for seed in range(20)]
    assert len({tuple(pair.first.sample_id for pair in pairs) for pairs in by_seed}) > 1
    sides = [pair.first.task_id == runs[0].task_id for pairs in by_seed for pair in pairs]
    assert 20 < sum(sides) < 60


def test_the_files_are_the_same_each_time_and_blind(runs: tuple[ScoredLog, ScoredLog]) -> None:
    pairs = draw(candidates(*runs), 4, seed=3)
    write(pairs, Path("one"))
    write(draw(candidates(*runs), 4, seed=3), Path("other"))
    for name in ("sheet.csv", "vote.html", "key.csv"):
        assert (Path("one") / name).read_bytes() == (Path("other") / name).read_bytes()

    sheet, key = rows(Path("one/sheet.csv")), rows(Path("one/key.csv"))
    assert list(sheet[0]) == ["pair", "goal", "gold_hypothesis", "hypothesis_1", "hypothesis_2"]
    assert list(key[0]) == ["pair", "sample_id", "epoch", "log_1", "log_2", "gold", "hms_1", "hms_2"]
    by_log = {run.task_id: run for run in runs}
    for row, key_row in zip(sheet, key, strict=True):
        assert row["pair"] == key_row["pair"]
        for side in "12":
            prediction = by_log[key_row[f"log_{side}"]].predictions[key_row["sample_id"], int(key_row["epoch"])]
            assert row[f"hypothesis_{side}"] == prediction.hypothesis
            assert float(key_row[f"hms_{side}"]) == prediction.hms
    for name in ("sheet.csv", "vote.html"):
        text = (Path("one") / name).read_text("utf-8")
        telling = [*by_log, *(key_row["sample_id"] for key_row in key), "hms", ".eval"]
        assert [word for word in telling if word in text] == []


def test_nothing_is_replaced_without_force(runs: tuple[ScoredLog, ScoredLog]) -> None:
    pairs = draw(candidates(*runs), 2, seed=0)
    Path("sheet").mkdir()
    Path("sheet/key.csv").write_text("mine", "utf-8")
    with pytest.raises(
        InvalidArgument,
        match=r"^sheet already contains key.csv\. Choose another folder with --out, or overwrite with --force\.$",
    ):
        write(pairs, Path("sheet"))
    assert [path.name for path in Path("sheet").iterdir()] == ["key.csv"]
    write(pairs, Path("sheet"), force=True)
    assert len(rows(Path("sheet/key.csv"))) == 2


def test_model_output_cannot_inject_html_into_the_page() -> None:
    prediction = ScoredPrediction("log", "id", 1, "Why?", "Because.", HOSTILE, 1)
    pair = SheetPair("p001", prediction, replace(prediction, hypothesis="It rises."))
    text = page(Card.VOTE, [pair.sheet_row])
    assert text.count("</script>") == 2
    assert "<!--" not in text
    [embedded] = re.findall(r'<script type="application/json" id="items">(.*?)</script>', text)
    assert json.loads(embedded)[0]["hypothesis_1"] == HOSTILE
    assert re.findall(r"(?:src|href)=|https?:|@import|url\(", text) == []


def test_scores_are_read_from_logs_in_any_order(logs: tuple[str, str], runs: tuple[ScoredLog, ScoredLog]) -> None:
    write(draw(candidates(*runs), 4, seed=5), Path("sheet"))
    key = Path("sheet/key.csv")
    assert read_scores_from_logs(key, runs[1], runs[0]) == read_scores(key)

    def change(log: EvalLog) -> None:
        for sample in log.samples or []:
            assert sample.scores
            sample.scores["HMS"].value = {"hms": 0.0}

    rescored = read_scores_from_logs(key, ScoredLog.read(changed(logs[0], change), "HMS"), runs[1])
    assert [scores.preference for scores in rescored.values()] == [Choice.EQUAL] * 4


def test_a_log_scored_again_keeps_its_identity(logs: tuple[str, str], runs: tuple[ScoredLog, ScoredLog]) -> None:
    write(draw(candidates(*runs), 4, seed=5), Path("sheet"))
    log = inspect_score(read_eval_log(logs[0]), hms("discoverybench/lexical"), action="append", display="none")
    write_eval_log(log, "again.eval")
    again = ScoredLog.read("again.eval", "HMS1")
    assert read_scores_from_logs(Path("sheet/key.csv"), again, runs[1]) == read_scores(Path("sheet/key.csv"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            r"(p001,.*?),1,",
            r"\1,9,",
            r"key.csv: line 2: sample demo/\S+, epoch 9, has no HMS in .*\. Re-score the log",
        ),
        (r"(p001,.*?),1,", r"\1,x,", r"key.csv: line 2: epoch must be a positive integer, got 'x'\."),
        (
            r"(p001,.*?,1),\w+",
            r"\1,other",
            r"key.csv: line 2: log_1 is other, which is none of the logs passed: .*\.eval \(\w+\)",
        ),
        (
            r"log_1",
            "log",
            r"key.csv: line 1: missing column log_1\. Expected the columns pair, sample_id, epoch, log_1, log_2",
        ),
    ],
)
def test_a_key_that_does_not_match_the_logs(runs: tuple[ScoredLog, ScoredLog], old: str, new: str, line: str) -> None:
    write(draw(candidates(*runs), 4, seed=5), Path())
    Path("key.csv").write_text(re.sub(old, new, Path("key.csv").read_text("utf-8"), count=1), "utf-8")
    with pytest.raises(DiscoveryBenchError, match=f"^{line}"):
        read_scores_from_logs(Path("key.csv"), *runs)


def test_logs_without_pairs(logs: tuple[str, str], runs: tuple[ScoredLog, ScoredLog]) -> None:
    with pytest.raises(InvalidArgument, match=r"are logs of the same run, \w+\. Pass one log of each run\.$"):
        candidates(runs[0], ScoredLog.read(logs[0], "HMS"))
    with pytest.raises(
        InvalidArgument, match=r" is a log of the task 'demo' and .* of 'real'\. Pass logs of the same task\.$"
    ):
        candidates(runs[0], replace(runs[1], task="real"))
    with pytest.raises(
        InvalidArgument,
        match=r"^No pairs can be drawn from .*: they have 4 and 0 scored hypotheses, 0 samples are scored in both",
    ):
        candidates(runs[0], replace(runs[1], predictions={}))


def test_files_that_are_not_logs(logs: tuple[str, str]) -> None:
    with pytest.raises(DataMissing, match=r"^The file 'gone.eval' does not exist\."):
        ScoredLog.read("gone.eval", "HMS")
    Path("votes.csv").write_text("pair", "utf-8")
    Path("broken.eval").write_text("x", "utf-8")
    Path("broken.json").write_text("{}", "utf-8")
    for name in ("votes.csv", "broken.eval", "broken.json"):
        with pytest.raises(InvalidArgument, match=rf"^{name} is not a readable Inspect log: "):
            ScoredLog.read(name, "HMS")
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'accuracy'\. Available scores: HMS\.$"):
        ScoredLog.read(logs[0], "accuracy")
