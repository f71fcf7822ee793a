"""ReAct: a loop of thought, `python` call and observation (paper §5.1)."""

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import apply_limits, turn_limit

from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.final_message import REMINDER, announces_work, flagged_refusal, labelled_submission
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import generate_reply
from inspect_discoverybench.solvers.submission import submit

DEFAULT_TURNS = 25
"""Default maximum number of model calls."""


@solver
def react(turns: int = DEFAULT_TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run Inspect's ReAct agent with the tools `python` and `submit`.

    The agent ends when it calls `submit`, after `turns` model calls, or at a limit of the eval. If the model calls no
    tool, it is reminded to do so, unless its message is the answer: an object with a hypothesis, or a section labelled
    as one. Before the first `python` call, a message that announces work is a plan, not the answer.

    Args:
        turns: Maximum number of model calls.
        figures: Whether `python` returns open matplotlib figures. The model must accept images.
        cell_seconds: Time limit of one `python` call in seconds.

    Raises:
        InvalidArgument: `turns` is not a positive integer.
    """
    require_positive("turns", turns)
    react_loop = react_agent(
        name="react",
        model=_generate_turn(),
        prompt=AgentPrompt(
            instructions=Prompt.load("solvers/react").render(), handoff_prompt=None, assistant_prompt=None
        ),
        tools=[python(cell_seconds, figures=figures)],
        submit=AgentSubmit(tool=submit(), keep_in_messages=True),
        on_continue=_remind_unless_answered,
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        PythonSession().start_early()
        with apply_limits([turn_limit(turns)], catch_errors=True):
            await as_solver(react_loop)(state, generate)
        return state

    return solve


@agent
def _generate_turn() -> Agent:  # inspect-evals-lint: ignore[custom_solver_tests] -- every test of react() runs it
    """Generate one message, like `react()` does by default, and repair it with `generate_reply`."""

    async def execute(state: AgentState, tools: list[Tool]) -> AgentState:
        state.output = await generate_reply(get_model(), state.messages, tools)
        state.messages.append(state.output.message)
        return state

    return execute


async def _remind_unless_answered(state: AgentState) -> bool | AgentState:
    """Continue after a tool call, stop at an answer, and otherwise append a reminder."""
    if state.output.message.tool_calls:
        return True
    if not flagged_refusal(state.output) and _is_answer(state):
        return False
    reminder = ChatMessageUser(content=Prompt.load("solvers/react_reminder").render(), metadata=REMINDER)
    state.messages.append(reminder)
    return state


def _is_answer(state: AgentState) -> bool:
    """Whether the last text is labelled as an answer, and is not a plan from before the first `python` call."""
    text = state.output.completion
    if labelled_submission(text) is None:
        return False
    has_worked = any(isinstance(message, ChatMessageTool) for message in state.messages)
    return has_worked or not announces_work(text)
