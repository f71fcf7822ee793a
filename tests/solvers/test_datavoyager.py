"""DataVoyager: the order of roles, the review of drafts, the handling of stalls, and the model of each role.

The scripts name the turns of all roles in order: the planner's, then the critic's and that of the role it chose.
"""

import json
from itertools import pairwise

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, ModelOutput

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.datavoyager import Ledger, Role, datavoyager
from tests.solvers.scripted import (
    BOTH_FORMS,
    Turn,
    calls,
    observations,
    offered,
    output_of,
    play,
    python,
    scripted,
    spans,
    submit,
    submitted,
    verdict,
)

HYPOTHESIS = "In all rows, y rises with x."

PLANNED = "1. Count the rows."
CODE = python("print(2)")
WORKED = "I have done it."
"""A turn of any role, without code."""

DRAFT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "1. load"})
SUBMITTED = submit(hypothesis=HYPOTHESIS, workflow="1. load")

# The critic may name roles in any case, and writes anything where the goal is answered.
COUNT = verdict(" Coder", "count")
ANSWERED = verdict("N/A", "", answered="true")
"""The critic's verdict after which the analyst drafts the submission."""

ACCEPTED = ANSWERED
"""The critic's review of a draft that it accepts."""


def texts(messages: list[ChatMessage]) -> list[str]:
    return [message.text for message in messages]


def ledger(sample: EvalSample) -> Ledger:
    return sample.store_as(Ledger)


def turns(sample: EvalSample) -> list[str]:
    """The role of each turn but those of the critic, and the first word of its instruction."""
    shown = []
    for turn in ledger(sample).turns:
        word, _, _ = turn.instruction.partition(" ")
        shown.append(f"{turn.role}: {word}")
    return shown


# Turns whose instruction is a prompt, by its first word.
PLAN_TURN = "planner: State"
REVISION_TURN = "planner: The"
CODE_FIRST_TURN = "coder: The"
"""The coder's turn after a draft that came before any code."""

DRAFT_TURN = "analyst: The"
FORCED_TURN = "analyst: The"
"""The analyst's last turn, in which it must submit. Its prompt begins with the same word as that of the draft."""


def test_the_critic_chooses_the_next_role_until_it_accepts_a_draft() -> None:
    moves: list[Turn] = [
        PLANNED,
        COUNT,
        python("print(2)"),
        verdict("analyst", "read"),
        "There are two.",
        verdict("planner", "refine"),
        PLANNED,
        ANSWERED,
        DRAFT,
        ACCEPTED,
    ]
    remaining = iter(moves)

    def next_move(messages: list[ChatMessage], required: str) -> Turn:
        return next(remaining)

    models = {role.value: scripted(next_move) for role in Role}
    sample = play(["never asked"], datavoyager(), model_roles=models)
    assert turns(sample) == [
        PLAN_TURN,
        "coder: count",
        "analyst: read",
        "planner: refine",
        DRAFT_TURN,
    ]
    assert observations(sample) == ["2"]
    assert submitted(sample).hypothesis == HYPOTHESIS
    answered = [reply.answered for reply in ledger(sample).verdicts]
    assert answered == [False, False, False, True, True]

    # Each role has its own span, model and system prompt, and acts in turn with the critic.
    names = spans(sample)
    assert names[::2] == ["planner", "coder", "analyst", "planner", "analyst"]
    assert set(names[1::2]) == {"critic"}
    for name, call in zip(names, calls(sample), strict=True):
        assert call.role == name
        assert call.input[0].text.startswith(f"You are the {name}")


def test_all_roles_see_one_conversation_with_the_assessments_of_the_critic() -> None:
    assessed = verdict("coder", "count", assessment="No data were read.")
    script = [PLANNED, assessed, WORKED, ANSWERED, DRAFT, ACCEPTED]
    sample = play(script, datavoyager())
    conversations = [texts(call.input[1:]) for call in calls(sample)]
    for earlier, later in pairwise(conversations):
        assert later[: len(earlier)] == earlier
    _of_planner, _of_critic, of_coder, *_ = conversations
    *_, assessment, instruction = of_coder
    assert '"assessment":"No data were read."' in assessment
    assert instruction == "It is the coder's turn. count"

    # No role reads how to submit in the task text.
    task_text = conversations[0][0]
    closing_line = Prompt.load("solvers/finish").render()
    assert closing_line not in task_text


