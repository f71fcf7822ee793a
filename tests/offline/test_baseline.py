"""The rule-based analyst in real evals of real tasks."""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import Solver

from inspect_discoverybench import demo, real
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.submission.submission import SubmissionState
from tests.dataset.studies import first_of_each_study

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


def tool_calls(sample: EvalSample) -> list[str]:
    replies = [message for message in sample.messages if isinstance(message, ChatMessageAssistant)]
    return [call.function for reply in replies for call in reply.tool_calls or []]


def test_the_demo_is_solved_in_part() -> None:
    samples = evaluated(react())
    answers = [answer_and_score(sample) for sample in samples]
    assert answers[1][0].startswith("Among the hives of the Alder Valley, honey_yield_kg increases linearly with ")
    assert [score for _, score in answers] == [0.4, 1, 0, 0, 0.5, 0.5, 0.5, 0]
    for sample in samples:
        assert "Rule-based baseline, not a language model" in str(sample.store["SubmissionState:submission"])
        assert tool_calls(sample) == ["python", "submit"]


def test_without_python_it_guesses_and_says_so() -> None:
    [sample] = evaluated(no_data_guess(), BEEKEEPING)
    assert answer_and_score(sample) == ("The variables that the goal names are related.", 0)


@pytest.mark.usefixtures("sweep")
@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("split", ["train", "test"])
def test_every_real_study_is_analysed_without_an_error(split: str) -> None:
    task = real(split=split, sandbox="local")
    [log] = inspect_eval(
        task_with(task, scorer=None),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        sample_id=first_of_each_study(task),
    )
    assert log.status == "success", log.error
    for sample in read_eval_log(log.location, resolve_attachments=True).samples or []:
        outputs = "\n".join(message.text for message in sample.messages if message.role == "tool")
        assert "Traceback" not in outputs, sample.id
        assert sample.store_as(SubmissionState).submission, sample.id
