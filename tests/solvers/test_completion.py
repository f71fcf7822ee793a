"""The submitted hypothesis is the sample's completion, so that scorers of other packages see it."""

import json

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Scorer, includes, model_graded_qa
from inspect_ai.solver import Solver, generate

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.datavoyager import datavoyager
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.solvers.agents import AGENTS
from tests.solvers.scripted import (
    BOTH_FORMS,
    Script,
    Turn,
    costly,
    finished,
    play,
    python,
    scripted,
    submit,
    submitted,
    verdict,
)

HYPOTHESIS = "In all rows, y rises with x."
ANSWER = submit(hypothesis=HYPOTHESIS, workflow="1. load")
CODE = python("print(6 * 7)")
DRAFT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "1. load"})
ANSWERED = verdict("coder", "", answered=True)

SCRIPTS: dict[str, Script] = {
    "react": [CODE, ANSWER],
    "codegen": [CODE, ANSWER],
    "datavoyager": ["1. Count.", verdict("coder", "count"), CODE, ANSWERED, DRAFT, ANSWERED],
    "reflexion": [CODE, ANSWER, "I was wrong."] * 2,  # two trials
    "no_data_guess": [ANSWER],
}


@pytest.mark.usefixtures("slow")
@BOTH_FORMS
@pytest.mark.parametrize("name", AGENTS)
def test_the_submitted_hypothesis_is_the_completion(name: str, form: str) -> None:
    sample = play(SCRIPTS[name], AGENTS[name](form))
    assert submitted(sample).hypothesis == HYPOTHESIS
    assert sample.output.completion == HYPOTHESIS


@pytest.mark.usefixtures("slow")
def test_a_submission_in_the_last_turn_of_a_team_is_the_completion() -> None:
    script: list[Turn] = ["1. Count.", verdict("coder", "count"), CODE, ANSWER]
    assert play(script, datavoyager(turns=1)).output.completion == HYPOTHESIS


def test_what_a_plain_solver_submits_is_the_completion() -> None:
    assert play([CODE, ANSWER], generate()).output.completion == HYPOTHESIS


@pytest.mark.usefixtures("slow")
def test_without_a_submission_the_completion_is_what_the_model_wrote() -> None:
    assert play(["I think."], react(turns=1)).output.completion == "I think."


def test_if_a_limit_ends_a_trial_the_completion_is_the_answer_of_the_one_before() -> None:
    first_trial: list[Turn] = [CODE, ANSWER, "I was wrong."]
    # The first call of the second trial costs more than the sample may.
    sample = play([*first_trial, costly(CODE)], reflexion(), token_limit="output:500")
    assert sample.limit
    assert submitted(sample).hypothesis == HYPOTHESIS
    assert sample.output.completion == HYPOTHESIS


def graded(scorer: Scorer, solver: Solver) -> object:
    """The value that another scorer gives the submitted hypothesis. The target is a part of the hypothesis."""
    task = task_with(demo(), scorer=scorer)
    task.dataset[0].target = "y rises with x"

    def grade(messages: object, _action: object) -> ModelOutput:
        return ModelOutput.from_content("mockllm/model", "GRADE: C" if HYPOTHESIS in str(messages) else "GRADE: I")

    [log] = inspect_eval(
        task,
        model=scripted(SCRIPTS["react"]),
        model_roles={"grader": scripted(grade)},
        solver=solver,
        limit=1,
    )
    [sample] = finished(log).samples or []
    [score] = (sample.scores or {}).values()
    return score.value


@BOTH_FORMS
def test_other_scorers_see_the_submission(form: str) -> None:
    assert graded(includes(), react(actions=form)) == "C"
    assert graded(model_graded_qa(), react(actions=form)) == "C"
