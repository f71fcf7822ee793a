"""Failures of the judge's and the agent's provider: errors that say whose model failed, why, and what to do."""

from collections.abc import Callable

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelOutput, get_model
from inspect_ai.util import LimitExceededError

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import JudgeFailed
from inspect_discoverybench.scorer.gather import gather
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.endpoint import Answer, NoChoices, Raw, Refused, Request, serve
from tests.scorer.judging import case_number, judge_at, sample, scripted, writes_its_number

FAULTS: list[tuple[Answer, str]] = [
    (500, "500"),
    (429, "429"),
    (Raw(502, b"<html>Bad gateway</html>", "text/html"), "502"),
    (Raw(None), "Connection error"),
    (Raw(body=b'{"id": "1", "obj'), "Check the base URL"),
    (Raw(body=b"[" * 100_000), "Check the base URL"),
    (Raw(body=b"<html>Maintenance</html>", content_type="text/html"), "Check the base URL"),
    (Raw(body=b'{"object": "chat.completion", "choices": null}'), ""),
    (NoChoices(), "no choices"),
    (Refused("Your credit balance is too low."), "credit balance"),
]
"""Faults, and what their error mentions."""


def errors(log: EvalLog) -> dict[str, str]:
    """Messages of the errors by sample."""
    return {str(sample.id): sample.error.message for sample in log.samples or [] if sample.error}


def test_errors_of_several_questions_at_once_name_the_judge_and_the_first_cause() -> None:
    with serve(lambda request: FAULTS[case_number(request) - 1][0]) as endpoint:
        task = Task(
            [sample(n) for n in range(1, len(FAULTS) + 1)],
            solver=writes_its_number(),
            scorer=hms(),
            fail_on_error=False,
        )
        judge = judge_at(endpoint, config=GenerateConfig(max_retries=0), max_retries=0)
        log = inspect_eval(task, model="mockllm/model", model_roles={"grader": judge})[0]
    messages = errors(log)
    assert len(messages) == len(FAULTS)
    for name, message in messages.items():
        _, cause = FAULTS[int(name.rpartition("/")[2]) - 1]
        assert message.startswith("The judge openai/gpt-4o failed on the question about "), message
        assert cause in message
        assert "inspect eval-retry" in message
        assert "TaskGroup" not in message
        assert "\n" not in message
    assert not any(sample.scores for sample in log.samples or [])


def guessing(model: Model) -> EvalLog:
    """The log of an agent that calls the model once."""
    task = task_with(demo(), solver=no_data_guess())
    return inspect_eval(task, model=model, limit=1, fail_on_error=False, max_retries=0)[0]


def test_a_timeout_of_the_agents_provider_is_an_error() -> None:
    """Inspect would score the sample as if the agent had finished, which is a zero."""

    def output(*_: object) -> ModelOutput:
        raise TimeoutError("the connection timed out")

    log = guessing(get_model("mockllm/model", custom_outputs=output, memoize=False))
    [message] = errors(log).values()
    assert message.startswith("The agent's model mockllm/model failed: the connection timed out")
    assert "inspect eval-retry" in message
    assert not any(sample.scores for sample in log.samples or [])


@pytest.mark.parametrize(("of_eval", "of_role"), [(1, None), (600, 1)], ids=["inherited", "of the role"])
def test_a_stalled_judge_ends_at_the_attempt_timeout(of_eval: int, of_role: int | None) -> None:
    good = scripted()
    with serve(stalling(good)) as endpoint:
        judge = judge_at(endpoint, config=GenerateConfig(attempt_timeout=of_role))
        task = Task([sample()], solver=writes_its_number(), scorer=hms(), fail_on_error=False)
        log = inspect_eval(
            task, model="mockllm/model", model_roles={"grader": judge}, attempt_timeout=of_eval, max_retries=0
        )[0]
    [message] = errors(log).values()
    assert "attempt_timeout '1' exceeded" in message


def stalling(answer: Callable[[Request], Answer]) -> Callable[[Request], Answer]:
    """A judge that answers questions about the variables after a minute."""
    return lambda request: Raw(delay=60) if "HypoA" in str(request) else answer(request)


async def fails(error: Exception) -> str:
    raise error


async def test_a_limit_takes_precedence_over_other_errors() -> None:
    with pytest.raises(LimitExceededError):
        await gather(fails(JudgeFailed("first")), fails(LimitExceededError("token", value=2, limit=1)))
