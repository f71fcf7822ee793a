"""NoDataGuess: one generation, without access to the data."""

from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.tool import ToolFunction
from inspect_ai.util import sandbox, store

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.solvers.scripted import calls, play, submission, submit

HANDED_IN = submit(hypothesis="h", workflow="w")


@solver
def look() -> Solver:
    """Note which files are in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store().set("files", (await sandbox().exec(["ls", "-A"])).stdout.split())
        return state

    return solve


def test_a_single_generation_must_call_submit() -> None:
    sample = play([HANDED_IN], no_data_guess())
    [call] = calls(sample)
    assert call.tool_choice == ToolFunction(name="submit")
    assert [tool.name for tool in call.tools] == ["submit"]
    assert call.input[0].text == Prompt.load("solvers/no_data_guess").render()
    assert "loaf_volume_ml" in call.input[1].text
    assert submission(sample)


def test_no_data_file_is_in_the_sandbox() -> None:
    assert play([HANDED_IN], chain(look(), no_data_guess())).store["files"] == ["data.csv"]
    assert play([HANDED_IN], chain(no_data_guess(), look())).store["files"] == []
