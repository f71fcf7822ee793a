"""DataVoyager: a planner, a coder, an analyst and a critic share a session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, span, store_as
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.errors.invalid_values import refusing_unknown, require_positive
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Reply, ask_until_valid, parse_reply, without_reasoning
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import Actor, Step, create_actor, has_run_code, with_submission
from inspect_discoverybench.submission.answer import parse_submission
from inspect_discoverybench.submission.submission import SubmissionState

MAX_REVISIONS = 2
"""Maximum number of revisions of the plan."""

MAX_STALLS = 2
"""Number of turns without progress after which the plan is revised."""


class Role(StrEnum):
    """A member of the team (paper §5.1).

    The planner writes and revises the plan, the coder runs code, the analyst interprets results and drafts the answer,
    and the critic assesses each turn, decides who acts next, and reviews the draft.
    """

    PLANNER = "planner"
    CODER = "coder"
    ANALYST = "analyst"
    CRITIC = "critic"

    def model(self) -> Model:
        """Get the model that the user chose for this model role, else the evaluated model."""
        evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solver, for each turn
        return get_model(role=self.value, default=evaluated)  # inspect-evals-lint: ignore[IEBP001] -- the same


def _next_role(value: Any) -> str | None:
    """The role that the critic names, in upper or lower case; None for anything else.

    Anything else is no error here: if the goal is answered, nobody acts next, and a critic may write any word. If the
    goal is not answered, `CriticReply` requires a role.
    """
    name = str(value).strip().casefold()
    return name if name in (Role.PLANNER, Role.CODER, Role.ANALYST) else None


class CriticReply(Reply):
    """A valid reply of the critic. It has `next` and `instruction` unless the goal is answered."""

    assessment: str = ""
    answered: bool
    """Whether the results answer the goal; in a review, whether the draft is accepted."""

    progress: bool
    """Whether the last turn brought the team closer to the answer."""

    next: Annotated[Role | None, BeforeValidator(_next_role)] = None
    instruction: str | None = None

    @model_validator(mode="after")
    def _check_assignment(self) -> "CriticReply":
        is_assigned = self.next is not None and (self.instruction or "").strip()
        if not self.answered and not is_assigned:
            raise ValueError("next and instruction are required if the goal is not answered")
        return self


class RoleTurn(BaseModel):
    """One turn of a role."""

    model_config = ConfigDict(frozen=True)

    role: Role
    instruction: str


class Ledger(StoreModel):
    """The team's progress, kept in the log alongside the conversation."""

    turns: list[RoleTurn] = Field(default_factory=list)
    verdicts: list[CriticReply] = Field(default_factory=list)
    stalls: int = 0
    """Number of turns without progress since the last progress or revision."""

    revisions: int = 0

    revised_at: int = 0
    """Number of turns before the last revision."""

    def record_verdict(self, reply: CriticReply) -> None:
        """Add a reply of the critic, and count the turns without progress."""
        self.verdicts = [*self.verdicts, reply]
        self.stalls = 0 if reply.progress else self.stalls + 1

    @property
    def needs_revision(self) -> bool:
        """Whether the planner must revise the plan after the last reply.

        The plan is revised at most `MAX_REVISIONS` times, in two cases: after `MAX_STALLS` turns without progress, and
        after one turn without progress if the critic then gives a role an instruction that this role has already had
        since the last revision.
        """
        if self.revisions == MAX_REVISIONS:
            return False
        reply = self.verdicts[-1]
        assignments = [(turn.role, turn.instruction) for turn in self.turns[self.revised_at :]]
        is_loop = not reply.progress and (reply.next, reply.instruction) in assignments
        return is_loop or self.stalls >= MAX_STALLS

    def record_revision(self) -> None:
        """Count a revision of the plan, which is about to be made."""
        self.stalls = 0
        self.revisions += 1
        self.revised_at = len(self.turns)


