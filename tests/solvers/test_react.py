"""The ReAct solver on the demo tasks, with scripted models."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput

from inspect_discoverybench.session.session import SessionState
from inspect_discoverybench.solvers.react import react
from tests.solvers import playing
from tests.solvers.playing import Turn, judged, observations, python, submission, submit, submitted


def play(turns: Sequence[Turn], *, most: int = 25, **options: Any) -> EvalSample:
    return playing.play(turns, react(turns=most), **options)


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
    assert submitted(sample).source == "submit"
    assert sample.messages[-1].role == "tool"
    assert sample.store_as(SessionState).cells == 2
    assert judged(sample)


def test_errors_in_code_are_shown_to_the_agent() -> None:
    sample = play([python("1/0"), submit(hypothesis="h", workflow="w")])
    assert "ZeroDivisionError" in observations(sample)[0]
    assert submitted(sample).hypothesis == "h"


def test_the_agent_continues_after_the_kernel_dies() -> None:
    sample = play(
        [python("x = 1"), python("import os; os._exit(1)"), python("x"), submit(hypothesis="h", workflow="w")]
    )
    assert "All variables are lost" in observations(sample)[1]
    assert observations(sample)[2].startswith("[The previous session ended, so this call ran in a new one")
    assert sample.store_as(SessionState).restarts == 1


def test_fenced_code_is_run() -> None:
    sample = play([python("```python\n6 * 7\n```"), submit(hypothesis="h", workflow="w")])
    assert observations(sample) == ["42"]


def test_python_calls_are_shown_as_code() -> None:
    sample = play([python("print('```')"), submit(hypothesis="**h**", workflow="w")])
    call = next(e for e in sample.events if isinstance(e, ToolEvent) and e.function == "python")
    assert call.view
    assert call.view.format == "markdown"
    assert call.view.content == "````python\nprint('```')\n````\n"


def test_a_message_without_a_call_gets_one_reminder() -> None:
    sample = play(["I will look at the data.", submit(hypothesis="h", workflow="w")])
    reminders = [m for m in sample.messages if isinstance(m, ChatMessageUser)][1:]
    assert len(reminders) == 1
    assert reminders[0].text.startswith("Your message did not call a tool.")


def test_an_answer_in_text_is_read_and_ends_the_run() -> None:
    answer = json.dumps({"hypothesis": "y rises with x.", "workflow": "read"})
    sample = play([answer, "As I said above, I have submitted my answer."])
    assert sum(isinstance(m, ChatMessageAssistant) for m in sample.messages) == 1
    assert submission(sample) is None
    assert sample.scores
    assert sample.scores["HMS"].answer == "y rises with x."
    assert judged(sample)


@pytest.mark.parametrize(
    "answer",
    [
        "## Hypothesis\n\n**y rises with x.**\n\n## Workflow\nread",
        "**Hypothesis:**\n\n**Context:** all rows\n**Relationship:** y rises with x.",
        "1. **Hypothesis**: y rises with x.\n2. **Workflow**: read",
        "FINAL HYPOTHESIS: y rises with x.",
    ],
)
def test_a_labelled_answer_ends_the_run(answer: str) -> None:
    sample = play([answer, "As I said above, I have submitted my answer."])
    assert sum(isinstance(m, ChatMessageAssistant) for m in sample.messages) == 1
    assert sample.scores
    assert "y rises with x." in str(sample.scores["HMS"].answer)


@pytest.mark.parametrize(
    "text", ["Initial hypothesis: y rises with x. I will test it.", "## Hypothesis testing\nNext."]
)
def test_an_early_hypothesis_does_not_end_the_run(text: str) -> None:
    sample = play([text, submit(hypothesis="h", workflow="w")])
    assert submitted(sample).hypothesis == "h"


@pytest.mark.parametrize(
    "plan",
    [
        "**Hypothesis:** to be tested with the data\n\nLet me load the data first.",
        "**Hypothesis:** y rises with x.\n\nI\u2019ll check this in the data.",
        "**Hypothesis:** y rises with x.\n\n```python\nimport pandas as pd\n```",
    ],
)
def test_a_plan_on_the_first_turn_does_not_end_the_run(plan: str) -> None:
    answer = submission(play([plan, python("1"), submit(hypothesis="h", workflow="w")]))
    assert answer
    assert answer.hypothesis == "h"


@pytest.mark.parametrize("options", [{"most": 3}, {"message_limit": 6}])
def test_an_answer_in_prose_on_every_turn_is_read(options: dict[str, Any]) -> None:
    sample = play(["Among all rows, y rises with x."], **options)
    assert sample.scores
    assert sample.scores["HMS"].answer == "Among all rows, y rises with x."


LABELLED = "**Hypothesis:** y rises with x.\n\n**Workflow:** load, fit"


def test_a_labelled_answer_in_a_full_context_window_is_read() -> None:
    sample = play([ModelOutput.from_content("mockllm/model", LABELLED, stop_reason="model_length")])
    assert sample.scores
    assert sample.scores["HMS"].answer == "y rises with x."


def test_a_labelled_answer_beside_another_call_on_the_last_turn_is_read() -> None:
    sample = play([python("1", text=LABELLED)], most=2)
    assert sample.scores
    assert sample.scores["HMS"].answer == "y rises with x."


def test_a_plan_beside_a_call_is_not_a_submission() -> None:
    sample = play([python("1", text=f"{LABELLED}\n\nLet me load the data first.")], most=2)
    assert sample.scores
    assert sample.scores["HMS"].reason == "no_response"


@pytest.mark.parametrize("options", [{"most": 3}, {"message_limit": 6}])
def test_an_announcement_before_a_limit_is_not_a_submission(options: dict[str, Any]) -> None:
    sample = play(["I will now look at the data files."], **options)
    assert sample.scores
    assert sample.scores["HMS"].reason == "no_response"
    assert not judged(sample)


def test_the_run_ends_after_max_turns() -> None:
    sample = play([python("1")], most=4)
    assert len(observations(sample)) == 4
    assert sample.scores
    assert sample.scores["HMS"].reason == "no_response"
    assert not judged(sample)


@pytest.mark.parametrize(
    ("options", "limit"),
    [({"message_limit": 6}, "message"), ({"token_limit": "output:40", "tokens": 20}, "token"), ({}, None)],
)
def test_a_limit_before_the_submission_scores_0(options: dict[str, Any], limit: str | None) -> None:
    sample = play([python("1")], **options)
    assert (sample.limit.type if sample.limit else None) == limit
    assert sample.scores
    assert sample.scores["HMS"].value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
    assert sample.scores["HMS"].reason == "no_response"
    assert not judged(sample)


def test_an_empty_hypothesis_is_rejected() -> None:
    sample = play([submit(hypothesis="  ", workflow="w"), submit(hypothesis="h", workflow="w")])
    errors = [m.error.message for m in sample.messages if isinstance(m, ChatMessageTool) and m.error]
    assert errors == ["The hypothesis is empty. Submit one declarative statement."]
    assert submitted(sample).hypothesis == "h"


def test_the_first_of_two_submissions_in_one_turn_counts() -> None:
    both = submit(hypothesis="first", workflow="w")
    second = submit(hypothesis="second", workflow="w").choices[0].message.tool_calls
    assert both.choices[0].message.tool_calls
    assert second
    both.choices[0].message.tool_calls.extend(second)
    sample = play([both])
    assert submitted(sample).hypothesis == "first"


@pytest.mark.parametrize("turn", ["", ModelOutput.from_content("mockllm/model", "", stop_reason="content_filter")])
def test_empty_replies_and_refusals_have_no_submission(turn: Turn) -> None:
    sample = play([turn], most=3)
    assert sample.scores
    assert sample.scores["HMS"].reason == "no_response"
