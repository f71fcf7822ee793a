"""DataVoyager: a planner, a coder, an analyst and a critic share a session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import StoreModel, span, store_as
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.datavoyager.critic import CriticReply, ask_critic
from inspect_discoverybench.solvers.datavoyager.roles import Role, turn_message
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
    """Every turn of the planner, the coder and the analyst, in order."""

    verdicts: list[CriticReply | None] = Field(default_factory=list)
    """Every reply of the critic, in order; None for an invalid reply."""

    stalls: int = 0
    """Number of turns without progress since the last progress or revision."""

    revisions: int = 0
    """Number of revisions requested so far."""

    revised_at: int = 0
    """Number of turns before the last revision. Loops are detected among later turns only."""

    def record_verdict(self, reply: CriticReply | None) -> bool:
        """Add a reply of the critic; return whether the planner must revise the plan.

        The plan is revised if the team stalls or is in a loop, at most `MAX_REVISIONS` times.

        Args:
            reply: The critic's reply; None if it was invalid, which counts as a turn without progress.
        """
        self.verdicts = [*self.verdicts, reply]
        if reply is not None and reply.answered:
            return False
        progress = reply is not None and reply.progress
        self.stalls = 0 if progress else self.stalls + 1
        recent = self.turns[self.revised_at :]
        # A loop: a role repeated its text or code, or the critic, without progress, repeats an instruction.
        outputs = [(turn.role, turn.output) for turn in recent]
        repeats_output = len(set(outputs)) < len(outputs)
        instructions = [(turn.role, turn.instruction) for turn in recent]
        repeats_instruction = reply is not None and not progress and (reply.next, reply.instruction) in instructions
        is_stuck = self.stalls >= MAX_STALLS or repeats_output or repeats_instruction
        if not is_stuck or self.revisions == MAX_REVISIONS:
            return False
        self.stalls, self.revisions, self.revised_at = 0, self.revisions + 1, len(self.turns)
        return True


@solver
def datavoyager(turns: int = DEFAULT_TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run the team: the planner plans, the critic assigns turns until the goal is answered, and the analyst submits.

    Each role has its own system prompt and its own model role (`planner`, `coder`, `analyst`, `critic`), which defaults
    to the evaluated model. If the team stalls or repeats itself, the planner revises the plan.

    Args:
        turns: Maximum number of turns between the first plan and the submission.
        figures: Whether `python` returns open matplotlib figures. The models must accept images.
        cell_seconds: Time limit of one `python` call in seconds.

    Raises:
        InvalidArgument: `turns` is not a positive integer.
    """
    require_positive("turns", turns)
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        start_agent()
        state.messages = [_without_json_form(message) for message in state.messages]
        await _take_turn(state, tools, Role.PLANNER, _instruction("plan"))
        for _ in range(turns):
            next_turn = await _next_turn(state, tools)
            if next_turn is None:
                break
            role, instruction = next_turn
            await _take_turn(state, tools, role, instruction)
        state.output = await _take_turn(state, tools, Role.ANALYST, _instruction("submit"), must_submit=True)
        return state

    return solve


async def _next_turn(state: TaskState, tools: Sequence[Tool]) -> tuple[Role, str] | None:
    """Ask the critic for the next role and its instruction; return None if the goal is answered."""
    async with span(Role.CRITIC, type="agent"):
        conversation = [Role.CRITIC.system_message(), *state.messages]
        reply = await ask_critic(Role.CRITIC.model(), conversation, tools)
    must_revise = store_as(Ledger).record_verdict(reply)
    if reply is not None and reply.answered:
        return None
    if must_revise:
        return Role.PLANNER, _instruction("revise")
    if reply is None or reply.next is None or reply.instruction is None:
        return Role.CODER, _instruction("next_step")
    return reply.next, reply.instruction


async def _take_turn(
    state: TaskState, tools: Sequence[Tool], role: Role, instruction: str, *, must_submit: bool = False
) -> ModelOutput:
    """Run one turn of a role, and add its messages to the shared conversation and the ledger."""
    async with span(role, type="agent"):
        state.messages.append(turn_message(role, instruction))
        conversation = [role.system_message(), *state.messages]
        if must_submit:
            turn = await submit_step(conversation, tools, role.model())
        else:
            turn = await step(conversation, tools, "python" if role is Role.CODER else "none", role.model())
        messages = [_without_reasoning(message) for message in turn.messages]
        state.messages.extend(messages)
    parts: list[str] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            code = [str(call.arguments["code"]) for call in message.tool_calls or [] if "code" in call.arguments]
            parts += [message.text, *code]
    ledger = store_as(Ledger)
    ledger.turns = [*ledger.turns, RoleTurn(role=role, instruction=instruction, output="\n\n".join(parts))]
    return turn.output


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
    content = [
        part.model_copy(update={"internal": None}) if isinstance(part, ContentText) else part
        for part in message.content
        if not isinstance(part, ContentReasoning)
    ]
    return message.model_copy(update={"content": content})


def _instruction(name: str) -> str:
    return Prompt.load(f"solvers/datavoyager/{name}").render()
