"""Judging a log again: by the command line, with nothing but the log, and two judges side by side."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, demo, real, synth
from tests import inspect_command
from tests.endpoint import serve
from tests.scorer.judging import scripted

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"


AWAY = {"PATH": "/nowhere", "INSPECT_LOG_DIR": "logs", "DISCOVERYBENCH_DATA_DIR": ""}
"""No data folder is named, and no program can be started."""


def again(log: EvalLog, *arguments: str) -> EvalLog:
    """`inspect score` in an empty folder, with nothing but the log."""
    folder = Path("again")
    folder.mkdir()
    shutil.copy(log.location, folder / "log.eval")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, value in AWAY.items():
            patch.setenv(name, value)
        result = inspect_command.invoke(
            "score", "log.eval", "--scorer", "discoverybench/hms", "--overwrite", *arguments
        )
    assert result.exit_code == 0, result.output
    return read_eval_log(str(folder / "log.eval"))


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("name", ["real", "synth", "custom", "demo"])
def test_logs_of_every_task_can_be_rescored(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: dict[str, Callable[[], Task]] = {
        "real": lambda: real(sandbox="local"),
        "synth": lambda: synth(sandbox="local"),
        "custom": lambda: custom(path=str(EXAMPLE), sandbox="local"),
        "demo": demo,
    }
    log = inspect_eval(
        tasks[name](),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        solver=SolverSpec("discoverybench/no_data_guess"),
        limit=1,
    )[0]
    assert log.samples
    with serve(scripted()) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A name for each test, because Inspect keeps the models that it has made.
        judge = f"openai/gpt-4o-mini-{name}"
        both = again(log, "--model-role", f"grader={judge}", "--action", "append")
    assert len(endpoint.judge_requests()) in (4, 5)
    assert both.samples
    assert both.samples[0].scores
    first, second = both.samples[0].scores.values()
    assert log.samples[0].scores
    assert first.value == log.samples[0].scores["HMS"].value
    assert first.answer == second.answer
    for score, name_of_judge in ((first, "discoverybench/lexical"), (second, judge)):
        assert score.metadata
        assert score.metadata["judge"] == name_of_judge
        assert {"prompts", "asked_again"} <= set(score.metadata)
    assert both.results
    assert {result.scorer for result in both.results.scores} == {"HMS", "HMS1"}
