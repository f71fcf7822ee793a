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
            instructions = person_instructions(sample_limits().time.limit)
            state.messages.append(ChatMessageUser(content=instructions))
        return state

    return solve


def person_instructions(time_limit: float | None) -> str:
    """Render the instructions.

    Args:
        time_limit: Time limit of the sample in seconds; None if there is none.
    """
    limit = "There is no time limit."
    if time_limit is not None:
        limit = f"The task ends {time_limit / 60:.0f} minutes after its start, even if you stop the clock."
    return Prompt.load("solvers/person").render(time_limit=limit)
