"""DataVoyager: a planner, a coder, an analyst and a critic share a session (paper §5.1; Majumder et al., 2024)."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ContentReasoning, ContentText
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import span, store_as

from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.datavoyager.critic import ask_critic
from inspect_discoverybench.solvers.datavoyager.ledger import Ledger, RoleTurn
from inspect_discoverybench.solvers.datavoyager.roles import Role, turn_message
from inspect_discoverybench.solvers.step import StepResult, start_agent, step, submit_step
from inspect_discoverybench.solvers.submission import submit

DEFAULT_TURNS = 20
"""Default maximum number of turns assigned by the critic."""


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
        final = await _take_turn(state, tools, Role.ANALYST, _instruction("submit"), must_submit=True)
        state.output = final.output
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
) -> StepResult:
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
    store_as(Ledger).record_turn(RoleTurn(role=role, instruction=instruction, output=_text_and_code(messages)))
    return turn


def _text_and_code(messages: Sequence[ChatMessage]) -> str:
    """The text of a role's messages and the code of its `python` calls."""
    parts: list[str] = []
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            code = [str(call.arguments["code"]) for call in message.tool_calls or [] if "code" in call.arguments]
            parts += [message.text, *code]
    return "\n\n".join(parts)


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
