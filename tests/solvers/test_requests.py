"""Everything that the requests of each agent hold, in both forms, as golden files to read for contradictions.

To accept a change of wording, see CONTRIBUTING.md.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from inspect_ai.event import ModelEvent
from inspect_ai.model import ChatMessage

from tests.solvers.agents import AGENTS
from tests.solvers.scripted import BOTH_FORMS, Turn, play, python, submit, verdict
from tests.solvers.scripted import calls as agent_calls

GOLDEN = Path(__file__).parents[1] / "golden" / "requests"

ANSWER = submit(hypothesis="In all rows, y rises with x.", workflow="1. load")
DRAFT = json.dumps({"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"})
LOOK = python("print(6 * 7)")
COUNT = verdict("coder", "Count the rows.")
STALLED = verdict("coder", "Count the rows.", progress=False)
ANSWERED = verdict("coder", "", answered=True)

SCRIPTS: dict[str, list[Turn]] = {
    # An answer too early, code, two texts without an action, and two last calls.
    "react": [DRAFT, LOOK, "I think.", "I think so.", "I submit.", ANSWER],
    # An answer too early, a text, the program, and a text before the answer.
    "codegen": [DRAFT, "I think.", LOOK, "I submit.", ANSWER],
    # A draft too early, code, an invalid reply of the critic, more code, and a draft that is accepted.
    "datavoyager": ["1. Count.", ANSWERED, DRAFT, LOOK, "no object", COUNT, LOOK, ANSWERED, DRAFT, ANSWERED],
    # Turns without progress, which the planner answers with a new plan, and no answer within the turns.
    "datavoyager_without_progress": ["1. Count.", STALLED, LOOK, STALLED, "1. Group.", COUNT, LOOK, ANSWER],
    "reflexion": [LOOK, ANSWER, "I was wrong.", LOOK, ANSWER],
    "no_data_guess": ["I guess.", ANSWER],
}
"""Replies of the model by the name of their golden files, which begins with that of the agent."""


@pytest.mark.usefixtures("slow")
@BOTH_FORMS
@pytest.mark.parametrize("script", SCRIPTS)
def test_requests_match_the_golden_files(script: str, form: str) -> None:
    agent, _, _ = script.partition("_without_")
    sample = play(SCRIPTS[script], AGENTS[agent](form))
    text = "\n\n".join(shown(call) for call in longest(agent_calls(sample))) + "\n"
    golden = GOLDEN / f"{script}_{form}.txt"
    if os.environ.get("DISCOVERYBENCH_ACCEPT_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")


def longest(requests: Sequence[ModelEvent]) -> list[ModelEvent]:
    """The requests that are not the beginning of a later one with the same tools."""
    kept = []
    for number, request in enumerate(requests):
        later_requests = [later for later in requests[number + 1 :] if has_same_tools(later, request)]
        begins_later = [starts_with(later.input, request.input) for later in later_requests]
        if not any(begins_later):
            kept.append(request)
    return kept


def has_same_tools(one: ModelEvent, other: ModelEvent) -> bool:
    return (one.tools, one.tool_choice) == (other.tools, other.tool_choice)


def starts_with(messages: Sequence[ChatMessage], beginning: Sequence[ChatMessage]) -> bool:
    """Whether a conversation begins with another one. Neighbouring messages of the user are one in a request."""
    return "".join(map(content, messages)).startswith("".join(map(content, beginning)))


def content(message: ChatMessage) -> str:
    return f"{message.role}\n{message.text}"


def shown(request: ModelEvent) -> str:
    """A request as a person reads it: its tools, and its messages with their calls."""
    parts = [f"######## request, tool choice {request.tool_choice}"]
    for tool in request.tools:
        arguments = [f"{key}: {value.description}" for key, value in tool.parameters.properties.items()]
        parts.append("\n".join([f"######## tool {tool.name}", tool.description, *arguments]))
    for message in request.input:
        lines = [f"######## {message.role}", message.text]
        calls = getattr(message, "tool_calls", None) or []
        lines += [f"######## call of {call.function}: {json.dumps(call.arguments)}" for call in calls]
        error = getattr(message, "error", None)
        if error:
            lines.append(error.message)
        parts.append("\n".join(lines))
    return "\n".join(parts)
