"""DataVoyager: the order of roles, the review of drafts, the handling of stalls, and the model of each role."""

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, ModelOutput

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import parse_reply
from inspect_discoverybench.solvers.datavoyager import CriticReply, Ledger, Role, datavoyager
from tests.solvers.scripted import (
    Turn,
    calls,
    observations,
    play,
    python,
    scripted,
    spans,
    submit,
    submitted,
)

CRITIC = "You are the critic"
DRAFT = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}


def verdict(next_role: str | None = "coder", instruction: str | None = "go on", **fields: Any) -> str:
    answer = {"assessment": "r", "answered": False, "progress": True, "next": next_role, "instruction": instruction}
    return json.dumps(answer | fields)


ANSWERED = verdict(answered=True)


class Team:
    """A scripted team: the critic gives these replies, the last one repeatedly; the others follow instructions."""

    def __init__(self, *replies: Turn, code: Sequence[str] = (), drafts: Sequence[str] = ()) -> None:
        self.replies = list(replies)
        self.code = list(code)
        self.drafts = list(drafts)
        self.acts = 0

    def __call__(self, messages: list[ChatMessage], must: str) -> Turn:
        if messages[0].text.startswith(CRITIC):
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        self.acts += 1
        if must == "python":
            return python(self.code.pop(0) if self.code else f"print({self.acts})")
        if "Draft the answer" in messages[-1].text:
            return self.drafts.pop(0) if self.drafts else json.dumps(DRAFT)
        if must == "submit":
            return submit(hypothesis="In the end, y rises with x.", workflow="1. load")
        return f"Words number {self.acts}."


def ledger(sample: EvalSample) -> Ledger:
    return sample.store_as(Ledger)


def instructions(sample: EvalSample) -> list[str]:
    """Role and instruction of each turn but those of the critic."""
    found = []
    for message in sample.messages:
        role = (message.metadata or {}).get("role")
        if role not in (None, "critic"):
            found.append(message.text.removeprefix("It is the ").replace("'s turn. ", ": ", 1))
    return found


def test_the_critic_chooses_the_next_role_until_it_accepts_a_draft() -> None:
    team = Team(verdict("coder", "count"), verdict("analyst", "read"), verdict("planner", "refine"), ANSWERED)
    sample = play(["never asked"], datavoyager(), model_roles={role.value: scripted(team) for role in Role})
    turns = ["planner", "coder", "analyst", "planner", "analyst"]
    roles = [name for turn in turns for name in (turn, "critic")]
    assert spans(sample) == roles
    assert [call.role for call in calls(sample)] == roles
    assert [call.input[0].text.split()[3] for call in calls(sample)] == roles
    assert [[tool.name for tool in call.tools] for call in calls(sample) if call.tools] == [["python"]]
    assert instructions(sample)[1:4] == ["coder: count", "analyst: read", "planner: refine"]
    assert observations(sample) == ["2"]

    state = ledger(sample)
    assert [turn.role for turn in state.turns] == turns
    assert state.turns[1].output.endswith("print(2)")
    assert state.turns[3].output == "Words number 4."
    assert [reply.answered for reply in state.verdicts] == [False, False, False, True, True]
    assert state.revisions == 0
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]


def test_all_roles_see_one_conversation_with_the_assessments_of_the_critic() -> None:
    team = Team(verdict("coder", "count", assessment="No data were read."), ANSWERED)
    sample = play(team, datavoyager())
    conversations = [[message.text for message in call.input[1:]] for call in calls(sample)]
    for earlier, later in pairwise(conversations):
        assert later[: len(earlier)] == earlier
    coder = conversations[2]
    assert '"assessment":"No data were read."' in coder[-2]
    assert coder[-1] == "It is the coder's turn. count"


def test_a_draft_that_the_critic_sends_back_is_not_submitted() -> None:
    rejected, accepted = json.dumps(DRAFT | {"hypothesis": "y rises."}), json.dumps(DRAFT)
    feedback = verdict("analyst", "Name the context.", assessment="The context is missing.")
    team = Team(ANSWERED, feedback, ANSWERED, ANSWERED, drafts=[rejected, accepted])
    sample = play(team, datavoyager())
    assert [text.split(".")[0] for text in instructions(sample)] == [
        "planner: State what is given and what is asked, then write a numbered plan",
        "analyst: The critic finds that the results answer the goal",
        "analyst: Name the context",
        "analyst: The critic finds that the results answer the goal",
    ]
    assert any("The context is missing." in message.text for message in sample.messages)
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]


