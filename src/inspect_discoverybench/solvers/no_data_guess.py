"""NoDataGuess: a hypothesis from the dataset description and goal alone, a test for memorization (paper §5.1)."""

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.errors.invalid_values import refusing_unknown
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.solvers.step import create_actor


@solver
@recording_arguments
@refusing_unknown
def no_data_guess(columns: bool = False, actions: str = "calls") -> Solver:
    """Generate once, and submit. There is no `python` tool, and the data files are removed.

    Args:
        columns: Whether to show the columns of the data files. The paper lets the agent see the description of the
            data set, and does not say whether the columns are part of it.
        actions: The form of the answer: a call (`calls`), or a JSON object (`text`).
    """
    actor = create_actor(actions)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = SampleMetadata.of(state, needed_by="no_data_guess")
        # Inspect copies a sample's files into the sandbox before any solver runs. They are removed as a safeguard: the
        # model has no tool that could read them.
        names = [file.name for file in metadata.data_files]
        await sandbox().exec(["rm", "-rf", "--", *names])

        hints = Hints(
            domain_knowledge="domain_knowledge" in metadata.hints,
            workflow_tags="workflow_tags" in metadata.hints,
            framing=metadata.framing,
        )
        state.user_prompt.text = task_text(metadata, hints, prompt="no_data_guess_task", list_columns=columns)
        actor.wording.begin(state, finish="solvers/no_data_guess_finish", system="solvers/no_data_guess")
        answer = await actor.submit(state.messages)
        answer.apply_to(state)
        return state

    return solve
