"""DataVoyager: a planner, a coder, an analyst and a critic share a session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import StoreModel, span, store_as
from pydantic import BaseModel, ConfigDict, Field, model_validator

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.errors.invalid_values import require_positive
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import EncodableText, Reply, ask_until_valid, parse_reply, reply_schema
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import generate_reply, start_agent, step, submit_step
from inspect_discoverybench.solvers.submission import submit

MAX_REVISIONS = 2
"""Maximum number of revisions of the plan."""


class Role(StrEnum):
    """A member of the team (paper §5.1).

    The planner writes and revises the plan, the coder runs code, the analyst interprets results and submits, and the
    critic decides who acts next.
    """

    PLANNER = "planner"
    CODER = "coder"
    ANALYST = "analyst"
    CRITIC = "critic"

    def model(self) -> Model:
        """The model of this model role; defaults to the evaluated model."""
        evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solver, for each turn
        return get_model(role=self.value, default=evaluated)  # inspect-evals-lint: ignore[IEBP001] -- the same

    def system_message(self) -> ChatMessageSystem:
        """The role's system prompt."""
        return ChatMessageSystem(content=Prompt.load(f"solvers/datavoyager/{self}").render())


def turn_message(role: Role, instruction: str) -> ChatMessageUser:
    """The message that announces a role's turn, with its instruction."""
    text = Prompt.load("solvers/datavoyager/turn").render(role=role, instruction=instruction)
    return ChatMessageUser(content=text, metadata={"role": role.value})


class CriticReply(Reply):
    """A valid reply of the critic. `next` and `instruction` are None if the goal is answered."""

    reason: EncodableText | None = None
    answered: bool
    """Whether the results answer the goal."""

    progress: bool
    """Whether the last turn brought the team closer to the answer."""

    next: Literal[Role.PLANNER, Role.CODER, Role.ANALYST] | None = None
    instruction: EncodableText | None = None

    @model_validator(mode="before")
    @classmethod
    def _normalize(cls, data: Any) -> Any:
        """Accept a role in any case, and drop `next` and `instruction` if the goal is answered."""
        if not isinstance(data, dict):
            return data
        if str(data.get("answered")).casefold() in ("true", "yes", "1"):
            return data | {"next": None, "instruction": None}
        if not (data.get("next") and str(data.get("instruction") or "").strip()):
            raise ValueError("next and instruction are required if the goal is not answered")
        return data | {"next": str(data["next"]).strip().casefold()}


async def ask_critic(model: Model, conversation: Sequence[ChatMessage], tools: Sequence[Tool]) -> CriticReply:
    """Ask the critic until its reply is valid. If none is, the coder carries out the next step of the plan."""
    config = GenerateConfig(response_schema=ResponseSchema(name="verdict", json_schema=reply_schema(CriticReply)))

    async def send(messages: list[ChatMessage]) -> ModelOutput:
        return await generate_reply(model, messages, tools, "none", config)

    async def read(text: str) -> CriticReply:
        return parse_reply(text, CriticReply)

    def ask_again(_: str) -> ChatMessage:
        return turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/ask_again").render())

    request = turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/verdict").render())
    try:
        return await ask_until_valid([*conversation, request], send, read, ask_again)
    except ReplyRejected as error:
        instruction = Prompt.load("solvers/datavoyager/next_step").render()
        reason = f"The reply is invalid: {error.message}"
        return CriticReply(reason=reason, answered=False, progress=False, next=Role.CODER, instruction=instruction)


class RoleTurn(BaseModel):
    """One turn of a role: its instruction, and the text and code of its messages."""

    model_config = ConfigDict(frozen=True)

    role: Role
    instruction: str
    output: str


