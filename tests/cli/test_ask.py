"""`discoverybench ask`: what it prints is what the scorer would read."""

from pathlib import Path

import pytest
from click.testing import Result

from tests.command_line import completed, discoverybench, lab, refused
from tests.endpoint import Answer, tool_call
from tests.experiment.experiments import logs

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
ASK = f"ask --metadata {STUDY} --sandbox local"
BASELINE = f"{ASK} --model discoverybench/baseline --solver codegen"


def asked(answer: Answer) -> Result:
    """The result for a model that always gives this answer, on a goal without a gold hypothesis."""
    with lab(lambda _: answer) as (model, _):
        return discoverybench(f"{ASK} --goal 'Why so tall?' --model {model} --solver no_data_guess")


def test_a_goal_with_a_gold_hypothesis_is_scored_with_the_requested_hints() -> None:
    """The goal is found whatever its case and the space around it."""
    goal = "' HOW DOES THE NUMBER OF VISITORS DEPEND ON THE HEIGHT OF THE TOWER, ON ISLANDS AND ON THE MAINLAND?\n'"
    hints = "--domain-knowledge"
    output = completed(f"{BASELINE} --grader discoverybench/lexical {hints} --goal {goal}")
    assert "Workflow: Rule-based baseline" in output
    assert "HMS " in output

    [log] = logs("logs")
    arguments = log.eval.task_args
    assert arguments["domain_knowledge"] is True


def test_the_submitted_hypothesis_is_printed_without_escape_sequences() -> None:
    """A terminal would execute them."""
    answer = tool_call("submit", hypothesis="Visitors \x1b]52;c;Zm9v\x07rise.", workflow="w")
    result = asked(answer)
    assert result.exit_code == 0
    assert "Hypothesis: Visitors ]52;c;Zm9vrise." in result.output
    assert "HMS" not in result.output


def test_an_agent_that_submits_nothing_is_an_error() -> None:
    answer = tool_call("python", "Let me look at the data first.", code="1")
    result = asked(answer)
    assert result.exit_code == 1
    assert "Error: nothing was submitted" in result.output


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--goal '  '", "is empty or not one text"),
        ("--goal Why --solver genius", "discoverybench/genius"),
        ("--goal Why --model openai/gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_invalid_arguments_are_refused(options: str, line: str) -> None:
    message = refused(f"{BASELINE} {options}")
    assert line in message
