"""`discoverybench ask`: what it prints is what the scorer would read."""

import json
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.command_line import completed, failed, lab, refused
from tests.endpoint import tool_call

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
ASK = f"ask --metadata {STUDY} --sandbox local"
BASELINE = f"{ASK} --model discoverybench/baseline --solver codegen"
GOAL = "'How do visitors depend on the height of the tower?'"


def test_a_goal_with_a_gold_hypothesis_is_scored_with_the_requested_hints() -> None:
    study = json.loads(STUDY.read_text("utf-8"))
    [query, *_] = study["queries"]
    goal = query["question"].upper()
    hints = "--domain-knowledge --workflow-tags"
    output = completed(f"{BASELINE} --grader discoverybench/lexical {hints} --goal ' {goal}\n'")
    assert "Workflow: Rule-based baseline" in output
    assert "HMS " in output

    [info] = list_eval_logs("logs")
    arguments = read_eval_log(info).eval.task_args
    assert arguments["domain_knowledge"] is True


def test_the_submitted_hypothesis_is_printed_without_escape_sequences() -> None:
    """A terminal would execute them."""
    answer = tool_call("submit", hypothesis="Visitors \x1b]52;c;Zm9v\x07rise.", workflow="w")
    with lab(lambda _: answer) as (model, _):
        output = completed(f"{ASK} --goal {GOAL} --model {model} --solver no_data_guess")
    assert "Hypothesis: Visitors ]52;c;Zm9vrise." in output
    assert "HMS" not in output


def test_an_agent_that_submits_nothing_is_an_error() -> None:
    answer = tool_call("python", "Let me look at the data first.", code="1")
    with lab(lambda _: answer) as (model, _):
        output = failed(f"{ASK} --goal {GOAL} --model {model} --solver no_data_guess")
    assert "Error: nothing was submitted" in output


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--goal '  '", "goal is empty"),
        ("--goal Why --solver genius", "discoverybench/genius"),
        ("--goal Why --model openai/gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_invalid_arguments_are_refused(options: str, line: str) -> None:
    assert line in refused(f"{BASELINE} {options}")