def test_a_draft_that_the_critic_sends_back_is_not_submitted() -> None:
    feedback = verdict("analyst", "Name the context.", assessment="The context is missing.")
    first_draft = json.dumps({"hypothesis": "y rises."})
    script: list[Turn] = [PLANNED, COUNT, CODE, ANSWERED, first_draft, feedback, WORKED, ANSWERED, DRAFT, ACCEPTED]
    sample = play(script, datavoyager())
    assert turns(sample) == [PLAN_TURN, "coder: count", DRAFT_TURN, "analyst: Name", DRAFT_TURN]
    assert submitted(sample).hypothesis == HYPOTHESIS


def test_if_an_accepted_draft_is_not_a_json_object_the_analyst_must_submit() -> None:
    script: list[Turn] = [PLANNED, COUNT, CODE, ANSWERED, "The answer: y rises.", ACCEPTED, SUBMITTED]
    sample = play(script, datavoyager())
    assert turns(sample) == [PLAN_TURN, "coder: count", DRAFT_TURN, FORCED_TURN]
    assert len(calls(sample)) == len(script)
    assert submitted(sample).hypothesis == HYPOTHESIS


@BOTH_FORMS
def test_after_a_first_draft_without_any_code_the_coder_acts_instead_of_a_review(form: str) -> None:
    script: list[Turn] = [PLANNED, ANSWERED, DRAFT, CODE, ANSWERED, DRAFT, ACCEPTED]
    sample = play(script, datavoyager(actions=form))
    assert turns(sample) == [PLAN_TURN, DRAFT_TURN, CODE_FIRST_TURN, DRAFT_TURN]
    assert observations(sample) == ["2"]
    assert submitted(sample).hypothesis == HYPOTHESIS
    assert len(calls(sample)) == len(script)  # the first draft was not reviewed


def test_a_second_draft_is_reviewed_even_if_no_code_was_run() -> None:
    script: list[Turn] = [PLANNED, ANSWERED, DRAFT, "I write no code.", ANSWERED, DRAFT, ACCEPTED]
    sample = play(script, datavoyager())
    assert turns(sample) == [PLAN_TURN, DRAFT_TURN, CODE_FIRST_TURN, DRAFT_TURN]
    assert len(calls(sample)) == len(script)  # the second draft was reviewed, and the first was not
    # The critic has accepted the draft, a JSON object, so the analyst did not have to call `submit`.
    assert submitted(sample).source == "object"


def test_after_an_early_draft_in_the_last_turn_the_coder_acts_and_the_analyst_submits() -> None:
    sample = play([PLANNED, ANSWERED, DRAFT, CODE, SUBMITTED], datavoyager(turns=1))
    # Only the draft counts as a turn: not the plan, the coder's turn in place of a review, or the forced submission.
    assert turns(sample) == [PLAN_TURN, DRAFT_TURN, CODE_FIRST_TURN, FORCED_TURN]
    assert observations(sample) == ["2"]
    assert submitted(sample).hypothesis == HYPOTHESIS


def test_all_turns_fit_into_the_message_limit_of_the_tasks() -> None:
    def busy(messages: list[ChatMessage], required: str) -> Turn:
        if required == "submit":
            return SUBMITTED
        if required == "python":
            return python("print(2)")
        # A new instruction each time: for a repeated one, the plan might be revised.
        return verdict("coder", f"count {len(messages)}")

    sample = play(busy, datavoyager())  # in the demo, whose message limit is that of all tasks
    assert len(ledger(sample).verdicts) == 20  # the default of `turns`
    assert submitted(sample).hypothesis == HYPOTHESIS


