"""The ReAct solver on the demo tasks, with scripted models."""

import json
from collections.abc import Sequence

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput
from inspect_ai.tool import ToolFunction

from inspect_discoverybench.session.session import SessionState
from inspect_discoverybench.solvers.react import react
from tests.solvers import scripted
from tests.solvers.scripted import (
    Script,
    calls,
    judged,
    observations,
    python,
    reason,
    submit,
    submitted,
    with_calls,
)


def play(script: Script, turns: int = 25) -> EvalSample:
    return scripted.play(script, react(turns=turns))


def test_variables_are_kept_until_the_submission() -> None:
    sample = play(
        [
            python("import pandas as pd\ndata = pd.read_csv('data.csv')\nlen(data)"),
            python("data.shape[1] > 3"),
            submit(hypothesis="In all rows, y rises with x.", workflow="1. load"),
        ]
    )
    assert int(observations(sample)[0]) > 100
    assert observations(sample)[1] == "True"
    assert submitted(sample).hypothesis == "In all rows, y rises with x."
    assert sample.store_as(SessionState).cells == 2
    assert judged(sample)


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


def test_a_second_text_in_a_row_leads_to_the_forced_call() -> None:
    sample = play(["I look.", "I look.", submit(hypothesis="h", workflow="w")])
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [REMINDER, LAST]
    last = calls(sample)[-1]
    assert [tool.name for tool in last.tools] == ["submit"]
    assert last.tool_choice == ToolFunction(name="submit")


def test_text_in_reply_to_the_forced_call_is_requested_again_and_then_read() -> None:
    sample = play(["I look.", "I look.", "Done.", OBJECT])
    assert prompts(sample) == [REMINDER, LAST, AGAIN]
    assert len(calls(sample)) == 4
    assert sample.scores
    assert sample.scores["HMS"].answer == "y rises with x."
    assert (sample.scores["HMS"].metadata or {})["submission_source"] == "object"


def test_a_question_in_reply_to_the_forced_call_is_no_answer() -> None:
    sample = play(["Shall I submit my hypothesis?"])
    assert reason(sample) == "refusal"
    assert sample.scores
    assert "asserts no hypothesis" in str(sample.scores["HMS"].explanation)


@pytest.mark.parametrize("turns", [1, 4])
def test_turns_is_the_number_of_model_calls_and_the_last_is_forced(turns: int) -> None:
    def must_submit(messages: Sequence[ChatMessage], must: str) -> ModelOutput:
        return submit(hypothesis="h", workflow="w") if must == "submit" else python("1")

    sample = play(must_submit, turns)
    assert len(calls(sample)) == turns
    assert len(observations(sample)) == turns - 1
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [LAST]


def test_the_first_of_two_submissions_in_one_turn_counts() -> None:
    sample = play([with_calls(submit(hypothesis="first", workflow="w"), submit(hypothesis="second", workflow="w"))])
    assert submitted(sample).hypothesis == "first"
