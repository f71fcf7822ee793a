"""Instructions for a person who works in the sandbox in place of a model, with Inspect's `human_cli`."""

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sample_limits

from inspect_discoverybench.prompts.prompt import Prompt


@solver
def instruct_person() -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- all tasks run it
    """Add instructions for a person to the task text if no model is evaluated.

    The task text names tools, which a person does not have. `human_cli` shows all messages as instructions.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == "none":  # Inspect's provider if no model is evaluated
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
    limits = []
    if working_limit is not None:
        limits.append(f"The task ends after {working_limit / 60:.0f} minutes, even if you stop the clock.")
    if time_limit is not None:
        limits.append(
            f"The task ends after {time_limit / 60:.0f} minutes, counted from the start of the sample, "
            "even if you stop the clock."
        )
    text = " ".join(limits) or "There is no time limit."
    return Prompt.load("solvers/person").render(limits=text)
