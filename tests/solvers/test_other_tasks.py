"""Our agents on tasks of other packages: they work where they can, else one line says why not."""

import json
from collections.abc import Callable

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import includes
from inspect_ai.solver import Solver

from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager import datavoyager
from inspect_discoverybench.solvers.gold import goal_echo
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.solvers.scripted import BOTH_FORMS, Turn, python, scripted, submit, verdict

HYPOTHESIS = "In all rows, y rises with x."
ANSWER = submit(hypothesis=HYPOTHESIS, workflow="1. load")
LOOK = python("print(6 * 7)")
DRAFT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "1. load"})
ANSWERED = verdict("coder", "", answered=True)
TEAM: list[Turn] = ["1. Count.", verdict("coder", "count"), LOOK, ANSWERED, DRAFT, ANSWERED]

QUESTIONS = {
    "a text": Sample(input="Does y rise with x?", target="y rises with x"),
    "messages": Sample(
        input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Does y rise with x?")],
        target="y rises with x",
    ),
    # Our metadata have this key, too, and others that are missing here.
    "metadata of its own": Sample(input="Does y rise with x?", target="y rises with x", metadata={"split": "test"}),
}


def run(solver: Solver, script: list[Turn], sample: Sample) -> EvalLog:
    task = Task(dataset=MemoryDataset([sample]), scorer=includes(), sandbox="local")
    [log] = inspect_eval(task, model=scripted(script), solver=solver)
    return log


WORK: dict[str, tuple[Callable[..., Solver], list[Turn]]] = {
    "react": (react, [LOOK, ANSWER]),
    "codegen": (codegen, [LOOK, ANSWER]),
    "datavoyager": (datavoyager, TEAM),
}


@pytest.mark.usefixtures("slow")
@BOTH_FORMS
@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("question", QUESTIONS)
def test_agents_work_on_the_task_of_another_package(name: str, form: str, question: str) -> None:
    agent, script = WORK[name]
    log = run(agent(actions=form), script, QUESTIONS[question])
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].output.completion == HYPOTHESIS
    assert log.results
    assert log.results.scores[0].metrics["accuracy"].value == 1


NEED_OUR_TASKS = {"no_data_guess": no_data_guess(), "reflexion": reflexion(), "goal_echo": goal_echo()}


@pytest.mark.parametrize("name", NEED_OUR_TASKS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_agents_that_need_our_metadata_say_so_in_one_line(name: str, question: str) -> None:
    log = run(NEED_OUR_TASKS[name], [ANSWER], QUESTIONS[question])
    assert log.error
    assert log.error.message.startswith(f"{name} cannot run on the sample 1: ")
    assert f"Use {name} only with the tasks of inspect-discoverybench." in log.error.message
    assert "\n" not in log.error.message
