"""Instructions for a person who works in the sandbox in place of a model, with Inspect's `human_cli`."""

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sample_limits

from inspect_discoverybench.prompts import Prompt

NO_MODEL = "none"
"""Inspect's provider if no model is evaluated."""


@solver
def instruct_person() -> Solver:
    """Add instructions for a person to the task text if no model is evaluated.

    The task text names tools, which a person does not have. `human_cli` shows all messages as instructions.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == NO_MODEL:
            limits = sample_limits()
            instructions = person_instructions(limits.working.limit, limits.time.limit)
            state.messages.append(ChatMessageUser(content=instructions))
        return state

    return solve


def person_instructions(working_limit: float | None, time_limit: float | None) -> str:
    """Render the instructions with the limits that apply.

    Args:
        working_limit: Limit of the sample's working time in seconds; None if there is none.
        time_limit: Limit of the sample's time since its start in seconds; None if there is none.
    """
    limits = [
        f"The task ends after {seconds / 60:.0f} minutes{since}, even if you stop the clock."
        for seconds, since in ((working_limit, ""), (time_limit, ", counted from the start of the sample"))
        if seconds is not None
    ]
    return Prompt.load("solvers/person").render(limits=" ".join(limits) or "There is no time limit.")
