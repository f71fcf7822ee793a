"""What models write as arguments of `submit`, through Inspect's own execution of tools."""

from typing import Any

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.tool import ToolCall

from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.submission import HYPOTHESIS_DESCRIPTION
from inspect_discoverybench.submission.submission import MAX_CHARACTERS
from tests.solvers.scripted import calls, play, play_all, submission, submit, submitted

H = "In all rows, y rises with x."
LONG = "step " * 3_000
PARTS = {"context": "all rows", "variables": ["x", "y"], "relationship": "y rises"}

CALLS: dict[str, tuple[dict[str, Any], str, str]] = {
    # arguments, hypothesis, workflow
    "as asked": ({"hypothesis": H, "workflow": "1. load"}, H, "1. load"),
    "workflow null": ({"hypothesis": H, "workflow": None}, H, ""),
    "lists": ({"hypothesis": [H, "z falls."], "workflow": ["load", "fit"]}, f"{H}\nz falls.", "load\nfit"),
    "workflow too long": ({"hypothesis": H, "workflow": LONG}, H, LONG[:MAX_CHARACTERS].strip()),
    "capitals and another key": ({"Hypothesis": H, "Workflow": "w", "confidence": 0.9}, H, "w"),
    "a mapping": ({"hypothesis": PARTS}, "context: all rows\nvariables: x, y\nrelationship: y rises", ""),
    "white space and half a character": (
        {"hypothesis": "\n  y \ud83d rises.\n", "workflow": "\tw "},
        "y ? rises.",
        "w",
    ),
}


def test_each_call_is_submitted_as_text() -> None:
    scripts = {}
    for name, (arguments, _, _) in CALLS.items():
        scripts[name] = [submit(**arguments)]
    for name, sample in play_all(scripts, no_data_guess(), score=False).items():
        _, hypothesis, workflow = CALLS[name]
        answer = submitted(sample)
        assert answer.hypothesis == hypothesis, name
        assert answer.workflow == workflow, name
        assert answer.source == "call"


def first_call(sample: EvalSample) -> ToolCall:
    """The first call as the model wrote it."""
    message = calls(sample)[0].output.message
    assert message.tool_calls
    return message.tool_calls[0]


def test_the_log_contains_the_original_and_the_normalized_call() -> None:
    written = {"Hypothesis": [H], "p": 0.1, "workflow": LONG}
    sample = play([submit(**written)], no_data_guess())
    assert first_call(sample).arguments == written
    [event] = [event for event in sample.events if isinstance(event, ToolEvent)]
    assert event.arguments == {"hypothesis": H, "workflow": LONG}
    notice = "[The workflow had 14,999 characters. Only the first 10,000 were submitted.]"
    assert str(event.result).endswith(notice)


def cut_off() -> ModelOutput:
    """A call as providers return it whose arguments are not JSON."""
    output = submit()
    assert output.message.tool_calls
    output.message.tool_calls[0].parse_error = "Error parsing the following tool call arguments"
    return output


REFUSED: dict[str, ModelOutput] = {
    "cut off": cut_off(),
    "no arguments": submit(),
    "empty": submit(hypothesis=" "),
    "placeholder": submit(hypothesis="<hypothesis>", workflow="N/A"),
    "the parameter's description": submit(hypothesis=HYPOTHESIS_DESCRIPTION),
    "the parameter's schema": submit(hypothesis={"type": "string", "description": HYPOTHESIS_DESCRIPTION}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_plainly_no_hypothesis_is_refused(name: str) -> None:
    sample = play([REFUSED[name]], no_data_guess(), score=False)
    assert submission(sample) is None
    assert len(calls(sample)) == 2


def test_after_a_refusal_submit_can_be_called_again_by_another_form_of_its_name() -> None:
    arguments = {"hypothesis": H, "workflow": "w"}
    right = ModelOutput.for_tool_call("mockllm/model", "functions.submit", arguments)
    sample = play([submit(), right], no_data_guess())
    assert submitted(sample).hypothesis == H
