"""CodeGen: one program, run once, then a hypothesis based on its output (paper §5.1)."""

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import tool_with
from inspect_ai.util import suspend_turn_limit

from inspect_discoverybench.errors.invalid_values import refusing_unknown
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import Actor, create_actor, has_run_code


@solver
@recording_arguments
@refusing_unknown
def codegen(actions: str = "calls", cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Generate twice: the whole program, then the answer.

    The system prompt contains one worked example. A program that fails is not run again. A model that writes no program
    is asked for one once more.

    Args:
        actions: The form in which the model acts, `calls` or `text`.
        cell_seconds: Time limit of the program in seconds.
    """
    actor = create_codegen_actor(actions, cell_seconds)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        begin_codegen(state, actor)
        await run_codegen(state, actor)
        return state

    return solve


def create_codegen_actor(actions: str, cell_seconds: int) -> Actor:
    """Create the actor for a form.

    The description of its tool `python` does not mention further calls, because only one program is run.

    Args:
        actions: The form in which the model acts, `calls` or `text`.
        cell_seconds: Time limit of the program in seconds.

    Raises:
        InvalidArgument: There is no such form.
    """
    description = Prompt.load("solvers/codegen_tool").render()
    return create_actor(actions, tool_with(python(cell_seconds), description=description))


def begin_codegen(state: TaskState, actor: Actor) -> None:
    """Add the system prompt to the messages of `state`, and put CodeGen's last lines into its task text."""
    actor.wording.begin(state, finish="solvers/codegen_finish", system="solvers/codegen")


async def run_codegen(state: TaskState, actor: Actor) -> None:
    """Write a program, run it and submit, in a conversation that `begin_codegen` has prepared.

    Extends the messages of `state` and sets its output.
    """
    # The kernel starts while the model writes the program.
    PythonSession().start_early()

    wording = actor.wording
    step = await actor.step(state.messages, ["python"])
    step.apply_to(state)
    # Not `has_acted`: a server that ignores the choice of the tool may reply with a call of `submit`.
    if not has_run_code(step.messages):
        state.messages.append(wording.message("solvers/codegen_again"))
        # The second request for a program does not count as another turn of the agent.
        with suspend_turn_limit():
            step = await actor.step(state.messages, ["python"])
        step.apply_to(state)
    if not has_run_code(step.messages):
        state.messages.append(wording.message("solvers/codegen_no_program"))
    answer = await actor.submit(state.messages)
    answer.apply_to(state)
