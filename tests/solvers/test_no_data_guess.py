"""NoDataGuess: one generation, without access to the data."""

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.tool import ToolFunction
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.solvers.scripted import calls, play, replies, submission, submit

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses"
HANDED_IN = submit(hypothesis="h", workflow="w")


@solver
def look() -> Solver:
    """Note which files are in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store().set("files", (await sandbox().exec(["ls"])).stdout.split())
        return state

    return solve


def test_a_single_generation_must_call_submit() -> None:
    sample = play([HANDED_IN], no_data_guess())
    [call] = calls(sample)
    assert call.tool_choice == ToolFunction(name="submit")
    [tool] = call.tools
    assert tool.name == "submit"
    assert "loading the data" not in str(tool)
    assert call.input[0].text == Prompt.load("solvers/no_data_guess").render()
    assert "from loading the data" not in call.input[1].text
    assert submission(sample)


@pytest.mark.parametrize("columns", [False, True])
def test_columns_are_shown_on_request_and_hints_are_kept(columns: bool) -> None:
    task = task_with(custom(path=str(STUDY), sandbox="local", domain_knowledge=True), solver=no_data_guess(columns))
    model = get_model("mockllm/model", custom_outputs=replies([HANDED_IN]), memoize=False)
    log = inspect_eval(task, model=model, model_roles={"grader": "mockllm/judge"}, limit=1, score=False)[0]
    assert log.samples
    text = log.samples[0].messages[1].text
    assert ("Columns:" in text) is columns
    assert "## Domain knowledge" in text
    assert "## Workflow tags" not in text


def test_a_goal_that_names_a_hint_does_not_reveal_it() -> None:
    goal = "Does Domain knowledge of Workflow tags raise visits?"
    task = task_with(custom(path=str(STUDY / "metadata_0.json"), goal=goal, sandbox="local"), solver=no_data_guess())
    model = get_model("mockllm/model", custom_outputs=replies([HANDED_IN]), memoize=False)
    log = inspect_eval(task, model=model, limit=1, score=False)[0]
    assert log.samples
    assert "Visitors reach lighthouses" not in log.samples[0].messages[1].text


def test_no_data_file_is_in_the_sandbox() -> None:
    assert play([HANDED_IN], chain(look(), no_data_guess())).store["files"] == ["data.csv"]
    assert play([HANDED_IN], chain(no_data_guess(), look())).store["files"] == []
