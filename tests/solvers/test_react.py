"""The ReAct solver on the demo tasks, with scripted models."""

import json
from collections.abc import Sequence

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput
from inspect_ai.tool import ToolFunction

from inspect_discoverybench.solvers.react import react
from tests.solvers import scripted
from tests.solvers.scripted import (
    Script,
    calls,
    observations,
    python,
    submit,
    submitted,
    with_calls,
)


def play(script: Script, turns: int = 25) -> EvalSample:
    return scripted.play(script, react(turns=turns))


def test_fenced_code_is_run_and_shown_as_code() -> None:
    sample = play([python("```python\nprint('```')\n```"), submit(hypothesis="**h**", workflow="w")])
    assert observations(sample) == ["```"]
    call = next(e for e in sample.events if isinstance(e, ToolEvent) and e.function == "python")
    assert call.view
    assert call.view.content == "````python\n```python\nprint('```')\n```\n````\n"


OBJECT = json.dumps({"hypothesis": "y rises with x.", "workflow": "read"})


def prompts(sample: EvalSample) -> list[str]:
    """The first words of the messages that follow the task text."""
    messages = [message.text for message in sample.messages if isinstance(message, ChatMessageUser)][1:]
    return [" ".join(text.split()[:4]) for text in messages]


REMINDER, LAST, AGAIN = "Your message did not", "This is your last", "No hypothesis has been"


@pytest.mark.parametrize("text", [OBJECT, "Shall I go on?"])
def test_no_text_ends_a_run_and_a_first_one_gets_a_reminder(text: str) -> None:
    sample = play([text, python("1"), text, submit(hypothesis="h", workflow="w")])
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [REMINDER, REMINDER]


def test_text_in_reply_to_the_forced_call_is_requested_again_and_then_read() -> None:
    sample = play(["I look.", "I look.", "Done.", OBJECT])
    assert prompts(sample) == [REMINDER, LAST, AGAIN]
    assert len(calls(sample)) == 4
    assert sample.scores
    assert sample.scores["HMS"].answer == "y rises with x."
    assert (sample.scores["HMS"].metadata or {})["submission_source"] == "object"


@pytest.mark.parametrize("turns", [1, 4])
def test_turns_is_the_number_of_model_calls_and_the_last_is_forced(turns: int) -> None:
    def must_submit(messages: Sequence[ChatMessage], must: str) -> ModelOutput:
        return submit(hypothesis="h", workflow="w") if must == "submit" else python("1")

    sample = play(must_submit, turns)
    assert len(calls(sample)) == turns
    assert calls(sample)[-1].tool_choice == ToolFunction(name="submit")
    assert len(observations(sample)) == turns - 1
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [LAST]


def test_the_first_of_two_submissions_in_one_turn_counts() -> None:
    sample = play([with_calls(submit(hypothesis="first", workflow="w"), submit(hypothesis="second", workflow="w"))])
    assert submitted(sample).hypothesis == "first"
