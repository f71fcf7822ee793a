"""An agent of one's own: it shows the model a profile of the data files before the first step (docs/own_agent.md)."""

from inspect_ai.agent import AgentSubmit, as_solver, react
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver

from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit

PROFILE = """
import glob
import pandas as pd

for name in sorted(glob.glob("*.csv")):
    print(name)
    print(pd.read_csv(name, sep=None, engine="python").describe(include="all").T.to_string(max_cols=8))
"""


@solver
def profile_first() -> Solver:
    """Inspect's `react()` with the tools of the package, after a profile of the data."""
    agent = react(tools=[python()], submit=AgentSubmit(tool=submit()))
    return chain(profile(), as_solver(agent))


@solver
def profile() -> Solver:
    """Run code of our own in the sample's session, and add its output to the conversation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        output = await python()(code=PROFILE)
        state.messages.append(ChatMessageUser(content=f"A profile of the data files:\n\n{output}"))
        return state

    return solve
