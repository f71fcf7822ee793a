"""DataVoyager: planner, coder, analyst and critic over one session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import span, store_as

from inspect_discoverybench.errors import at_least_one
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.datavoyager import critic
from inspect_discoverybench.solvers.datavoyager.ledger import Ledger, Turn
from inspect_discoverybench.solvers.datavoyager.roles import Role, turn_of
from inspect_discoverybench.solvers.step import Step, last_step, step
from inspect_discoverybench.solvers.submission import submit

TURNS = 20
"""Default number of turns that the critic gives."""


@solver
def datavoyager(turns: int = TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """The planner plans; the critic says who acts next, until the goal is answered; the analyst submits.

    Each role has its own system prompt and its own model role (`planner`, `coder`, `analyst`, `critic`), which is the
    evaluated model by default. Stalled work makes the planner revise.

    Args:
        turns: Most turns after the first plan.
        figures: Show open matplotlib figures to the models, which must take images.
        cell_seconds: Time limit of one `python` call.

    Raises:
        InvalidArgument: `turns` is not 1 or more.
    """
    at_least_one("turns", turns)
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        ledger = store_as(Ledger)
        await _act(state, tools, Role.PLANNER, _told("plan"))
        for _ in range(turns):
            async with span(Role.CRITIC, type="agent"):
                verdict = await critic.ask(Role.CRITIC.model(), [Role.CRITIC.briefing(), *state.messages], tools)
            revise = ledger.weigh(verdict)
            if verdict is not None and verdict.answered:
                break
            if revise:
                await _act(state, tools, Role.PLANNER, _told("revise"))
            elif verdict is None:
                await _act(state, tools, Role.CODER, _told("next_step"))
            else:
                await _act(state, tools, verdict.next or Role.CODER, verdict.instruction or _told("next_step"))
        state.output = (await _act(state, tools, Role.ANALYST, _told("submit"), submits=True)).output
        return state

    return solve


async def _act(state: TaskState, tools: Sequence[Tool], role: Role, instruction: str, *, submits: bool = False) -> Step:
    """One turn of a role: its message, and what its call gave, join the shared conversation."""
    async with span(role, type="agent"):
        state.messages.append(turn_of(role, instruction))
        conversation = [role.briefing(), *state.messages]
        if submits:
            acted = await last_step(conversation, tools, role.model())
        else:
            acted = await step(conversation, tools, "python" if role is Role.CODER else "none", role.model())
        messages = [_without_reasoning(message) for message in acted.messages]
        state.messages.extend(messages)
    store_as(Ledger).record(Turn(role=role, instruction=instruction, did="\n\n".join(_deeds(messages))))
    return acted


def _deeds(messages: Sequence[ChatMessage]) -> list[str]:
    """What a role said, and the code that it ran."""
    deeds: list[str] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            code = [str(call.arguments["code"]) for call in message.tool_calls or [] if "code" in call.arguments]
            deeds += [message.text, *code]
    return deeds


def _without_reasoning(message: ChatMessage) -> ChatMessage:
    """What the other roles may read: a provider refuses the reasoning of another provider's model."""
    if not isinstance(message, ChatMessageAssistant) or isinstance(message.content, str):
        return message
    said = [
        part.model_copy(update={"internal": None}) if isinstance(part, ContentText) else part
        for part in message.content
        if not isinstance(part, ContentReasoning)
    ]
    return message.model_copy(update={"content": said})


def _told(name: str) -> str:
    return Prompt.load(f"solvers/datavoyager/{name}").render()
