"""Judging a log again: by the command line, with nothing but the log, and two judges side by side."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import Score
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, demo, judge_audit, real
from tests import inspect_command
from tests.endpoint import serve
from tests.generator.authoring import generate, scripted_author
from tests.scorer.judging import scripted

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"

AWAY = {"PATH": "/nowhere", "INSPECT_LOG_DIR": "logs", "DISCOVERYBENCH_DATA_DIR": ""}
"""No data folder is named, no program can be started, and there are no other logs."""

TASKS: dict[str, Callable[[], Task]] = {
    "real": lambda: real(sandbox="local"),
    "custom": lambda: custom(path=str(EXAMPLE), sandbox="local"),
    "demo": demo,
}


def judge_again(log: EvalLog, judge: str, monkeypatch: pytest.MonkeyPatch) -> EvalLog:
    """Run `inspect score` in an empty folder, with nothing but the log."""
    folder = Path("again")
    folder.mkdir()
    shutil.copy(log.location, folder / "log.eval")
    monkeypatch.chdir(folder)
    for name, value in AWAY.items():
        monkeypatch.setenv(name, value)
    command = f"score log.eval --scorer discoverybench/hms --model-role grader={judge} --action append --overwrite"
    arguments = command.split()
    result = inspect_command.invoke(*arguments)
    assert result.exit_code == 0, result.output
    return read_eval_log("log.eval")


def rescored(log: EvalLog) -> EvalLog:
    """The log after `inspect score`. No scorer is given, so Inspect uses the scorers that the log names."""
    arguments = ["score", log.location, "--action", "overwrite", "--overwrite"]
    result = inspect_command.invoke(*arguments)
    assert result.exit_code == 0, result.output
    return read_eval_log(log.location)


def score_of(log: EvalLog, name: str) -> tuple[Score, dict[str, Any]]:
    """A score of the only sample, and the record of its judge."""
    [sample] = log.samples or []
    assert sample.scores
    score = sample.scores[name]
    assert score.metadata
    return score, score.metadata


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("name", TASKS)
def test_another_judge_adds_a_score_from_nothing_but_the_log(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [log] = inspect_eval(
        TASKS[name](),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec("discoverybench/no_data_guess"),
        limit=1,
    )
    with serve(scripted()) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A name for each test, because Inspect keeps the models that it has made.
        judge = f"openai/gpt-4o-mini-{name}"
        again = judge_again(log, judge, monkeypatch)

    before, record_before = score_of(log, "HMS")
    kept, _ = score_of(again, "HMS")
    # Inspect numbers a second score of the same name.
    added, record = score_of(again, "HMS1")
    assert kept == before
    assert added.answer == before.answer
    assert record["judge"] == judge
    assert record.keys() >= record_before.keys()  # even without the data, the record is complete

    assert again.results
    scorers = {result.scorer for result in again.results.scores}
    assert scorers == {"HMS", "HMS1"}


def means(log: EvalLog) -> dict[str, float]:
    """The mean of each score that has one."""
    assert log.results
    return {score.name: score.metrics["mean"].value for score in log.results.scores if "mean" in score.metrics}


RESCORED: dict[str, Callable[[], EvalLog]] = {
    "scored": lambda: inspect_eval(demo(), model="discoverybench/baseline")[0],
    "not scored": lambda: inspect_eval(demo(), model="discoverybench/baseline", score=False)[0],
    "other arguments": lambda: inspect_eval(demo(aggregation="released"), model="discoverybench/baseline")[0],
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("case", RESCORED)
def test_a_log_is_scored_by_the_scorer_that_it_names(case: str) -> None:
    again = rescored(RESCORED[case]())
    # What the offline judge gives the offline analyst on the demo.
    assert means(again) == {"HMS": pytest.approx(0.425)}
    assert again.samples
    expects_released_form = case == "other arguments"
    for sample in again.samples:
        assert sample.scores
        has_released_form = "hms_released" in sample.scores["HMS"].as_dict()
        assert has_released_form == expects_released_form


def test_an_audit_is_scored_by_the_scorer_that_it_names() -> None:
    task = judge_audit(released=False, kind="identical")
    [log] = inspect_eval(task, model="discoverybench/lexical")
    before = means(log)
    # The audit has pairs only. So the accuracies on texts and on claims are NaN.
    assert means(rescored(log)) == pytest.approx(before, nan_ok=True)


def test_a_generated_set_is_scored_by_the_scorer_that_its_log_names(tmp_path: Path) -> None:
    # The replies to one step are invalid. So a task is rejected, and the score is not 1.
    log = generate(tmp_path / "set", scripted_author(expand="not JSON"), seed=3)
    assert means(rescored(log)) == means(log)
    assert means(log)["accepted"] < 1


# The program does not import our package: Inspect finds our metrics by their names in the log.
RECOMPUTE = """
import json, sys
from inspect_ai.log import edit_score, read_eval_log, recompute_metrics
from inspect_ai.scorer import ScoreEdit

_, location, score, key = sys.argv
log = read_eval_log(location)
for sample in log.samples:
    value = sample.scores[score].as_dict()
    edit_score(log, sample.id, score, ScoreEdit(value=value | {key: 0.0}), recompute_metrics=False)
recompute_metrics(log)
print(json.dumps({f"{group.name} {metric.name}": metric.value
    for group in log.results.scores for metric in group.metrics.values()}))
"""


def metrics_with_zeros(log: EvalLog, score: str, key: str) -> dict[str, float]:
    """Set one key of every score to 0, and recompute the metrics, in a process of its own."""
    command = [sys.executable, "-c", RECOMPUTE, log.location, score, key]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == 0, result.stderr
    metrics: dict[str, float] = json.loads(result.stdout)
    return metrics


@pytest.mark.usefixtures("command_line")
def test_metrics_are_recomputed_after_scores_were_edited() -> None:
    [log] = inspect_eval(demo(), model="discoverybench/baseline", limit=2)
    assert log.results
    assert log.results.scores[0].metrics["mean"].value > 0
    metrics = metrics_with_zeros(log, "HMS", "hms")
    assert metrics["HMS mean"] == 0
    assert metrics["HMS judged"] == 2


@pytest.mark.usefixtures("command_line")
def test_metrics_of_an_audit_are_recomputed_after_scores_were_edited() -> None:
    task = judge_audit(released=False, kind="identical")
    [log] = inspect_eval(task, model="discoverybench/lexical")
    metrics = metrics_with_zeros(log, "judge_audit", "variables")
    assert metrics["variables mean"] == 0
    # The accuracy of judges that always give one reply, on pairs that are identical.
    assert metrics["context_match always_true"] == 1
    assert metrics["relationship always_B"] == 0
    # What a mean HMS of 20 % becomes if every verdict on the variables is wrong, and all others are right. A wrong
    # verdict is assumed to miss one of three variables, so every F1 of 1 becomes 2/3.
    assert metrics["judge_audit mean_of_20"] == pytest.approx(20 * 2 / 3)
