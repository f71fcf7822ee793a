"""What models write as arguments of `submit`, through Inspect's own execution of tools."""

from typing import Any

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.model import ModelOutput
from inspect_ai.tool import ToolDef

from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.submission import submit as submit_tool
from inspect_discoverybench.solvers.wording import Wording
from inspect_discoverybench.submission.answer import PLACEHOLDERS
from inspect_discoverybench.submission.submission import MAX_CHARACTERS, Submission
from tests.solvers.scripted import calls, model_events, play, submission, submit

H = "In all rows, y rises with x."
LONG = "step " * 3_000  # 15,000 characters
PARTS = {"context": "all rows", "variables": ["x", "y"], "relationship": "y rises"}

CALLS: dict[str, tuple[dict[str, Any], Submission]] = {
    "workflow null": (
        {"hypothesis": H, "workflow": None},
        Submission(hypothesis=H),
    ),
    "lists": (
        {"hypothesis": [H, "z falls."], "workflow": ["load", "fit"]},
        Submission(hypothesis=f"{H}\nz falls.", workflow="load\nfit"),
    ),
    "both too long": (
        {"hypothesis": LONG, "workflow": LONG},
        Submission(hypothesis=LONG[:MAX_CHARACTERS], workflow=LONG[:MAX_CHARACTERS]),
    ),
    "capitals and another key": (
        {"Hypothesis": H, "Workflow": "w", "confidence": 0.9},
        Submission(hypothesis=H, workflow="w"),
    ),
    # In the workflow, a tab also stands before a digit, and the `\r` before a line break, so they begin no LaTeX. In
    # calls, `\n` is always a line break.
    "LaTeX whose backslashes were read as escapes": (
        {"hypothesis": "In all rows, \beta = 2, \frac{1}{2} \times \rho.", "workflow": "1. load\nfit\t3\tb\r\nread"},
        Submission(
            hypothesis=r"In all rows, \beta = 2, \frac{1}{2} \times \rho.", workflow="1. load\nfit\t3\tb\r\nread"
        ),
    ),
    "a mapping": (
        {"hypothesis": PARTS},
        Submission(hypothesis="context: all rows\nvariables: x, y\nrelationship: y rises"),
    ),
}
"""Arguments as models write them, and what is submitted."""


@pytest.mark.parametrize("name", CALLS)
def test_each_call_is_submitted_as_text(name: str) -> None:
    arguments, expected = CALLS[name]
    sample = play([submit(**arguments)], no_data_guess(), score=False)
    assert submission(sample) == expected


def test_the_log_contains_the_original_and_the_normalized_call() -> None:
    written = {"Hypothesis": [H], "p": 0.1, "workflow": LONG}
    sample = play([submit(**written)], no_data_guess(), score=False)
    [original] = calls(sample)[0].output.message.tool_calls or []
    assert original.arguments == written
    [event] = [event for event in sample.events if isinstance(event, ToolEvent)]
    assert event.arguments == {"hypothesis": H, "workflow": LONG}
    # The space at the end of LONG does not count.
    notice = "[The workflow had 14,999 characters. Only the first 10,000 were submitted.]"
    assert str(event.result).endswith(notice)


REFUSED: dict[str, ModelOutput] = {
    "no arguments": submit(),
    "white space": submit(hypothesis=" \n", workflow="w"),
    **{placeholder: submit(hypothesis=f" {placeholder}\n", workflow="w") for placeholder in PLACEHOLDERS},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_plainly_no_hypothesis_is_refused_and_submit_can_be_called_again(name: str) -> None:
    arguments = {"hypothesis": H, "workflow": "w"}
    # Models also write the tool's name with this prefix.
    again = ModelOutput.for_tool_call("mockllm/model", "functions.submit", arguments)
    sample = play([REFUSED[name], again], no_data_guess(), score=False)
    assert len(calls(sample)) == 2
    assert submission(sample) == Submission(hypothesis=H, workflow="w")


def test_the_placeholders_are_those_of_our_own_texts() -> None:
    tool = ToolDef(submit_tool())
    ours = [Wording("text").render("solvers/react_finish"), str(tool.parameters.properties["hypothesis"].description)]
    for placeholder, text in zip(PLACEHOLDERS, ours, strict=True):
        assert placeholder in text


TAKEN = [
    "[Visits rise with height on islands.]",
    "<Visits rise with height on islands.>",
    "{Visits rise with height on islands (r = 0.4).}",
    "[1] Visits rise.",
    "[state the hypothesis]",
    "N/A",
    "None",
    "See above.",
    "—",
]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("hypothesis", TAKEN)
def test_a_text_that_is_no_placeholder_is_taken_at_once_and_judged_as_it_is(hypothesis: str) -> None:
    sample = play([submit(hypothesis=hypothesis, workflow="w")], no_data_guess())
    assert len(calls(sample)) == 1
    assert submission(sample) == Submission(hypothesis=hypothesis, workflow="w")
    assert sample.scores
    assert sample.scores["HMS"].answer == hypothesis
    questions = "\n".join(event.input[-1].text for event in model_events(sample) if event.role == "grader")
    assert questions
    # The judge was not asked whether the text asserts a hypothesis.
    assert "asserted" not in questions
