"""DataVoyager: the order of roles, the review of drafts, the handling of stalls, and the model of each role."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, ModelOutput

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.datavoyager import Ledger, Role, datavoyager
from tests.solvers.scripted import (
    Turn,
    calls,
    observations,
    offered,
    play,
    python,
    scripted,
    spans,
    submit,
    submitted,
)

DRAFT = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}


def verdict(next_role: str = "coder", instruction: str = "go on", **fields: Any) -> str:
    reply = {
        "assessment": "r",
        "answered": False,
        "progress": True,
        "next": next_role,
        "instruction": instruction,
    }
    return json.dumps(reply | fields)


# The critic may name roles in any case, and writes anything where the goal is answered.
COUNT = verdict(" Coder", "count")
ANSWERED = verdict("N/A", "", answered="true")


class Team:
    """A scripted team: the critic gives these replies, the last one repeatedly; the others follow instructions."""

    def __init__(self, *replies: Turn, code: Sequence[str] = (), drafts: Sequence[str] = ()) -> None:
        self.replies = list(replies)
        self.code = list(code)
        self.drafts = list(drafts)
        self.acts = 0

    def __call__(self, messages: list[ChatMessage], must: str) -> Turn:
        if is_critic(messages):
            reply, *others = self.replies
            self.replies = others or [reply]
            return reply
        self.acts += 1
        if must == "python":
            code = self.code.pop(0) if self.code else f"print({self.acts})"
            return python(code)
        if "Draft the answer" in messages[-1].text:
            return self.drafts.pop(0) if self.drafts else json.dumps(DRAFT)
        if must == "submit":
            return submit(hypothesis="In the end, y rises with x.", workflow="1. load")
        return f"Words number {self.acts}."


def is_critic(messages: Sequence[ChatMessage]) -> bool:
    return messages[0].text.startswith("You are the critic")


def texts(messages: Sequence[ChatMessage]) -> list[str]:
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


PLAN = "planner: State"
REVISE = "planner: The"
DRAFTED = "analyst: The"
"""Turns whose instruction is a prompt."""


def test_the_critic_chooses_the_next_role_until_it_accepts_a_draft() -> None:
    team = Team(COUNT, verdict("analyst", "read"), verdict("planner", "refine"), ANSWERED)
    models = {role.value: scripted(team) for role in Role}
    sample = play(["never asked"], datavoyager(), model_roles=models)
    assert turns(sample) == [PLAN, "coder: count", "analyst: read", "planner: refine", DRAFTED]
    assert observations(sample) == ["2"]
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]

    # Each role has its own span, model and system prompt, and acts in turn with the critic.
    names = spans(sample)
    assert names[::2] == ["planner", "coder", "analyst", "planner", "analyst"]
    assert set(names[1::2]) == {"critic"}
    for name, call in zip(names, calls(sample), strict=True):
        assert call.role == name
        assert call.input[0].text.startswith(f"You are the {name}")

    state = ledger(sample)
    _, coder, _, planner, _ = state.turns
    assert coder.output.endswith("print(2)")
    assert planner.output == "Words number 4."
    assert [reply.answered for reply in state.verdicts] == [False, False, False, True, True]
    assert state.revisions == 0


def test_all_roles_see_one_conversation_with_the_assessments_of_the_critic() -> None:
    team = Team(verdict("coder", "count", assessment="No data were read."), ANSWERED)
    sample = play(team, datavoyager())
    conversations = [texts(call.input[1:]) for call in calls(sample)]
    for earlier, later in pairwise(conversations):
        assert later[: len(earlier)] == earlier
    *_, assessment, instruction = conversations[2]
    assert '"assessment":"No data were read."' in assessment
    assert instruction == "It is the coder's turn. count"


def test_a_draft_that_the_critic_sends_back_is_not_submitted() -> None:
    feedback = verdict("analyst", "Name the context.", assessment="The context is missing.")
    rejected = json.dumps(DRAFT | {"hypothesis": "y rises."})
    team = Team(ANSWERED, feedback, ANSWERED, drafts=[rejected])
    sample = play(team, datavoyager())
    assert turns(sample) == [PLAN, DRAFTED, "analyst: Name", DRAFTED]
    conversation = "\n".join(texts(sample.messages))
    assert "The context is missing." in conversation
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]


def test_an_accepted_draft_that_is_no_object_is_drafted_again() -> None:
    team = Team(ANSWERED, drafts=["y rises, I think."])
    sample = play(team, datavoyager())
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]


def test_after_the_last_turn_the_analyst_submits() -> None:
    team = Team(ANSWERED, verdict("coder", "test"), drafts=["y rises, I think."])
    sample = play(team, datavoyager(turns=1))
    assert turns(sample) == [PLAN, DRAFTED, "coder: test", "analyst: The"]
    assert submitted(sample).hypothesis == "In the end, y rises with x."
    last = calls(sample)[-1]
    assert last.tool_choice == "any"
    assert offered(last) == ["submit"]


def test_the_planner_revises_at_most_twice_after_two_turns_without_progress() -> None:
    stuck = [verdict("coder", f"try-{number}", progress=False) for number in range(8)]
    team = Team(*stuck)
    sample = play(team, datavoyager(turns=6))
    assert turns(sample)[1:-1] == [
        "coder: try-0",
        REVISE,
        "coder: try-2",
        REVISE,
        "coder: try-4",
        "coder: try-5",
    ]
    assert ledger(sample).revisions == 2


def test_roles_do_not_see_how_to_submit() -> None:
    closing_line = Prompt.load("solvers/finish").render()
    team = Team(COUNT, ANSWERED)
    sample = play(team, datavoyager())
    for call in calls(sample):
        assert closing_line not in call.input[1].text


COUNT_AGAIN = verdict("coder", "count", progress=False)
DIFFERENT = [verdict("coder", f"try-{number}") for number in range(4)]


def test_the_planner_revises_the_plan_if_an_instruction_is_repeated_without_progress() -> None:
    team = Team(COUNT, COUNT_AGAIN, ANSWERED)
    sample = play(team, datavoyager(turns=2))
    assert turns(sample)[1:3] == ["coder: count", REVISE]


def test_the_planner_revises_the_plan_if_code_is_repeated() -> None:
    team = Team(*DIFFERENT, code=["1"] * 3)
    sample = play(team, datavoyager(turns=3))
    assert turns(sample)[1:4] == ["coder: try-0", "coder: try-1", REVISE]


def test_an_instruction_may_be_repeated_with_progress() -> None:
    team = Team(COUNT, COUNT, ANSWERED)
    sample = play(team, datavoyager(turns=2))
    assert turns(sample)[1:3] == ["coder: count", "coder: count"]
    assert ledger(sample).revisions == 0


INVALID = {
    "words": "I think the coder should act.",
    "no role": verdict("critic"),
    "no instruction": verdict("coder", " "),
}


@pytest.mark.parametrize("name", INVALID)
def test_three_invalid_replies_of_the_critic_count_as_no_progress(name: str) -> None:
    team = Team(INVALID[name])
    sample = play(team, datavoyager(turns=2))
    requests = [call.input for call in calls(sample) if is_critic(call.input)]
    assert len(requests) == 6
    again = Prompt.load("solvers/datavoyager/ask_again").render()
    first, second, third = requests[:3]
    assert again not in first[-1].text
    assert again in second[-1].text
    assert again in third[-1].text
    for reply in ledger(sample).verdicts:
        assert reply.progress is False
    assert turns(sample) == [PLAN, "coder: Carry", REVISE, "analyst: The"]


def test_reasoning_is_removed_before_other_roles_read_a_message() -> None:
    team = Team(COUNT, ANSWERED)

    def reasoner(messages: list[ChatMessage], must: str) -> Turn:
        turn = team(messages, must)
        if isinstance(turn, str):
            turn = ModelOutput.from_content("mockllm/model", turn)
        reasoning = ContentReasoning(reasoning="SECRET THOUGHT", signature="of-one-provider")
        content = [reasoning, ContentText(text=turn.message.text)]
        message = turn.message.model_copy(update={"content": content})
        return ModelOutput.from_message(message)

    sample = play(reasoner, datavoyager())
    submitted(sample)
    for call in calls(sample):
        for message in call.input:
            assert "SECRET THOUGHT" not in message.model_dump_json()