@solver
@recording_arguments
@refusing_unknown
def datavoyager(turns: int = 20, actions: str = "calls", cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run the team: the planner plans, and the critic assigns turns until the results answer the goal.

    Then the analyst drafts the answer, and the critic reviews the draft. An accepted draft is submitted. If the critic
    rejects the draft, it assigns the next turn. If no code has run before the first draft, the draft is not reviewed,
    and the coder takes a turn.

    The analyst must submit after `turns` turns, when the context window is full, or if the accepted draft is not a JSON
    object with a hypothesis. If the team stalls or repeats itself, the planner revises the plan. Each role has its own
    system prompt and its own model role (`planner`, `coder`, `analyst`, `critic`), which defaults to the evaluated
    model.

    Args:
        turns: Maximum number of turns that the critic assigns.
        actions: The form in which the coder acts, `calls` or `text`.
        cell_seconds: Time limit of one cell in seconds.
    """
    require_positive("turns", turns)
    actor = create_actor(actions, python(cell_seconds))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        PythonSession().start_early()
        actor.wording.begin(state, finish="solvers/datavoyager/finish")
        instruction = actor.wording.render("solvers/datavoyager/plan")
        await _take_turn(state, actor, Role.PLANNER, instruction)
        has_sent_back_draft = False
        for _ in range(turns):  # each `break` leads to the analyst's forced submission below
            reply = await _ask_critic(state, actor, "verdict")
            if reply.answered:
                instruction = actor.wording.render("solvers/datavoyager/draft")
                draft = await _take_turn(state, actor, Role.ANALYST, instruction)
                # Only one draft is sent back. Otherwise, a team that never runs code would spend all its turns on
                # drafts.
                if not has_run_code(state.messages) and not has_sent_back_draft:
                    has_sent_back_draft = True
                    instruction = actor.wording.render("solvers/datavoyager/draft_too_early")
                    await _take_turn(state, actor, Role.CODER, instruction)
                    continue

                reply = await _ask_critic(state, actor, "review")
                if reply.answered:  # the critic accepts the draft
                    answer = parse_submission(draft.output.completion)
                    if answer is None:  # the draft is not a JSON object with a hypothesis
                        break
                    store_as(SubmissionState).submission = answer
                    state.output = with_submission(state.output)
                    return state
            # The reply is a verdict that the goal is not answered, or a review that rejects the draft. Both assign the
            # next turn.
            role, instruction = _next_turn(reply, actor)
            turn = await _take_turn(state, actor, role, instruction)
            if turn.output.stop_reason == "model_length":
                break

        instruction = actor.wording.render("solvers/datavoyager/submit")
        await _take_turn(state, actor, Role.ANALYST, instruction, must_submit=True)
        return state

    return solve


def _next_turn(reply: CriticReply, actor: Actor) -> tuple[Role, str]:
    """Choose who acts next, and with which instruction.

    If the plan must be revised, the planner acts next, and the revision is recorded in the ledger. Otherwise, the role
    that the critic names acts next.
    """
    ledger = store_as(Ledger)
    if ledger.needs_revision:
        ledger.record_revision()
        return Role.PLANNER, actor.wording.render("solvers/datavoyager/revise")
    # The goal is not answered here. `CriticReply` checks that the reply then has a role and an instruction.
    assert reply.next is not None
    assert reply.instruction is not None
    return reply.next, reply.instruction


async def _take_turn(
    state: TaskState, actor: Actor, role: Role, instruction: str, *, must_submit: bool = False
) -> Step:
    """Run one turn of a role. Adds its messages to the shared conversation, and the turn to the ledger."""
    async with span(role, type="agent"):
        state.messages.append(turn_message(role, instruction))
        conversation = _conversation(state, role, actor)
        if must_submit:
            step = await actor.submit(conversation, role.model())
        elif role is Role.CODER:
            step = await actor.step(conversation, ["python"], role.model())
        else:
            step = await actor.step(conversation, [], role.model())
        step.apply_to(state)

    ledger = store_as(Ledger)
    ledger.turns = [*ledger.turns, RoleTurn(role=role, instruction=instruction)]
    return step


async def _ask_critic(state: TaskState, actor: Actor, request: str) -> CriticReply:
    """Ask the critic for a verdict or a review, and add its reply to the shared conversation."""
    question = turn_message(Role.CRITIC, actor.wording.render(f"solvers/datavoyager/{request}"))
    async with span(Role.CRITIC, type="agent"):
        state.messages.append(question)
        conversation = _conversation(state, Role.CRITIC, actor)
        reply = await critic_reply(Role.CRITIC.model(), conversation, actor)
        state.messages.append(ChatMessageAssistant(content=reply.model_dump_json(exclude_none=True)))
    store_as(Ledger).record_verdict(reply)
    return reply


async def critic_reply(model: Model, conversation: Sequence[ChatMessage], actor: Actor) -> CriticReply:
    """Ask the critic until its reply is valid.

    If no reply is valid, the returned reply assigns the next step of the plan to the coder.
    """

    async def send(messages: list[ChatMessage]) -> ModelOutput:
        step = await actor.step(messages, [], model)
        return step.output

    async def parse(text: str) -> CriticReply:
        return parse_reply(text, CriticReply)

    def ask_again(_reason: str) -> ChatMessage:
        # The prompt names the keys of a valid reply, in place of the reason why the last one was invalid.
        return turn_message(Role.CRITIC, actor.wording.render("solvers/datavoyager/ask_again"))

    try:
        return await ask_until_valid(conversation, send, parse, ask_again)
    except ReplyRejected as error:
        return CriticReply(
            assessment=f"The reply is invalid: {error.message}",
            answered=False,
            progress=False,
            next=Role.CODER,
            instruction=actor.wording.render("solvers/datavoyager/next_step"),
        )


def _conversation(state: TaskState, role: Role, actor: Actor) -> list[ChatMessage]:
    """The shared conversation as a role sees it: after its own system prompt, and without the models' reasoning.

    Each role may have a model of another provider, and providers reject each other's reasoning blocks.
    """
    prompt = actor.wording.render(f"solvers/datavoyager/{role}")
    conversation: list[ChatMessage] = [ChatMessageSystem(content=prompt)]
    for message in state.messages:
        if isinstance(message, ChatMessageAssistant):
            text = without_reasoning(message.text)
            conversation.append(message.model_copy(update={"content": text}))
        else:
            conversation.append(message)
    return conversation


def turn_message(role: Role, instruction: str) -> ChatMessageUser:
    """Announce a role's turn, with its instruction. The metadata tells the offline baseline whose turn it is."""
    text = Prompt.load("solvers/datavoyager/turn").render(role=role, instruction=instruction)
    return ChatMessageUser(content=text, metadata={"role": role.value})