def test_with_a_full_context_window_the_analyst_submits() -> None:
    full = ModelOutput.from_content("mockllm/model", "too long", stop_reason="model_length")
    sample = play([PLANNED, COUNT, full, SUBMITTED], datavoyager())
    assert turns(sample) == [PLAN_TURN, "coder: count", FORCED_TURN]
    assert submitted(sample).hypothesis == HYPOTHESIS


def test_after_the_last_turn_the_analyst_submits() -> None:
    script: list[Turn] = [PLANNED, COUNT, WORKED, SUBMITTED]
    sample = play(script, datavoyager(turns=1))
    assert turns(sample) == [PLAN_TURN, "coder: count", FORCED_TURN]
    assert submitted(sample).hypothesis == HYPOTHESIS
    last = calls(sample)[-1]
    assert last.tool_choice == "any"
    assert offered(last) == ["submit"]


def test_after_two_turns_without_progress_the_planner_revises_but_only_twice() -> None:
    script: list[Turn] = [PLANNED]
    for number in range(6):
        script += [verdict("coder", f"try-{number}", progress=False), WORKED]
    script.append(SUBMITTED)
    sample = play(script, datavoyager(turns=6))
    _plan, *middle_turns, _submission = turns(sample)
    # The verdicts with try-1 and try-3 are the second ones without progress, so the planner revises instead. After two
    # revisions, the coder has all turns.
    assert middle_turns == [
        "coder: try-0",
        REVISION_TURN,
        "coder: try-2",
        REVISION_TURN,
        "coder: try-4",
        "coder: try-5",
    ]


@pytest.mark.parametrize("progress", [False, True])
def test_the_planner_revises_the_plan_if_an_instruction_is_repeated_without_progress(progress: bool) -> None:
    again = verdict("coder", "count", progress=progress)
    script: list[Turn] = [PLANNED, COUNT, WORKED]
    for _ in range(3):
        script += [again, WORKED]  # WORKED is the planner's reply if it revises the plan, else the coder's
    script.append(SUBMITTED)
    sample = play(script, datavoyager(turns=4))
    count = "coder: count"
    # After a revision, the critic can assign the same turn again.
    expected = [count, count, count, count] if progress else [count, REVISION_TURN, count, REVISION_TURN]
    _plan, *middle_turns, _submission = turns(sample)
    assert middle_turns == expected


# Neither a text without an object, nor an assignment to the critic itself or without an instruction, is valid.
@pytest.mark.parametrize("reply", ["I think the coder should act.", verdict("critic"), verdict("coder", " ")])
def test_three_invalid_replies_of_the_critic_count_as_no_progress(reply: str) -> None:
    invalid_replies = [reply] * 3
    script: list[Turn] = [PLANNED, *invalid_replies, WORKED, *invalid_replies, WORKED, SUBMITTED]
    sample = play(script, datavoyager(turns=2))
    # The first time, the coder is told to carry out the next step of the plan. The second time, the planner revises.
    assert turns(sample) == [PLAN_TURN, "coder: Carry", REVISION_TURN, FORCED_TURN]
    again = Prompt.load("solvers/datavoyager/ask_again").render()
    asked_again = [again in call.input[-1].text for call in calls(sample)]
    # The first call is the planner's, and the next three are the critic's.
    assert asked_again[1:4] == [False, True, True]


def with_thought(turn: Turn) -> ModelOutput:
    """A turn with reasoning that only its provider accepts."""
    output = output_of(turn)
    thought = ContentReasoning(reasoning="SECRET THOUGHT", signature="of-one-provider")
    text = ContentText(text=output.message.text)
    output.message.content = [thought, text]
    return output


def test_reasoning_is_removed_before_other_roles_read_a_message() -> None:
    script: list[Turn] = [PLANNED, COUNT, python("1"), ANSWERED, DRAFT, ACCEPTED]
    script = [with_thought(turn) for turn in script]
    sample = play(script, datavoyager())
    assert submitted(sample).hypothesis == HYPOTHESIS
    for call in calls(sample):
        for message in call.input:
            assert "SECRET THOUGHT" not in message.model_dump_json()
