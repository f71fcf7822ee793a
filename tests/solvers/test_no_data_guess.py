"""NoDataGuess: one generation, without access to the data."""

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.solvers.scripted import calls, offered, play, scripted, submission, submit

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses"
ANSWER = submit(hypothesis="h", workflow="w")


@solver
def look(name: str) -> Solver:
    """Store under this name which files are in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["ls"])
        store().set(name, listing.stdout.split())
        return state

    return solve


def test_a_single_generation_must_call_submit() -> None:
    sample = play([ANSWER], no_data_guess())
    [call] = calls(sample)
    assert call.tool_choice == "any"
    assert offered(call) == ["submit"]
    assert call.input[0].text.startswith("You know the published research literature well.")
    # The task text of the other agents asks for a workflow that begins with this step.
    assert "from loading the data" not in call.input[1].text
    assert submission(sample)


@pytest.mark.parametrize("columns", [False, True])
def test_columns_are_shown_on_request_and_hints_are_kept(columns: bool) -> None:
    # Of the two kinds of hints, this task text has only the domain knowledge.
    task = custom(path=str(STUDY), sandbox="local", domain_knowledge=True)
    [log] = inspect_eval(
        task,
        model=scripted([ANSWER]),
        model_roles={"grader": "mockllm/judge"},
        solver=no_data_guess(columns=columns),
        limit=1,
        score=False,
    )
    assert log.samples
    text = log.samples[0].messages[1].text
    assert ("Columns:" in text) is columns
    assert "## Domain knowledge" in text
    assert "## Workflow tags" not in text


def test_the_data_files_are_removed_from_the_sandbox() -> None:
    sample = play([ANSWER], chain(look("before"), no_data_guess(), look("after")))
    assert sample.store["before"] == ["data.csv"]
    assert sample.store["after"] == []
