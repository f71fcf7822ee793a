"""Failures of the judge's and the agent's provider: errors that say whose model failed, why, and what to do."""

import json
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.util import LimitExceededError

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import JudgeFailed
from inspect_discoverybench.scorer.gather import gather
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.endpoint import CONNECTION_RESET, Answer, NoChoices, Raw, Refused, Request, serve
from tests.scorer.judging import case_number, evaluate, judge_at, sample_number


def error_with_status_200(error: Any) -> Raw:
    return Raw(body=json.dumps({"error": error}).encode())


FAULTS: list[tuple[Answer, str]] = [
    # a response, and what the error mentions
    (500, "500"),
    (CONNECTION_RESET, "Connection error"),
    (Raw(body=b"<html>Maintenance</html>", content_type="text/html"), "Check the server and the base URL"),
    (NoChoices(), "no choices"),
    (Refused("Your credit balance is too low."), "credit balance"),
    (Refused("over\nloaded"), "over"),  # the error is one line all the same
    (error_with_status_200({"message": "overloaded", "code": 503}), "it may be an error or a web page"),
    (error_with_status_200("overloaded"), "it may be an error or a web page"),
    (error_with_status_200(None), "Check the server and the base URL"),
]


def errors(log: EvalLog) -> dict[int, str]:
    """Messages of the errors by the number of the sample. Fails if a sample has a score."""
    messages = {}
    for sample in log.samples or []:
        assert not sample.scores
        number = sample_number(sample)
        if sample.error:
            messages[number] = sample.error.message
    return messages


@pytest.mark.usefixtures("slow")
def test_an_error_of_the_judges_provider_names_the_judge_the_cause_and_the_remedy_in_one_line() -> None:
    def answer(request: Request) -> Answer:
        case = case_number(request) - 1
        response, _ = FAULTS[case]
        return response

    # No retries: neither Inspect's, nor those of OpenAI's package.
    config = GenerateConfig(max_retries=0)
    numbers = range(1, len(FAULTS) + 1)
    with serve(answer) as endpoint:
        judge = judge_at(endpoint, config=config, max_retries=0)
        log = evaluate(judge, numbers=numbers, fail_on_error=False)

    # Several questions of a sample fail at the same time. The error is that of one of them, and no exception group.
    messages = errors(log)
    assert messages.keys() == set(numbers)
    for number, message in messages.items():
        _, cause = FAULTS[number - 1]
        assert message.startswith("The judge openai/gpt-4o failed on the question about "), message
        assert cause in message
        assert "inspect eval-retry" in message
        assert "\n" not in message


def test_a_timeout_of_the_agents_provider_is_an_error() -> None:
    """Inspect would score the sample as if the agent had finished, which is a zero."""

    def time_out(*_: object) -> ModelOutput:
        raise TimeoutError("the connection timed out")

    model = get_model("mockllm/model", custom_outputs=time_out, memoize=False)
    task = task_with(demo(), solver=no_data_guess())
    [log] = inspect_eval(task, model=model, limit=1, fail_on_error=False, max_retries=0)
    [message] = errors(log).values()
    assert message.startswith("The agent's model mockllm/model failed: the connection timed out")
    assert "inspect eval-retry" in message


async def fail(error: Exception) -> str:
    raise error


async def test_a_limit_takes_precedence_over_other_errors() -> None:
    failure = JudgeFailed("no reply")
    limit = LimitExceededError("token", value=2, limit=1)
    # The facets are asked about at the same time, and so are the two extractions within the facet of the context.
    inner = gather(fail(failure), fail(limit))
    with pytest.raises(LimitExceededError):
        await gather(fail(failure), inner)
