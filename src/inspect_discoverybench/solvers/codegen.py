"""CodeGen: one program, run once, then a hypothesis based on its output (paper §5.1)."""

from collections.abc import Sequence

from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import start_agent, step, submit_step
from inspect_discoverybench.solvers.submission import submit


@solver
def codegen(cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Generate twice: a call to `python` with the whole program, then a call to `submit`.

    The system prompt contains one worked example. A program that fails is not run again.
    """
    tools = [python(cell_seconds), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await run_codegen(state, tools)
        return state

    return solve


async def run_codegen(state: TaskState, tools: Sequence[Tool]) -> None:
    """Write a program, run it and submit. Extends the messages of `state` and sets its output."""
    start_agent()
    state.messages.insert(0, ChatMessageSystem(content=Prompt.load("solvers/codegen").render()))
    _, messages = await step(state.messages, tools, "python")
    state.messages.extend(messages)
    if len(messages) == 1:
        state.messages.append(ChatMessageUser(content=Prompt.load("solvers/codegen_no_program").render()))
    state.output, messages = await submit_step(state.messages, tools)
    state.messages.extend(messages)
