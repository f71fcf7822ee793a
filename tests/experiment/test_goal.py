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
    done = invoke(*BASELINE, "--grader", "discoverybench/lexical", "--goal", f" {goal.upper()}\n")
    assert done.exit_code == 0, done.output
    assert "Hypothesis: " in done.output
    assert "Workflow: Rule-based baseline" in done.output
    assert "HMS " in done.output
    assert "= context" in done.output


def test_a_goal_without_a_gold_hypothesis_is_not_scored() -> None:
    done = invoke(*BASELINE, "--goal", GOAL)
    assert done.exit_code == 0, done.output
    assert "Hypothesis: " in done.output
    assert "HMS" not in done.output
    [info] = list_eval_logs("logs")
    [sample] = read_eval_log(info).samples or []
    assert sample.target == ""
    assert sample.scores in (None, {})


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        (tool_call("submit", hypothesis="Visitors rise with height.", workflow="w"), "Visitors rise with height."),
        (tool_call("python", "Let me look at the data first.", code="1"), None),
        ("", None),
    ],
)
def test_the_printed_hypothesis_is_the_one_that_is_scored(answer: Answer, printed: str | None) -> None:
    with lab(lambda _: answer) as (model, _):
        done = invoke(*ONE, "--goal", GOAL, "--model", model, "--solver", "no_data_guess")
    if printed:
        assert done.exit_code == 0, done.output
        assert f"Hypothesis: {printed}" in done.output
    else:
        assert done.exit_code == 1, done.output
        assert "Hypothesis" not in done.output
        assert "Error: nothing was submitted" in done.output


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
    done = invoke(*arguments)
    assert done.exit_code == 2, done.output
    assert line in done.output
    assert "Traceback" not in done.output
