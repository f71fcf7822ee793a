"""What models write as arguments of `submit`, through Inspect's own execution of tools."""

from typing import Any

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.model import ModelOutput

from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.submission import HYPOTHESIS_DESCRIPTION
from inspect_discoverybench.submission.submission import MAX_CHARACTERS
from tests.solvers.scripted import calls, play, play_all, submission, submitted

H = "In all rows, y rises with x."
LONG = "step " * 3_000
LISTED = ["load", "fit"]

CALLS: dict[str, tuple[dict[str, Any], str, str]] = {
    # arguments, hypothesis, workflow
    "as asked": ({"hypothesis": H, "workflow": "1. load"}, H, "1. load"),
    "workflow null": ({"hypothesis": H, "workflow": None}, H, ""),
    "workflow a list": ({"hypothesis": H, "workflow": LISTED}, H, "load\nfit"),
    "workflow too long": ({"hypothesis": H, "workflow": LONG}, H, LONG[:MAX_CHARACTERS].strip()),
    "extra key": ({"hypothesis": H, "workflow": "w", "confidence": 0.9}, H, "w"),
    "capitals": ({"Hypothesis": H, "Workflow": "w"}, H, "w"),
    "hypothesis a mapping": (
        {"hypothesis": {"context": "all rows", "variables": ["x", "y"], "relationship": "y rises"}, "workflow": "w"},
        "context: all rows\nvariables: x, y\nrelationship: y rises",
        "w",
    ),
    "hypothesis a list": ({"hypothesis": [H, "z falls."], "workflow": "w"}, f"{H}\nz falls.", "w"),
    "white space around it": ({"hypothesis": f"\n  {H}\n", "workflow": "\tw "}, H, "w"),
    "half a character": ({"hypothesis": "y \ud83d rises.", "workflow": None}, "y ? rises.", ""),
}


def call(arguments: dict[str, Any], content: str = "", function: str = "submit") -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", function, arguments, content=content or None)


def unparsed(raw: str) -> ModelOutput:
    """A call as providers return it whose arguments are not JSON."""
    output = call({}, " ")
    [tool_call] = output.message.tool_calls or []
    tool_call.parse_error = f"Error parsing the following tool call arguments:\n\n{raw}\n\nError details: Expecting"
    return output


def test_each_call_is_submitted_as_text() -> None:
    scripts = {name: [call(arguments)] for name, (arguments, _, _) in CALLS.items()}
    samples = play_all(scripts, react(turns=2), score=False)
    submissions = {name: submission(sample) for name, sample in samples.items()}
    assert {name: answer and (answer.hypothesis, answer.workflow) for name, answer in submissions.items()} == {
        name: (hypothesis, workflow) for name, (_, hypothesis, workflow) in CALLS.items()
    }
    assert {answer and answer.source for answer in submissions.values()} == {"call"}


def test_the_log_contains_the_original_and_the_normalized_call() -> None:
    sample = play([call({"Hypothesis": [H], "p": 0.1, "workflow": LONG})], react(turns=2))
    [request] = [event for event in sample.events if isinstance(event, ModelEvent) and event.role != "grader"]
    assert request.output.message.tool_calls
    assert request.output.message.tool_calls[0].arguments == {"Hypothesis": [H], "p": 0.1, "workflow": LONG}
    [tool_event] = [event for event in sample.events if isinstance(event, ToolEvent)]
    assert tool_event.arguments == {"hypothesis": H, "workflow": LONG}
    notice = "[The workflow had 14,999 characters. Only the first 10,000 were submitted.]"
    assert str(tool_event.result).endswith(notice)


REFUSED: dict[str, ModelOutput] = {
    "cut off": unparsed(f'{{"hypothesis": "{H}", "workflow": "w'),
    "no arguments": call({}),
    "empty": call({"hypothesis": " "}),
    "placeholder": call({"hypothesis": "<hypothesis>", "workflow": "N/A"}),
    "the parameter's description": call({"hypothesis": HYPOTHESIS_DESCRIPTION}),
    "the parameter's schema": call({"hypothesis": {"type": "string", "description": HYPOTHESIS_DESCRIPTION}}),
}


def test_what_is_plainly_no_hypothesis_is_refused_and_can_be_called_again() -> None:
    solver = no_data_guess()
    # The name of the tool can have another form.
    right = call({"hypothesis": H, "workflow": "w"}, function="functions.submit")
    for name, sample in play_all({name: [output, right] for name, output in REFUSED.items()}, solver).items():
        assert submitted(sample).hypothesis == H, name
    for name, sample in play_all({name: [output] for name, output in REFUSED.items()}, solver, score=False).items():
        assert submission(sample) is None, name
        assert len(calls(sample)) == 2, name
