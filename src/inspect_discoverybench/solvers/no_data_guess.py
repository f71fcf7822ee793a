"""NoDataGuess: the hypothesis from description and goal alone, which measures what the model remembers (paper §5.1)."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.step import last_step
from inspect_discoverybench.solvers.submission import submit


@solver
def no_data_guess() -> Solver:
    """One generation that must call `submit`; there is no `python`, and no data file in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # Inspect copies a sample's files before any solver runs.
        names = [file.name for file in state.metadata_as(SampleMetadata).data_files]
        await sandbox().exec(["rm", "-rf", "--", *names])
        state.messages.insert(0, ChatMessageSystem(content=Prompt.load("solvers/no_data_guess").render()))
        state.tools = [submit()]
        guess = await last_step(state.messages, state.tools)
        state.messages.extend(guess.messages)
        state.output = guess.output
        return state

    return solve
