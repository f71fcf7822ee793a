"""Judging a log again: by the command line, with nothing but the log, and two judges side by side."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
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
    options = ["--model-role", f"grader={judge}", "--action", "append", "--overwrite"]
    result = inspect_command.invoke("score", "log.eval", "--scorer", "discoverybench/hms", *options)
    assert result.exit_code == 0, result.output
    return read_eval_log("log.eval")


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
    assert len(endpoint.judge_requests()) in (4, 5)

    assert log.samples
    assert again.samples
    before = log.samples[0].scores
    after = again.samples[0].scores
    assert before
    assert after
    assert after["HMS"].value == before["HMS"].value
    assert after["HMS1"].answer == before["HMS"].answer
    for score, judge_of_score in (("HMS", "discoverybench/lexical"), ("HMS1", judge)):
        metadata = after[score].metadata
        assert metadata
        assert metadata["judge"] == judge_of_score
        assert {"settings", "prompts", "asked_again", "replies"} <= set(metadata)
    assert again.results
    assert {result.scorer for result in again.results.scores} == {"HMS", "HMS1"}
