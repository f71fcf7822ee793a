"""Two solvers without a model, which show the ceiling and the floor of a judge."""

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store_as

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.errors.invalid_values import refusing_unknown
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.submission.submission import Submission, SubmissionState


@solver
@recording_arguments
@refusing_unknown
def gold() -> Solver:
    """Submit the gold hypothesis, and the gold workflow if it is public, to verify tasks, scorer and judge."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return _submit(state, "gold", state.target.text, state.metadata.get("gold_workflow") or "")

    return solve


@solver
@recording_arguments
@refusing_unknown
def goal_echo() -> Solver:
    """Submit the goal as a claim, without the data. Its score is the floor: the score of discovering nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = SampleMetadata.of(state, needed_by="goal_echo")
        claim = f"In these data, there is a relationship of the kind that this goal asks about: {metadata.goal}"
        return _submit(state, "goal_echo", claim)

    return solve


def _submit(state: TaskState, name: str, hypothesis: str, workflow: str = "") -> TaskState:
    store_as(SubmissionState).submission = Submission(hypothesis=hypothesis, workflow=workflow)
    state.output = ModelOutput.from_content(model=name, content=hypothesis)
    state.messages.append(state.output.message)
    return state
