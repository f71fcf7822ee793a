"""`discoverybench judge`: one pair, and an exit code for each outcome."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.command_line import completed, discoverybench, lab, refused
from tests.endpoint import Answer, Request
from tests.scorer.judging import scripted

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
PAIR = f"""judge --metadata {STUDY} --goal 'How do visitors depend on the height of the tower?'
--gold 'On islands, visitors rise by 80 a year for each metre.'
--pred 'On islands, visitors rise with the height of the tower.'"""
LEXICAL = f"{PAIR} --grader discoverybench/lexical"


def judged_over_http(answer: Callable[[Request], Answer]) -> Result:
    with lab(answer) as (model, _):
        return discoverybench(f"{PAIR} --grader {model} --out new/score.json")


def written() -> dict[str, Any]:
    text = Path("new/score.json").read_text("utf-8")
    record: dict[str, Any] = json.loads(text)
    return record


def test_a_pair_is_scored_and_written() -> None:
    options = "--pred-workflow '1. read' --gold-workflow '1. fit' --aggregation released --out new/score.json"
    output = completed(f"{LEXICAL} {options}")
    assert "HMS 0." in output
    # The lexical judge compares numbers and words of at least four letters. The gold hypothesis has seven of them, and
    # the prediction has three of the seven: option B.
    assert "Relationship: 0.50" in output
    record = written()
    scores = record["scores"]
    assert {"hms", "context", "variables", "relationship", "hms_released"} < scores.keys()
    assert record["judge"] == "discoverybench/lexical"
    assert record["replies"]["variables"]


def test_an_unscored_pair_has_exit_code_3() -> None:
    result = judged_over_http(scripted(variables="two"))
    assert result.exit_code == 3
    assert "Not scored" in result.output
    record = written()
    assert record["scores"] == {"hms": None, "context": 1, "variables": None, "relationship": 1}


def test_a_folder_that_cannot_be_created_is_refused_before_the_judge_is_asked() -> None:
    Path("new").touch()  # where `judged_over_http` needs a folder
    requests: list[Request] = []

    def judge(request: Request) -> Answer:
        requests.append(request)
        return scripted()(request)

    result = judged_over_http(judge)
    assert result.exit_code == 2
    assert "File exists: 'new'. Check the path" in result.output
    assert not requests


def test_a_failing_judge_is_one_line_and_writes_no_file() -> None:
    result = judged_over_http(lambda _: 401)
    assert result.exit_code == 1
    [line] = result.output.strip().splitlines()
    assert line.startswith("Error: The judge openai-api/lab/")
    assert "scripted failure 401" in line
    assert line.endswith("Try again, or choose another judge.")
    assert not Path("new/score.json").exists()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--pred '  '", "--pred is empty. Pass a non-empty text."),
        ("--metadata nowhere.json", "nowhere.json cannot be read: No such file or directory."),
        ("--aggregation mean", "aggregation must be product or released, got 'mean'."),
        ("--grader openai/gpt-4o", "Choose another one with --grader."),
    ],
)
def test_invalid_input_is_one_line_and_exit_code_2(options: str, line: str) -> None:
    message = refused(f"{LEXICAL} {options}")
    assert line in message
