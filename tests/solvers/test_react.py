"""The ReAct solver on the demo tasks, with scripted models."""

import json
from collections.abc import Sequence

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ModelOutput

from inspect_discoverybench.solvers.react import react
from tests.solvers.scripted import (
    BOTH_FORMS,
    Turn,
    calls,
    observations,
    offered,
    play,
    python,
    submit,
    submitted,
    with_calls,
)

ANSWER = submit(hypothesis="h", workflow="w")
OBJECT = json.dumps({"hypothesis": "y rises with x.", "workflow": "read"})

REMINDER = "Your message contains no"
LAST = "This is your last"
AGAIN = "No hypothesis has been"


def prompts(sample: EvalSample) -> list[str]:
    """The first words of the messages that follow the task text, without those that show the output of code."""
    beginnings = []
    for message in sample.messages[2:]:
        if message.role == "user" and not message.metadata:
            words = message.text.split()[:4]
            beginnings.append(" ".join(words))
    return beginnings


def test_fenced_code_is_run() -> None:
    script = [python("```python\nprint('```')\n```"), ANSWER]
    sample = play(script, react())
    assert observations(sample) == ["```"]


@pytest.mark.parametrize("text", [OBJECT, "Shall I go on?"])
def test_a_text_instead_of_a_call_gets_a_reminder_even_if_it_is_an_answer(text: str) -> None:
    # A call stands between the texts, because a second text in a row would lead to the last call.
    script: list[Turn] = [text, python("1"), text, ANSWER]
    sample = play(script, react())
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [REMINDER, REMINDER]


def test_after_two_texts_instead_of_the_forced_call_the_answer_is_read_from_the_texts() -> None:
    script = [
        "I look.",
        "I look.",  # the second text in a row, so the next call is the last one, and must submit
        "Done.",  # no call, so the submission is requested once more
        OBJECT,
    ]
    sample = play(script, react())
    assert prompts(sample) == [REMINDER, LAST, AGAIN]
    assert len(calls(sample)) == 4
    assert sample.scores
    score = sample.scores["HMS"]
    assert score.answer == "y rises with x."
    assert score.metadata
    assert score.metadata["submission_source"] == "object"


@BOTH_FORMS
@pytest.mark.parametrize("turns", [1, 4])
def test_turns_is_the_number_of_model_calls_and_the_last_is_forced(turns: int, form: str) -> None:
    def busy(messages: Sequence[ChatMessage], required: str) -> ModelOutput:
        return ANSWER if required == "submit" else python("1")

    sample = play(busy, react(turns=turns, actions=form))
    assert len(calls(sample)) == turns
    if form == "calls":
        last = calls(sample)[-1]
        assert last.tool_choice == "any"
        assert offered(last) == ["submit"]
    assert len(observations(sample)) == turns - 1
    assert submitted(sample).hypothesis == "h"
    assert prompts(sample) == [LAST]


def test_the_first_of_two_submissions_in_one_turn_counts() -> None:
    first, second = submit(hypothesis="first", workflow="w"), submit(hypothesis="second", workflow="w")
    script = [with_calls(first, second)]
    sample = play(script, react())
    assert submitted(sample).hypothesis == "first"


def test_all_code_of_a_turn_is_run_and_an_answer_beside_it_does_not_count() -> None:
    """The model wrote the answer without having seen the output."""
    invented = submit(hypothesis="invented", workflow="w")
    two_cells = with_calls(python("x = 2"), python("x + 1"), invented)
    sample = play([two_cells, ANSWER], react())
    assert observations(sample) == ["[No output.]", "3"]
    assert submitted(sample).hypothesis == "h"


# Code that fails without its traceback being shown.
SILENT = {
    "the stream is replaced": "import sys\nsys.__stderr__ = open('/dev/null', 'w')\n1 / 0",
    "the descriptor is closed": "import os\nos.close(2)\n1 / 0",
    "nothing prints tracebacks": "import traceback\ntraceback.print_exception = None\n1 / 0",
    "white space": "import sys\nprint(' ')\nsys.__stderr__ = open('/dev/null', 'w')\n1 / 0",
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_code_that_fails_without_output_is_said_to_have_failed(code: str) -> None:
    sample = play([python(code), ANSWER], react())
    assert observations(sample) == ["[The code failed without output.]"]
