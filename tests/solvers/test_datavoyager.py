"""DataVoyager: the order of roles, the handling of stalls, and the model of each role."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, ModelOutput
from inspect_ai.tool import ToolFunction

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import parse_reply
from inspect_discoverybench.solvers.datavoyager import CriticReply, Ledger, Role, datavoyager
from tests.solvers.scripted import Turn, calls, observations, play, python, scripted, spans, submission, submit


def verdict(next_role: str | None = "coder", instruction: str | None = "go on", **fields: Any) -> str:
    answer = {"reason": "r", "answered": False, "progress": True, "next": next_role, "instruction": instruction}
    return json.dumps(answer | fields)


ANSWERED = verdict(answered=True)


class Team:
    """A scripted team: the critic gives these replies, the last one repeatedly; the others follow instructions."""

    def __init__(self, *replies: Turn, code: Sequence[str] = ()) -> None:
        self.replies = list(replies)
        self.code = list(code)
        self.acts = 0

    def __call__(self, messages: list[ChatMessage], must: str) -> Turn:
        if must == "submit":
            return submit(hypothesis="y rises with x.", workflow="1. load")
        if must == "python":
            self.acts += 1
            return python(self.code.pop(0) if self.code else f"print({self.acts})")
        if messages[0].text == Role.CRITIC.system_message().text:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        self.acts += 1
        return f"Words number {self.acts}."


def ledger(sample: EvalSample) -> Ledger:
    return sample.store_as(Ledger)


def instructions(sample: EvalSample) -> list[str]:
    """Each turn's role and instruction."""
    texts = [m.text for m in sample.messages if m.role == "user" and m.text.startswith("It is the ")]
    return [text.removeprefix("It is the ").replace("'s turn. ", ": ", 1) for text in texts]


def test_the_critic_chooses_the_next_role_until_the_goal_is_answered() -> None:
    team = Team(verdict("coder", "count"), verdict("analyst", "read"), verdict("planner", "refine"), ANSWERED)
    sample = play(["never asked"], datavoyager(), model_roles={role.value: scripted(team) for role in Role})
    roles = ["planner", "critic", "coder", "critic", "analyst", "critic", "planner", "critic", "analyst"]
    assert spans(sample) == roles
    assert [call.role for call in calls(sample)] == roles
    prompts = [Role(role).system_message().text for role in roles]
    assert [call.input[0].text for call in calls(sample)] == prompts
    tools = [call.tool_choice.name if isinstance(call.tool_choice, ToolFunction) else "" for call in calls(sample)]
    assert tools == ["", "", "python", "", "", "", "", "", "submit"]
    assert instructions(sample)[1:4] == ["coder: count", "analyst: read", "planner: refine"]
    assert observations(sample) == ["2"]
    state = ledger(sample)
    assert [turn.role for turn in state.turns] == ["planner", "coder", "analyst", "planner", "analyst"]
    assert state.turns[1].output.endswith("print(2)")
    assert state.turns[3].output == "Words number 4."
    assert [verdict.answered for verdict in state.verdicts] == [False, False, False, True]
    assert state.revisions == 0
    assert submission(sample)
    # One shared conversation: the input of each role begins with the input of the previous role.
    contexts = [[message.text for message in call.input[1:]] for call in calls(sample)]
    assert contexts[4][: len(contexts[2])] == contexts[2]


def test_the_planner_revises_at_most_twice_after_two_turns_without_progress() -> None:
    stuck = [verdict("coder", f"try {n}", progress=False) for n in range(12)]
    sample = play(Team(*stuck), datavoyager(turns=8))
    revise = Prompt.load("solvers/datavoyager/revise").render()
    acts = ["revise" if revise in text else text for text in instructions(sample)]
    assert acts[1:-1] == ["coder: try 0", "revise", "coder: try 2", "revise", *(f"coder: try {n}" for n in range(4, 8))]
    assert ledger(sample).revisions == 2
    closing = Prompt.load("solvers/finish").render()
    assert not any(closing in message.text for call in calls(sample) for message in call.input)
    assert submission(sample)


COUNT, COUNT_AGAIN = verdict("coder", "count"), verdict("coder", "count", progress=False)
DIFFERENT = [verdict("coder", f"try {n}") for n in range(4)]


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


@pytest.mark.parametrize("reply", ["", "I think the coder should act.", verdict("critic"), verdict("coder", " ")])
def test_three_invalid_replies_of_the_critic_count_as_no_progress(reply: str) -> None:
    sample = play(Team(reply), datavoyager(turns=2))
    requests = [call for call in calls(sample) if call.input[0].text == Role.CRITIC.system_message().text]
    again = Prompt.load("solvers/datavoyager/ask_again").render()
    assert [again in call.input[-1].text for call in requests] == [False, True, True] * 2
    state = ledger(sample)
    assert [verdict.progress for verdict in state.verdicts] == [False, False]
    assert [turn.role for turn in state.turns] == ["planner", "coder", "planner", "analyst"]
    assert state.turns[1].instruction == Prompt.load("solvers/datavoyager/next_step").render()
    assert submission(sample)


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
    assert submission(sample)
    for call in calls(sample):
        assert "SECRET THOUGHT" not in json.dumps([message.model_dump(mode="json") for message in call.input])
