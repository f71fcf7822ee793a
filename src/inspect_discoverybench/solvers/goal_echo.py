"""The solver that restates the goal: the floor that every judge should be shown."""

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store_as

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.hypothesis import Submission, SubmissionState


@solver
def goal_echo() -> Solver:
    """Submit the goal as a claim, without looking at the data. No model is called."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        goal = state.metadata_as(SampleMetadata).goal
        claim = f"In these data, there is a relationship of the kind that this goal asks about: {goal}"
        store_as(SubmissionState).submission = Submission(hypothesis=claim)
        state.output = ModelOutput.from_content("goal_echo", claim)
        state.messages.append(state.output.message)
        return state

    return solve
