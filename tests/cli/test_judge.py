"""`discoverybench judge`: one pair, three exit codes."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from tests.endpoint import Answer, Request, serve
from tests.scorer.judging import scripted

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
PAIR = {
    "--goal": "How do visitors depend on the height of the tower?",
    "--gold": "On islands, visitors rise by 80 a year for each metre.",
    "--pred": "On islands, visitors rise with the height of the tower.",
    "--metadata": str(STUDY),
    "--grader": "discoverybench/lexical",
}


def judge(*flags: str, **changed: str) -> Result:
    options = PAIR | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    return CliRunner().invoke(main, ["judge", *(word for option in options.items() for word in option), *flags])


def over_http(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[Request], Answer], *flags: str, **changed: str
) -> Result:
    with serve(answer) as endpoint:
        monkeypatch.setenv("LOCAL_API_KEY", "test")
        monkeypatch.setenv("LOCAL_BASE_URL", endpoint.url)
        # A new name for each address, because Inspect caches models by name.
        return judge(*flags, grader=f"openai-api/local/{endpoint.url.rpartition(':')[2]}", **changed)


def test_a_pair_is_scored_and_written(tmp_path: Path) -> None:
    options = {"pred_workflow": "1. read", "gold_workflow": "1. fit", "aggregation": "released"}
    result = judge(out=str(tmp_path / "score.json"), **options)
    assert result.exit_code == 0
    assert "HMS 0." in result.output
    assert "Relationship: 0.00" in result.output
    record = json.loads((tmp_path / "score.json").read_text("utf-8"))
    assert {"hms", "context", "variables", "relationship", "hms_released"} < set(record["scores"])
    assert record["judge"] == "discoverybench/lexical"
    assert record["replies"]["variables"]


def test_an_unscored_pair_has_exit_code_3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = over_http(monkeypatch, scripted(variables="two"), out=str(tmp_path / "score.json"))
    assert result.exit_code == 3
    assert "Not scored" in result.output
    record = json.loads((tmp_path / "score.json").read_text("utf-8"))
    assert record["scores"] == {"hms": None, "context": 1, "variables": None, "relationship": 1}
    assert set(record["facets"]) == {"context", "relationship"}


def test_a_failing_judge_is_one_line_and_writes_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = over_http(monkeypatch, lambda _: 401, out=str(tmp_path / "score.json"))
    assert result.exit_code == 1
    [line] = result.output.strip().splitlines()
    assert line.startswith("Error: The judge openai-api/local/")
    assert "scripted failure 401" in line
    assert line.endswith("Try again, or choose another judge.")
    assert not (tmp_path / "score.json").exists()


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"pred": "  "}, "--pred is empty. Pass a non-empty text."),
        ({"metadata": "nowhere.json"}, "nowhere.json cannot be read: No such file or directory."),
        ({"out": "."}, "Is a directory: '.'. Check the path, its permissions"),
        ({"out": "/proc/x"}, "Error: No such file or directory: '/proc/x'. Check the path, its permissions and the"),
        ({"metadata": "a" * 300}, "File name too long"),
        ({"metadata": "/dev/zero"}, "/dev/zero is not a regular file. Check the path."),
        ({"aggregation": "mean"}, "aggregation must be product or released, got 'mean'."),
        ({"out": "away/score.json"}, "No such file or directory: 'away/score.json'. Check the path, "),
    ],
)
def test_invalid_input_is_one_line_and_exit_code_2(changed: dict[str, str], line: str) -> None:
    result = judge(**changed)
    assert result.exit_code == 2
    assert line in result.output
    assert len(result.output.strip().splitlines()) == 1
