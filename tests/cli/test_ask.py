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


def test_a_goal_with_a_gold_hypothesis_is_scored_with_the_requested_hints() -> None:
    goal = json.loads(STUDY.read_text("utf-8"))["queries"][0]["question"]
    judge = ["--grader", "discoverybench/lexical", "--domain-knowledge", "--workflow-tags"]
    result = invoke(*BASELINE, *judge, "--goal", f" {goal.upper()}\n")
    assert result.exit_code == 0, result.output
    assert "Workflow: Rule-based baseline" in result.output
    assert "HMS " in result.output
    [info] = list_eval_logs("logs")
    assert read_eval_log(info, header_only=True).eval.task_args["domain_knowledge"] is True


@pytest.mark.parametrize(
    ("answer", "hypothesis"),
    [
        (tool_call("submit", hypothesis="Visitors \x1b]52;c;Zm9v\x07rise.", workflow="w"), "Visitors ]52;c;Zm9vrise."),
        (tool_call("python", "Let me look at the data first.", code="1"), None),
    ],
)
def test_the_printed_hypothesis_is_the_submitted_one(answer: Answer, hypothesis: str | None) -> None:
    """Without escape sequences, which a terminal would execute."""
    with lab(lambda _: answer) as (model, _):
        result = invoke(*ONE, "--goal", GOAL, "--model", model, "--solver", "no_data_guess")
    if hypothesis:
        assert result.exit_code == 0, result.output
        assert f"Hypothesis: {hypothesis}" in result.output
        assert "HMS" not in result.output
    else:
        assert result.exit_code == 1, result.output
        assert "Error: nothing was submitted" in result.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([*BASELINE, "--goal", "  "], "goal is empty"),
        ([*BASELINE, "--goal", "Why?", "--solver", "genius"], "discoverybench/genius"),
        ([*BASELINE, "--goal", "Why?", "--model", "openai/gpt-4o"], "OPENAI_API_KEY"),
    ],
)
def test_invalid_arguments_are_rejected(arguments: list[str], line: str) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    assert line in result.output
    assert "Traceback" not in result.output
