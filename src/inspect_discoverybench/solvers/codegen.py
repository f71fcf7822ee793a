"""CodeGen: one program, run once, and the hypothesis from what it printed (paper §5.1)."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import last_step, step
from inspect_discoverybench.solvers.submission import submit


@solver
def codegen(figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Two generations: the first must call `python` with the whole program, the second must call `submit`.

    The system prompt shows one worked demonstration. A program that fails is not run again.

    Args:
        figures: Show open matplotlib figures to the model, which must take images.
        cell_seconds: Time limit of one `python` call.
    """
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await attempt(state, tools)
        return state

    return solve


async def attempt(state: TaskState, tools: Sequence[Tool]) -> None:
    """Write a program, run it, submit: from the messages of the state, which gains what is said."""
    state.messages.insert(0, ChatMessageSystem(content=Prompt.load("solvers/codegen").render()))
    program = await step(state.messages, tools, "python")
    state.messages.extend(program.messages)
    if not program.called:
        state.messages.append(ChatMessageUser(content=Prompt.load("solvers/codegen_no_program").render()))
    last = await last_step(state.messages, tools)
    state.messages.extend(last.messages)
    state.output = last.output