class Ledger(StoreModel):
    """The team's progress, kept in the log alongside the conversation."""

    turns: list[RoleTurn] = Field(default_factory=list)
    verdicts: list[CriticReply] = Field(default_factory=list)
    stalls: int = 0
    """Number of turns without progress since the last progress or revision."""

    revisions: int = 0

    revised_at: int = 0
    """Number of turns before the last revision. Loops are detected among later turns only."""

    def record_verdict(self, reply: CriticReply) -> bool:
        """Add a reply of the critic; return whether the planner must revise the plan.

        The plan is revised after two turns without progress or if the team is in a loop, at most `MAX_REVISIONS` times.
        """
        self.verdicts = [*self.verdicts, reply]
        self.stalls = 0 if reply.progress else self.stalls + 1
        # A loop: a role repeated its text or code, or the critic, without progress, repeats an instruction.
        recent = self.turns[self.revised_at :]
        repeats_output = len({(turn.role, turn.output) for turn in recent}) < len(recent)
        instructions = [(turn.role, turn.instruction) for turn in recent]
        repeats_instruction = not reply.progress and (reply.next, reply.instruction) in instructions
        is_stuck = self.stalls >= 2 or repeats_output or repeats_instruction
        if reply.answered or not is_stuck or self.revisions == MAX_REVISIONS:
            return False
        self.stalls, self.revisions, self.revised_at = 0, self.revisions + 1, len(self.turns)
        return True


@solver
def datavoyager(turns: int = 20, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run the team: the planner plans, the critic assigns turns until the goal is answered, and the analyst submits.

    Each role has its own system prompt and its own model role (`planner`, `coder`, `analyst`, `critic`), which defaults
    to the evaluated model. If the team stalls or repeats itself, the planner revises the plan. At most `turns` turns
    follow the first plan before the submission.
    """
    require_positive("turns", turns)
    tools = [python(cell_seconds), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        start_agent()
        state.messages = [_without_closing_line(message) for message in state.messages]
        await _take_turn(state, tools, Role.PLANNER, _instruction("plan"))
        for _ in range(turns):
            if (next_turn := await _next_turn(state, tools)) is None:
                break
            await _take_turn(state, tools, *next_turn)
        await _take_turn(state, tools, Role.ANALYST, _instruction("submit"), must_submit=True)
        return state

    return solve


async def _next_turn(state: TaskState, tools: Sequence[Tool]) -> tuple[Role, str] | None:
    """Ask the critic for the next role and its instruction; return None if the goal is answered."""
    async with span(Role.CRITIC, type="agent"):
        conversation = [Role.CRITIC.system_message(), *state.messages]
        reply = await ask_critic(Role.CRITIC.model(), conversation, tools)
    if store_as(Ledger).record_verdict(reply):
        return Role.PLANNER, _instruction("revise")
    if reply.answered or reply.next is None or reply.instruction is None:
        return None
    return reply.next, reply.instruction


async def _take_turn(
    state: TaskState, tools: Sequence[Tool], role: Role, instruction: str, *, must_submit: bool = False
) -> None:
    """Run one turn of a role, and add its messages to the shared conversation and the ledger."""
    async with span(role, type="agent"):
        state.messages.append(turn_message(role, instruction))
        conversation = [role.system_message(), *state.messages]
        if must_submit:
            state.output, written = await submit_step(conversation, tools, role.model())
        else:
            required: Literal["python", "none"] = "python" if role is Role.CODER else "none"
            state.output, written = await step(conversation, tools, required, role.model())
        state.messages.extend(map(_without_reasoning, written))
    parts: list[str] = []
    for message in written:
        if isinstance(message, ChatMessageAssistant):
            code = [str(call.arguments["code"]) for call in message.tool_calls or [] if "code" in call.arguments]
            parts += [message.text, *code]
    ledger = store_as(Ledger)
    ledger.turns = [*ledger.turns, RoleTurn(role=role, instruction=instruction, output="\n\n".join(parts))]


def _without_closing_line(message: ChatMessage) -> ChatMessage:
    """Remove how to submit, which roles that cannot submit would follow."""
    if not isinstance(message.content, str):
        return message
    line = Prompt.load("solvers/finish").render()
    return message.model_copy(update={"content": message.content.replace(line, "").rstrip()})


def _without_reasoning(message: ChatMessage) -> ChatMessage:
    """Remove reasoning before other roles read the message, as providers reject each other's reasoning blocks."""
    if not isinstance(message, ChatMessageAssistant) or isinstance(message.content, str):
        return message
    content = [part for part in message.content if not isinstance(part, ContentReasoning)]
    texts = [part.model_copy(update={"internal": None}) if isinstance(part, ContentText) else part for part in content]
    return message.model_copy(update={"content": texts})


def _instruction(name: str) -> str:
    return Prompt.load(f"solvers/datavoyager/{name}").render()