def test_after_the_last_turn_the_analyst_submits_what_was_not_accepted() -> None:
    team = Team(ANSWERED, verdict("coder", "test it"), drafts=["y rises, I think."])
    sample = play(team, datavoyager(turns=1))
    assert [turn.role for turn in ledger(sample).turns] == ["planner", "analyst", "coder", "analyst"]
    assert submitted(sample).hypothesis == "In the end, y rises with x."
    last = calls(sample)[-1]
    assert (last.tool_choice, [tool.name for tool in last.tools]) == ("any", ["submit"])


def test_an_accepted_draft_that_is_no_object_is_drafted_again() -> None:
    sample = play(Team(ANSWERED, drafts=["y rises, I think."]), datavoyager())
    assert submitted(sample).hypothesis == DRAFT["hypothesis"]


def test_the_planner_revises_at_most_twice_after_two_turns_without_progress() -> None:
    stuck = [verdict("coder", f"try {number}", progress=False) for number in range(12)]
    sample = play(Team(*stuck), datavoyager(turns=8))
    revise = Prompt.load("solvers/datavoyager/revise").render()
    acts = ["revise" if revise in text else text for text in instructions(sample)]
    later = [f"coder: try {number}" for number in range(4, 8)]
    assert acts[1:-1] == ["coder: try 0", "revise", "coder: try 2", "revise", *later]
    assert ledger(sample).revisions == 2
    closing = Prompt.load("solvers/finish").render()
    for call in calls(sample):
        assert not any(closing in message.text for message in call.input)
    submitted(sample)


COUNT, COUNT_AGAIN = verdict("coder", "count"), verdict("coder", "count", progress=False)
DIFFERENT = [verdict("coder", f"try {number}") for number in range(4)]


@pytest.mark.parametrize(
    ("replies", "code", "roles"),
    [
        ([COUNT, COUNT_AGAIN, ANSWERED], [], ["coder", "planner"]),
        ([COUNT, COUNT, ANSWERED], [], ["coder", "coder"]),
        (DIFFERENT, ["print('same')"] * 3, ["coder", "coder", "planner"]),
    ],
    ids=["an instruction repeated without progress", "repeated with progress", "code repeated"],
)
def test_the_planner_revises_the_plan_of_a_team_in_a_loop(
    replies: list[str], code: list[str], roles: list[str]
) -> None:
    sample = play(Team(*replies, code=code), datavoyager(turns=3))
    assert [turn.role for turn in ledger(sample).turns] == ["planner", *roles, "analyst"]
    assert ledger(sample).revisions == roles.count("planner")


@pytest.mark.parametrize("reply", ["no", "I think the coder should act.", verdict("critic"), verdict("coder", " ")])
def test_three_invalid_replies_of_the_critic_count_as_no_progress(reply: str) -> None:
    sample = play(Team(reply), datavoyager(turns=2))
    requests = [call for call in calls(sample) if call.input[0].text.startswith(CRITIC)]
    again = Prompt.load("solvers/datavoyager/ask_again").render()
    assert [again in call.input[-1].text for call in requests] == [False, True, True] * 2
    state = ledger(sample)
    assert [verdict.progress for verdict in state.verdicts] == [False, False]
    assert [turn.role for turn in state.turns] == ["planner", "coder", "planner", "analyst"]
    assert state.turns[1].instruction == Prompt.load("solvers/datavoyager/next_step").render()
    submitted(sample)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ('{"answered": "false", "progress": 1, "next": "Coder ", "instruction": "go on", "more": 0.5}', Role.CODER),
        (verdict("N/A", "", answered=True), None),
    ],
)
def test_verdicts_are_read_in_several_forms(text: str, role: Role | None) -> None:
    reply = parse_reply(text, CriticReply)
    assert (reply.answered, reply.next) == (role is None, role)


def test_reasoning_is_removed_from_the_shared_conversation() -> None:
    team = Team(verdict("coder", "count"), ANSWERED)

    def reasoner(messages: list[ChatMessage], must: str) -> Turn:
        turn = team(messages, must)
        if isinstance(turn, str):
            turn = ModelOutput.from_content("mockllm/model", turn)
        reasoning = ContentReasoning(reasoning="SECRET THOUGHT", signature="of-one-provider")
        content = [reasoning, ContentText(text=turn.message.text)]
        return ModelOutput.from_message(turn.message.model_copy(update={"content": content}))

    sample = play(reasoner, datavoyager())
    submitted(sample)
    for call in calls(sample):
        assert "SECRET THOUGHT" not in json.dumps([message.model_dump(mode="json") for message in call.input])
