"""The gold solver: submits the gold hypothesis, to verify tasks, scorer and judge without an agent."""

from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store_as

from inspect_discoverybench.hypothesis import Submission, SubmissionState


@solver
def gold() -> Solver:
    """Submit the gold hypothesis, and the gold workflow if it is public. No model is called."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store_as(SubmissionState).submission = Submission(
            hypothesis=state.target.text, workflow=state.metadata.get("gold_workflow") or ""
        )
        state.output = ModelOutput.from_content("gold", state.target.text)
        state.messages.append(state.output.message)
        return state

    return solve
