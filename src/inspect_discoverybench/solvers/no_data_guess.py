"""NoDataGuess: a hypothesis from the dataset description and goal alone, a test for memorization (paper §5.1)."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox, store_as

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.step import submit_step
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.submission.submission import SubmissionState


@solver
def no_data_guess(columns: bool = False) -> Solver:
    """Generate once, with a call to `submit`. There is no `python` tool, and the data files are removed.

    Args:
        columns: Whether to show the columns of the data files. The paper lets the agent see the description of the
            data set, which may or may not include them.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = state.metadata_as(SampleMetadata)
        # Inspect copies a sample's files into the sandbox before any solver runs.
        await sandbox().exec(["rm", "-rf", "--", *(file.name for file in metadata.data_files)])
        hints = Hints(**dict.fromkeys(metadata.hints, True))
        state.user_prompt.text = task_text(metadata, hints, "no_data_guess_task", columns)
        state.messages.insert(0, ChatMessageSystem(content=Prompt.load("solvers/no_data_guess").render()))
        state.tools = [submit()]
        store_as(SubmissionState).texts = []
        state.output, messages = await submit_step(state.messages, state.tools)
        state.messages.extend(messages)
        return state

    return solve
