"""`discoverybench compare`: paired comparison of systems."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.cli.main import main
from tests import shared
from tests.shared import build_once
from tests.synthetic_logs import Run, write_logs

TASKS = 30
WEAK = Run("real", "react", "provider/small", 0.1, second_judge=0.0)
STRONG = Run("real", "react", "provider/large", 0.6)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], env={"COLUMNS": "80"})


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """A weak and a strong run on the same tasks. The weak one has the scores of two judges."""

    def write() -> list[str]:
        paths = write_logs([WEAK, STRONG], shared.folder() / "compared", samples=TASKS)
        return [str(path) for path in paths]

    return [Path(shutil.copy(path, tmp_path)) for path in build_once("compared", write)]


def test_json_has_these_tasks_and_new_studies(logs: list[Path]) -> None:
    [pair] = as_json(*logs)["pairs"]
    assert [key["key"] for key in pair["keys"]] == ["hms", "context", "variables", "relationship"]
    hms = pair["keys"][0]
    these = hms["paired"]
    new = these["new_studies"]
    assert hms["candidate"] - hms["baseline"] == pytest.approx(these["difference"])
    assert 0 < these["low"] < 0.5 < these["high"]
    assert these["p_value"] < 0.001 < these["smallest_detectable"]
    assert new["low"] <= these["low"] < new["lowest"] < new["highest"]
    assert (new["studies"], pair["common"]) == (14, TASKS)


def test_a_pair_is_printed_on_80_columns(logs: list[Path]) -> None:
    output = run(*logs).stdout
    assert max(map(len, output.splitlines())) <= 80
    text = " ".join(output.split())
    for part in (
        "Baseline react · provider/small 30 of 239 tasks (30 selected: archaeology 6, ",
        "30 common tasks",
        "On these tasks, the difference in HMS is significant at level 0.05.",
        "Smallest difference that this test detects with power 0.8: ",
        "On new studies like these, it is significant at level 0.05 (p: <0.001; 95% CI ",
        "14 studies, the largest with 13% of the tasks)",
        "Intervals and p-values are not adjusted for the number of rows.",
    ):
        assert part in text


def test_more_than_two_systems_are_ranked(tmp_path: Path) -> None:
    middle = Run("real", "react", "provider/medium", 0.3)
    output = run(*write_logs([WEAK, STRONG, middle], tmp_path, samples=TASKS)).stdout
    assert output.index("provider/large") < output.index("provider/medium") < output.index("provider/small")
    assert "Pairs, with intervals and p-values adjusted for their number" in output


def test_systems_are_selected_from_one_folder(logs: list[Path]) -> None:
    folder = logs[0].parent
    pairs = as_json(*logs)["pairs"]
    assert as_json(f"{folder}:model=provider/small", f"{folder}:agent=react,model=provider/large")["pairs"] == pairs
    assert as_json(folder)["pairs"] == pairs
    assert as_json(f"{folder}:reveals_gold=none")["pairs"] == pairs
    [pair] = as_json(f"{folder}:model=provider/small,goal_type=context", f"{folder}:model=provider/large")["pairs"]
    assert pair["only_candidate"] == TASKS - pair["common"] > 0


def test_the_gate_fails_only_beyond_the_margin(logs: list[Path]) -> None:
    weak, strong = logs
    assert run(weak, strong, "--fail-if-worse", "0.02").exit_code == 0
    assert run(strong, strong, "--fail-if-worse", "0").exit_code == 0
    assert run(strong, weak, "--fail-if-worse", "0.9").exit_code == 0
    result = run(strong, weak, "--fail-if-worse", "0.02")
    assert result.exit_code == 1
    assert result.stderr.endswith("with the lowest score wherever the candidate has none.\n")


@pytest.mark.parametrize("lost", [{"errors": 0.5}, {"unscored": 0.5}])
def test_lost_epochs_fail_the_gate(tmp_path: Path, lost: dict[str, float]) -> None:
    complete = Run("real", "react", "provider/large", 0.6, epochs=3)
    candidate = Run("real", "react", "provider/other", 0.6, epochs=3, **lost)
    result = run(*write_logs([complete, candidate], tmp_path, samples=20), "--fail-if-worse", "0.1")
    assert result.exit_code == 1
    assert "samples of the common tasks without HMS" in " ".join(result.stdout.split())


def test_judges_of_one_log_are_compared_when_asked_for(logs: list[Path]) -> None:
    operands = (f"{logs[0]}:score=HMS", f"{logs[0]}:score=HMS1")
    refused = run(*operands)
    assert refused.exit_code == 2
    assert "judge: provider/judge and provider/judge-2" in refused.stderr
    result = run(*operands, "--anyway")
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: ")
    assert "only HMS is compared. The logs also have HMS1" in run(*logs).stderr


def other_benchmark(path: Path, letters: str) -> Path:
    """Make a log one of another evaluation, whose scores are letters."""
    log = read_eval_log(str(path))
    log.eval.task = "arithmetic"
    for sample, letter in zip(log.samples or [], letters, strict=True):
        sample.metadata = {}
        sample.scores = {"match": Score(value=letter)}
    write_eval_log(log, str(path))
    return path


def test_logs_of_any_evaluation_are_compared(tmp_path: Path) -> None:
    wrong, right = write_logs([WEAK, STRONG], tmp_path, samples=3)
    operands = (other_benchmark(wrong, "ICP"), other_benchmark(right, "CCC"))
    [pair] = as_json(*operands)["pairs"]
    [key] = pair["keys"]
    assert (key["key"], key["baseline"], key["candidate"]) == ("", 0.5, 1)
    assert "On new studies like these, nothing can be said" in run(*operands).output


def test_logs_that_are_left_out_are_named(logs: list[Path]) -> None:
    (logs[0].parent / "2026-01-02_broken.eval").touch()
    result = run(logs[0].parent)
    assert result.exit_code == 0
    assert f"Left out {logs[0].parent}/2026-01-02_broken.eval: cannot be read: " in result.stderr
    assert len(as_json(logs[0].parent)["left_out"]) == 1


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        (["nowhere", "nowhere"], "The path 'nowhere' does not exist. Check the spelling or pass an absolute path."),
        (["{0}"], "{0} has a single configuration, react · provider/small. Name at least two logs, folders or "),
        (["{0}", "{1}:model=x"], "{1}:model=x: no sample has model=x. Values in the logs: provider/large."),
        (["{0}", "{1}", "{0}:score=HMS1", "--fail-if-worse", "0"], "--fail-if-worse needs two systems, got 3."),
        (["{0}", "{1}", "--score", "speed"], "{0} has no numeric score 'speed'. Select one with --score: HMS, "),
    ],
)
@pytest.mark.usefixtures("sweep")
def test_invalid_operands_are_one_line_and_exit_code_2(logs: list[Path], operands: list[str], message: str) -> None:
    result = run(*(operand.format(*logs) for operand in operands))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {message.format(*logs)}")
    assert result.stderr.count("\n") == 1
