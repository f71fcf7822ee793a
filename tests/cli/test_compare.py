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


def test_json_has_each_facet(logs: list[Path]) -> None:
    [pair] = as_json(*logs)["pairs"]
    keys = [difference["key"] for difference in pair["keys"]]
    assert keys == ["hms", "context", "variables", "relationship"]


def test_a_pair_is_printed_on_80_columns(logs: list[Path]) -> None:
    output = run(*logs).stdout
    assert max(map(len, output.splitlines())) <= 80
    text = " ".join(output.split())
    expected = (
        "Baseline react · provider/small 30 of 239 tasks (30 selected: archaeology 6, ",
        "30 common tasks",
        "On these tasks, the difference in HMS is significant at level 0.05.",
        "Smallest difference that this test detects with power 0.8: ",
        "On new studies like these, it is significant at level 0.05 (p: ",
        "14 studies, the largest with 13% of the tasks)",
        "Intervals and p-values are not adjusted for the number of rows.",
    )
    assert [part for part in expected if part not in text] == []


def test_more_than_two_systems_are_ranked(tmp_path: Path) -> None:
    middle = Run("real", "react", "provider/medium", 0.3)
    logs = write_logs([WEAK, STRONG, middle], tmp_path, samples=TASKS)
    output = run(*logs).stdout
    places = [output.index(f"provider/{model}") for model in ("large", "medium", "small")]
    assert places == sorted(places)
    assert "Pairs, with intervals and p-values adjusted for their number" in output


def test_systems_are_selected_from_one_folder(logs: list[Path]) -> None:
    folder = logs[0].parent
    small = f"{folder}:model=provider/small"
    large = f"{folder}:agent=react,model=provider/large"
    pairs = as_json(*logs)["pairs"]
    assert as_json(small, large)["pairs"] == pairs
    assert as_json(f"{folder}:reveals_gold=none")["pairs"] == pairs
    [pair] = as_json(f"{small},goal_type=context", large)["pairs"]
    assert pair["only_candidate"] == TASKS - pair["common"] > 0


def test_the_gate_fails_only_beyond_the_margin(logs: list[Path]) -> None:
    weak, strong = logs
    better = run(weak, strong, "--fail-if-worse", "0.02")
    within_margin = run(strong, weak, "--fail-if-worse", "0.9")
    worse = run(strong, weak, "--fail-if-worse", "0.02")
    assert better.exit_code == 0
    assert within_margin.exit_code == 0
    assert worse.exit_code == 1
    assert worse.stderr.endswith("with the lowest score wherever the candidate has none.\n")


def test_lost_epochs_fail_the_gate(tmp_path: Path) -> None:
    complete = Run("real", "react", "provider/large", 0.6, epochs=3)
    lossy = Run("real", "react", "provider/other", 0.6, epochs=3, errors=0.3, unscored=0.3)
    logs = write_logs([complete, lossy], tmp_path, samples=20)
    result = run(*logs, "--fail-if-worse", "0.1")
    assert result.exit_code == 1
    text = " ".join(result.stdout.split())
    assert "samples of the common tasks without HMS" in text


def test_judges_of_one_log_are_compared_when_asked_for(logs: list[Path]) -> None:
    log, other = logs
    first = f"{log}:score=HMS"
    second = f"{log}:score=HMS1"
    refused = run(first, second)
    assert refused.exit_code == 2
    assert "judge: provider/judge and provider/judge-2" in refused.stderr
    warned = run(first, second, "--anyway")
    assert warned.stderr.startswith("Warning: ")
    noted = run(log, other)
    assert "only HMS is compared. To compare HMS1, use --score." in noted.stderr


def make_another_benchmark(path: Path, letters: str) -> None:
    """Make a log one of another evaluation, whose scores are letters."""
    log = read_eval_log(str(path))
    log.eval.task = "arithmetic"
    for sample, letter in zip(log.samples or [], letters, strict=True):
        score = Score(value=letter)
        sample.metadata = {}
        sample.scores = {"match": score}
    write_eval_log(log, str(path))


def test_logs_of_any_evaluation_are_compared(tmp_path: Path) -> None:
    first, second = write_logs([WEAK, STRONG], tmp_path, samples=3)
    make_another_benchmark(first, "ICP")
    make_another_benchmark(second, "CCC")
    [pair] = as_json(first, second)["pairs"]
    [difference] = pair["keys"]
    assert difference["key"] == ""
    assert difference["baseline"] == 0.5
    assert difference["candidate"] == 1
    printed = run(first, second)
    assert "On new studies like these, nothing can be said" in printed.output


def test_logs_that_are_left_out_are_named(logs: list[Path]) -> None:
    folder = logs[0].parent
    broken = folder / "2026-01-02_broken.eval"
    broken.touch()
    result = run(folder)
    assert f"Left out {broken}: cannot be read: " in result.stderr


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ("nowhere nowhere", "The path 'nowhere' does not exist. Check the spelling or pass an absolute path."),
        ("{0}", "{0} has a single configuration, react · provider/small. Name at least two logs, folders or "),
        ("{0} {1}:model=x", "{1}:model=x: no sample has model=x. Values in the logs: provider/large."),
        ("{0} {1}:colour=x", "{1}:colour=x: 'colour' does not select samples. Columns: agent, "),
        ("{0} {1} {0}:score=HMS1 --fail-if-worse 0", "--fail-if-worse needs two systems, got 3."),
        ("{0} {1} --score speed", "{0} has no numeric score 'speed'. Select one with --score: HMS, "),
    ],
)
@pytest.mark.usefixtures("sweep")
def test_invalid_operands_are_one_line_and_exit_code_2(logs: list[Path], operands: str, message: str) -> None:
    arguments = operands.format(*logs).split()
    result = run(*arguments)
    assert result.exit_code == 2
    expected = message.format(*logs)
    assert result.stderr.startswith(f"Error: {expected}")
    assert result.stderr.count("\n") == 1
