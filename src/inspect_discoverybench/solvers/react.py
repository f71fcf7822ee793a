"""ReAct: a loop of thought, `python` call and observation (paper §5.1)."""

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import store_as

from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.hypothesis import SubmissionState
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import generate_reply, start_agent, submit_step
from inspect_discoverybench.solvers.submission import submit

DEFAULT_TURNS = 25
"""Default maximum number of model calls."""


@solver
def react(turns: int = DEFAULT_TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run Inspect's ReAct agent with the tools `python` and `submit`.

    The agent ends when it calls `submit`, or at a limit of the eval. The last of `turns` model calls says that it is
    the last one and offers `submit` alone. A message without a tool call gets one reminder; a second one in a row leads
    to the last call. No text ends a run by itself.

    Args:
        turns: Maximum number of model calls.
        figures: Whether `python` returns open matplotlib figures. The model must accept images.
        cell_seconds: Time limit of one `python` call in seconds.

    Raises:
        InvalidArgument: `turns` is not a positive integer.
    """
    require_positive("turns", turns)
    run_code, submission = python(cell_seconds, figures=figures), submit()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        start_agent()
        loop = _Loop(turns - 1)
        agent = react_agent(
            name="react",
            model=loop.generate(),
            prompt=AgentPrompt(
                instructions=Prompt.load("solvers/react").render(), handoff_prompt=None, assistant_prompt=None
            ),
            tools=[run_code],
            submit=AgentSubmit(tool=submission, keep_in_messages=True),
            on_continue=loop.next_turn,
        )
        if turns > 1:
            await as_solver(agent)(state, generate)
        if store_as(SubmissionState).submission is None:
            state.messages.append(ChatMessageUser(content=Prompt.load("solvers/react_last").render()))
            final = await submit_step(state.messages, [submission])
            state.messages.extend(final.messages)
            state.output = final.output
        return state

    return solve


class _Loop:
    """The model calls before the last one."""

    def __init__(self, turns: int) -> None:
        """Start with no calls.

        Args:
            turns: Maximum number of calls.
        """
        self.remaining = turns
        self.was_reminded = False

    def generate(self) -> Agent:
        """The agent that generates one message, like `react()` does by default, and repairs it."""

        @agent
        def generate_turn() -> Agent:  # inspect-evals-lint: ignore[custom_solver_tests] -- all tests of react() run it
            async def execute(state: AgentState, tools: list[Tool]) -> AgentState:
                self.remaining -= 1
                state.output = await generate_reply(get_model(), state.messages, tools)
                state.messages.append(state.output.message)
                return state

            return execute

        return generate_turn()

    async def next_turn(self, state: AgentState) -> bool | AgentState:
        """Continue after a tool call, append a reminder to a first text, and stop before the last call."""
        has_called = bool(state.output.message.tool_calls)
        if self.remaining <= 0 or (self.was_reminded and not has_called):
            return False
        self.was_reminded = not has_called
        if not has_called:
            state.messages.append(ChatMessageUser(content=Prompt.load("solvers/react_reminder").render()))
        return True if has_called else state
