"""ReAct: a loop of thought, action and observation (paper §5.1)."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench.errors.invalid_values import refusing_unknown, require_positive
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import Actor, create_actor, has_submitted


@solver
@recording_arguments
@refusing_unknown
def react(turns: int = 25, actions: str = "calls", cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Let the model run code, one step after the other, until it submits.

    In the last of `turns` model calls, the model is told that it is the last one, and must submit. A message without an
    action does not end the run. It is followed by a reminder. If the next message has no action either, the last call
    follows at once.

    Args:
        turns: Maximum number of model calls.
        actions: The form in which the model acts, `calls` or `text`.
        cell_seconds: Time limit of one cell in seconds.
    """
    require_positive("turns", turns)
    actor = create_actor(actions, python(cell_seconds))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # The kernel starts while the model thinks. The tool `python` finds it in the sample's store.
        PythonSession().start_early()

        # This adds the system prompt and tells the model how to finish.
        actor.wording.begin(state, finish="solvers/react_finish", system="solvers/react")

        # One model call is kept for the submission.
        await _work(state, actor, turns - 1)
        if not has_submitted():
            state.messages.append(actor.wording.message("solvers/react_last"))
            answer = await actor.submit(state.messages)
            answer.apply_to(state)
        return state

    return solve


async def _work(state: TaskState, actor: Actor, turns: int) -> None:
    """Take at most `turns` steps.

    No further step is taken after the model submits, fills its context window, or takes no action in two steps in a
    row.
    """
    was_reminded = False
    for _ in range(turns):
        step = await actor.step(state.messages, ["python", "submit"])
        step.apply_to(state)
        if has_submitted() or step.output.stop_reason == "model_length":
            return
        if not step.has_acted:
            if was_reminded:
                return
            state.messages.append(actor.wording.message("solvers/react_reminder"))
        was_reminded = not step.has_acted
