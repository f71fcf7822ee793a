"""Judging a log again: by the command line, with nothing but the log, and two judges side by side."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.scorer import Score
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, demo, real
from tests import inspect_command
from tests.endpoint import serve
from tests.scorer.judging import scripted

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"

AWAY = {"PATH": "/nowhere", "INSPECT_LOG_DIR": "logs", "DISCOVERYBENCH_DATA_DIR": ""}
"""No data folder is named, and no program can be started."""

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


def score_of(log: EvalLog, name: str) -> tuple[Score, dict[str, Any]]:
    """A score of the only sample, and the record of its judge."""
    [sample] = log.samples or []
    assert sample.scores
    score = sample.scores[name]
    assert score.metadata
    return score, score.metadata


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("name", TASKS)
def test_logs_of_every_task_can_be_rescored(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
    added, record = score_of(again, "HMS1")
    assert kept == before
    assert added.answer == before.answer
    assert record["judge"] == judge
    assert record.keys() >= record_before.keys()

    assert again.results
    scorers = {result.scorer for result in again.results.scores}
    assert scorers == {"HMS", "HMS1"}
