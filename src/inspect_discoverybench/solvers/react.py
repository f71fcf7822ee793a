"""ReAct: a thought, one `python` call, its observation, and again (paper §5.1)."""

from inspect_ai.agent import AgentPrompt, AgentSubmit, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import apply_limits, turn_limit

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit

TURNS = 25
"""Default number of turns, which are model calls."""


@solver
def react(turns: int = TURNS) -> Solver:
    """Inspect's ReAct agent with the tools `python` and `submit`.

    It ends with `submit`, after `turns` model calls, or at a limit of the eval. A turn without a tool call gets a
    reminder.

    Args:
        turns: Most model calls.
    """
    agent = react_agent(
        name="react",
        prompt=AgentPrompt(
            instructions=Prompt.load("solvers/react").render(), handoff_prompt=None, assistant_prompt=None
        ),
        tools=[python()],
        submit=AgentSubmit(tool=submit(), keep_in_messages=True),
        on_continue=Prompt.load("solvers/react_reminder").render(),
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with apply_limits([turn_limit(turns)], catch_errors=True):
            await as_solver(agent)(state, generate)
        return state

    return solve
