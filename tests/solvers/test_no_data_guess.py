"""NoDataGuess: one generation, without access to the data."""

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.solvers.scripted import calls, play, scripted, submission, submit

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses"
ANSWER = submit(hypothesis="h", workflow="w")


@solver
def look() -> Solver:
    """Note which files are in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["ls"])
        store().set("files", listing.stdout.split())
        return state

    return solve


def test_a_single_generation_must_call_submit() -> None:
    sample = play([ANSWER], no_data_guess())
    [call] = calls(sample)
    [tool] = call.tools
    assert (call.tool_choice, tool.name) == ("any", "submit")
    assert "loading the data" not in str(tool)
    assert call.input[0].text.startswith("You know the published research literature well.")
    assert "from loading the data" not in call.input[1].text
    assert submission(sample)


def test_a_guess_in_text_is_not_asked_to_run_code() -> None:
    sample = play([ANSWER], no_data_guess(actions="text"))
    [call] = calls(sample)
    assert "code" not in call.input[1].text
    assert submission(sample)


def task_text_of(task: Task, agent: Solver) -> str:
    """The task text that the agent shows the model."""
    roles = {"grader": "mockllm/judge"}
    [log] = inspect_eval(task, model=scripted([ANSWER]), model_roles=roles, solver=agent, limit=1, score=False)
    assert log.samples
    return log.samples[0].messages[1].text


@pytest.mark.parametrize("columns", [False, True])
def test_columns_are_shown_on_request_and_hints_are_kept(columns: bool) -> None:
    task = custom(path=str(STUDY), sandbox="local", domain_knowledge=True)
    text = task_text_of(task, no_data_guess(columns))
    assert ("Columns:" in text) is columns
    assert "## Domain knowledge" in text
    assert "## Workflow tags" not in text


def test_a_goal_that_names_a_hint_does_not_reveal_it() -> None:
    goal = "Does Domain knowledge of Workflow tags raise visits?"
    file = STUDY / "metadata_0.json"
    task = custom(path=str(file), goal=goal, sandbox="local")
    text = task_text_of(task, no_data_guess())
    assert "Visitors reach lighthouses" not in text


def test_no_data_file_is_in_the_sandbox() -> None:
    before = play([ANSWER], chain(look(), no_data_guess()))
    after = play([ANSWER], chain(no_data_guess(), look()))
    assert before.store["files"] == ["data.csv"]
    assert after.store["files"] == []
