"""The rule-based analyst in real evals of real tasks."""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.solver import Solver

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react

BEEKEEPING = "demo/beekeeping_0_0/0/0"


def evaluated(agent: Solver | list[Solver], *sample_ids: str) -> list[EvalSample]:
    """Samples of the demo task, in the order of their ids."""
    [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=agent, sample_id=list(sample_ids) or None)
    assert log.status == "success", log.error
    samples = read_eval_log(log.location, resolve_attachments=True).samples
    assert samples
    return sorted(samples, key=lambda sample: str(sample.id))


def answer_and_score(sample: EvalSample) -> tuple[str, object]:
    assert sample.scores
    score = sample.scores["HMS"]
    assert isinstance(score.value, dict)
    return str(score.answer), score.value["hms"]


@pytest.mark.usefixtures("slow")
def test_the_demo_is_solved_in_part() -> None:
    samples = evaluated(react())
    answers = {str(sample.id): answer_and_score(sample) for sample in samples}
    hypothesis, _ = answers[BEEKEEPING]
    assert hypothesis.startswith("Among the hives of the Alder Valley, honey_yield_kg increases linearly with ")
    assert [score for _, score in answers.values()] == [
        0.4,  # one variable too many (0.8), and a more general relationship (0.5)
        1,
        0,  # another context
        0,  # other variables
        1,
        0.5,  # a more general relationship
        0.5,  # a more general relationship
        0,  # another context
    ]
    for sample in samples:
        assert "Rule-based baseline, not a language model" in str(sample.store["SubmissionState:submission"])


def test_without_python_the_analyst_guesses() -> None:
    [sample] = evaluated(no_data_guess(), BEEKEEPING)
    assert answer_and_score(sample) == ("The variables that the goal names are related.", 0)
    # The workflow is always the same, and says that a hypothesis may be a guess.
    assert "or guesses." in str(sample.store["SubmissionState:submission"])
