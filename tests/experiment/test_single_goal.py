"""`discoverybench ask`: what it prints is what the scorer would read."""

import json
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.endpoint import Answer, tool_call
from tests.experiment.command import invoke, lab

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
ONE = ["ask", "--metadata", str(STUDY), "--sandbox", "local"]
BASELINE = [*ONE, "--model", "discoverybench/baseline", "--solver", "codegen"]
GOAL = "How do visitors depend on the height of the tower?"


def test_a_goal_with_a_gold_hypothesis_is_scored() -> None:
    goal = json.loads(STUDY.read_text("utf-8"))["queries"][0]["question"]
    result = invoke(*BASELINE, "--grader", "discoverybench/lexical", "--goal", f" {goal.upper()}\n")
    assert result.exit_code == 0, result.output
    assert "Hypothesis: " in result.output
    assert "Workflow: Rule-based baseline" in result.output
    assert "HMS " in result.output
    assert "= context" in result.output


def test_a_goal_without_a_gold_hypothesis_is_not_scored() -> None:
    result = invoke(*BASELINE, "--goal", GOAL)
    assert result.exit_code == 0, result.output
    assert "Hypothesis: " in result.output
    assert "HMS" not in result.output
    [info] = list_eval_logs("logs")
    [sample] = read_eval_log(info).samples or []
    assert sample.target == ""
    assert sample.scores in (None, {})


@pytest.mark.parametrize(
    ("answer", "hypothesis"),
    [
        (tool_call("submit", hypothesis="Visitors rise with height.", workflow="w"), "Visitors rise with height."),
        (tool_call("python", "Let me look at the data first.", code="1"), None),
        ("", None),
    ],
)
def test_the_printed_hypothesis_is_the_submitted_one(answer: Answer, hypothesis: str | None) -> None:
    with lab(lambda _: answer) as (model, _):
        result = invoke(*ONE, "--goal", GOAL, "--model", model, "--solver", "no_data_guess")
    if hypothesis:
        assert result.exit_code == 0, result.output
        assert f"Hypothesis: {hypothesis}" in result.output
    else:
        assert result.exit_code == 1, result.output
        assert "Hypothesis" not in result.output
        assert "Error: nothing was submitted" in result.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["ask"], "Missing option '--metadata'"),
        (["run"], "Missing argument 'FILE'"),
        ([*BASELINE, "--goal", "  "], "goal is empty"),
        ([*BASELINE, "--goal", "Why?", "--metadata", "nowhere.json"], "path=nowhere.json"),
        ([*BASELINE, "--goal", "Why?", "--solver", "genius"], "discoverybench/genius"),
        ([*BASELINE, "--goal", "Why?", "--sandbox", "chroot"], "sandbox=chroot is not supported"),
        ([*BASELINE, "--goal", "Why?", "--model", "openai/gpt-4o"], "OPENAI_API_KEY"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: list[str], line: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert "Traceback" not in result.output
