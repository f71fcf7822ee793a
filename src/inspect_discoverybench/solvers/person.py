"""Instructions for a person who works in the sandbox in place of a model, with Inspect's `human_cli`."""

import anyio
from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sample_limits, suspend_working_limit

from inspect_discoverybench.prompts.prompt import Prompt

_turns: dict[str, anyio.Semaphore] = {}
"""The turns of running samples, by the unique id of the sample."""


@solver
def instruct_person() -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- all tasks run it
    """Add instructions for a person to the task text if no model is evaluated, once it is the sample's turn.

    The task text names tools, which a person does not have. `human_cli` shows all messages as instructions. A person
    solves one sample at a time, and waiting for the turn does not count as working time.
    """
    turn = anyio.Semaphore(1)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == "none":  # Inspect's provider if no model is evaluated
            with suspend_working_limit():
                await turn.acquire()
            _turns[state.uuid] = turn
            limits = sample_limits()
            instructions = person_instructions(limits.working.limit, limits.time.limit)
            state.messages.append(ChatMessageUser(content=instructions))
        return state

    return solve


def end_turn(state: TaskState) -> None:
    """End the turn of a sample, if a person solved it."""
    if turn := _turns.pop(state.uuid, None):
        turn.release()


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
