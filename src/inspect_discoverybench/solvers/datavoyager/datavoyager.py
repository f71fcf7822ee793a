"""DataVoyager: a planner, a coder, an analyst and a critic share a session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import StoreModel, span, store_as
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.datavoyager.roles import CriticReply, Role, ask_critic, turn_message
from inspect_discoverybench.solvers.step import start_agent, step, submit_step
from inspect_discoverybench.solvers.submission import submit

DEFAULT_TURNS = 20
"""Default maximum number of turns assigned by the critic."""

MAX_STALLS = 2
"""Number of consecutive turns without progress after which the planner revises the plan."""

MAX_REVISIONS = 2
"""Maximum number of revisions."""


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

        The plan is revised if the team stalls or is in a loop, at most `MAX_REVISIONS` times.
        """
        self.verdicts = [*self.verdicts, reply]
        self.stalls = 0 if reply.progress else self.stalls + 1
        # A loop: a role repeated its text or code, or the critic, without progress, repeats an instruction.
        recent = self.turns[self.revised_at :]
        repeats_output = len({(turn.role, turn.output) for turn in recent}) < len(recent)
        instructions = [(turn.role, turn.instruction) for turn in recent]
        repeats_instruction = not reply.progress and (reply.next, reply.instruction) in instructions
        is_stuck = self.stalls >= MAX_STALLS or repeats_output or repeats_instruction
        if reply.answered or not is_stuck or self.revisions == MAX_REVISIONS:
            return False
        self.stalls, self.revisions, self.revised_at = 0, self.revisions + 1, len(self.turns)
        return True


@solver
def datavoyager(turns: int = DEFAULT_TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run the team: the planner plans, the critic assigns turns until the goal is answered, and the analyst submits.

    Each role has its own system prompt and its own model role (`planner`, `coder`, `analyst`, `critic`), which defaults
    to the evaluated model. If the team stalls or repeats itself, the planner revises the plan. At most `turns` turns
    follow the first plan before the submission. With `figures`, the models must accept images.
    """
    require_positive("turns", turns)
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        start_agent()
        state.messages = [_without_json_form(message) for message in state.messages]
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


def _without_json_form(message: ChatMessage) -> ChatMessage:
    """Remove the sentence about answering in JSON, which roles without tools would follow."""
    if not isinstance(message.content, str):
        return message
    sentence = Prompt.load("solvers/without_tools").render()
    return message.model_copy(update={"content": message.content.replace(sentence, "").rstrip()})


def _without_reasoning(message: ChatMessage) -> ChatMessage:
    """Remove reasoning before other roles read the message, as providers reject each other's reasoning blocks."""
    if not isinstance(message, ChatMessageAssistant) or isinstance(message.content, str):
        return message
    content = [part for part in message.content if not isinstance(part, ContentReasoning)]
    texts = [part.model_copy(update={"internal": None}) if isinstance(part, ContentText) else part for part in content]
    return message.model_copy(update={"content": texts})


def _instruction(name: str) -> str:
    return Prompt.load(f"solvers/datavoyager/{name}").render()
