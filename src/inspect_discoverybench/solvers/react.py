"""ReAct: a thought, one `python` call, its observation, and again (paper §5.1)."""

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import apply_limits, turn_limit

from inspect_discoverybench.errors import at_least_one
from inspect_discoverybench.final_message import flagged_refusal, labelled_submission
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import generated
from inspect_discoverybench.solvers.submission import submit

TURNS = 25
"""Default number of turns, which are model calls."""


@solver
def react(turns: int = TURNS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Inspect's ReAct agent with the tools `python` and `submit`.

    It ends with `submit`, after `turns` model calls, or at a limit of the eval. A turn without a tool call gets a
    reminder, unless it is the answer itself: an object with a hypothesis, or a section labelled as one.

    Args:
        turns: Most model calls.
        figures: Show open matplotlib figures to the model, which must take images.
        cell_seconds: Time limit of one `python` call.

    Raises:
        InvalidArgument: `turns` is not 1 or more.
    """
    at_least_one("turns", turns)
    reacting = react_agent(
        name="react",
        model=_turn(),
        prompt=AgentPrompt(
            instructions=Prompt.load("solvers/react").render(), handoff_prompt=None, assistant_prompt=None
        ),
        tools=[python(cell_seconds, figures=figures)],
        submit=AgentSubmit(tool=submit(), keep_in_messages=True),
        on_continue=_remind_unless_answered,
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with apply_limits([turn_limit(turns)], catch_errors=True):
            await as_solver(reacting)(state, generate)
        return state

    return solve


@agent
def _turn() -> Agent:
    """One generation, as `react()` makes it itself, in a form that can be stored and carried out."""

    async def execute(state: AgentState, tools: list[Tool]) -> AgentState:
        state.output = await generated(get_model(), state.messages, tools)
        state.messages.append(state.output.message)
        return state

    return execute


async def _remind_unless_answered(state: AgentState) -> bool | str:
    if state.output.message.tool_calls:
        return True
    if not flagged_refusal(state.output) and labelled_submission(state.output.completion) is not None:
        return False
    return Prompt.load("solvers/react_reminder").render()
