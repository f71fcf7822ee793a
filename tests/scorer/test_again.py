"""Judging a log again: by the command line, with nothing but the log, and two judges side by side."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, demo, real, synth
from tests.endpoint import serve
from tests.scorer.judging import scripted

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"


def again(log: EvalLog, folder: Path, *arguments: str, **environment: str) -> EvalLog:
    """`inspect score` in an empty folder, with no data folder named and no sandbox."""
    folder.mkdir()
    path = folder / "log.eval"
    shutil.copy(log.location, path)
    command = [sys.executable, "-m", "inspect_ai", "score", str(path), "--scorer", "discoverybench/hms", "--overwrite"]
    away = {"PATH": "/nowhere", "HOME": str(folder), "INSPECT_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=away | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return read_eval_log(str(path))


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("name", ["real", "synth", "custom", "demo"])
@pytest.mark.usefixtures("command_line")
def test_logs_of_every_task_can_be_rescored(name: str, tmp_path: Path) -> None:
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
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test"}
        grader = ["--model-role", "grader=openai/gpt-4o-mini", "--action", "append"]
        both = again(log, tmp_path / "again", *grader, **environment)
    assert len(endpoint.judge_requests()) in (4, 5)
    assert both.samples
    assert both.samples[0].scores
    first, second = both.samples[0].scores.values()
    assert log.samples[0].scores
    assert first.value == log.samples[0].scores["HMS"].value
    assert first.answer == second.answer
    for score, judge in ((first, "discoverybench/lexical"), (second, "openai/gpt-4o-mini")):
        assert score.metadata
        assert score.metadata["judge"] == judge
        assert {"prompts", "aggregation", "gate", "asked_again"} <= set(score.metadata)
    assert both.results
    assert {result.scorer for result in both.results.scores} == {"HMS", "HMS1"}


@pytest.mark.usefixtures("command_line")
def test_the_old_score_can_be_overwritten_with_another_aggregation(tmp_path: Path) -> None:
    log = inspect_eval(demo(), model="discoverybench/baseline", limit=1)[0]
    arguments = ["--model-role", "grader=discoverybench/lexical", "--action", "overwrite"]
    new = again(log, tmp_path / "again", *arguments, "-S", "aggregation=subhypotheses")
    assert new.samples
    assert new.samples[0].scores
    [score] = new.samples[0].scores.values()
    assert isinstance(score.value, dict)
    assert "hms_f1" in score.value
    assert score.metadata
    assert score.metadata["aggregation"] == "subhypotheses"
