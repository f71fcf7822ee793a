"""An outage of a provider never becomes a zero: the sample is an error, and a retry of the eval completes it."""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from uuid import uuid4
from zipfile import ZipFile

import pytest
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.agent import as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score
from inspect_ai.solver import Solver

from inspect_discoverybench import demo
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from tests.endpoint import Answer, Endpoint, Refused, Request, question, serve, tool_call, truthful

SUBMISSION = {"hypothesis": "In all rows, y rises with x.", "workflow": "w"}


def answer_normally(request: Request) -> Answer:
    """An agent that submits at once, and a truthful judge."""
    if question(request):
        return truthful(request)
    return tool_call("submit", **SUBMISSION)


def role_of(request: Request) -> str:
    return "judge" if question(request) else "agent"


@dataclass(frozen=True)
class Provider:
    """The endpoint of an agent's model and of a judge. Their names are new, because Inspect keeps its models."""

    endpoint: Endpoint
    agent: str
    judge: str


@contextmanager
def provider(answer: Callable[[Request], Answer]) -> Iterator[Provider]:
    """Serve the agent and the judge."""
    with serve(answer) as endpoint, pytest.MonkeyPatch.context() as environment:
        for role in ("AGENT", "JUDGE"):
            environment.setenv(f"{role}_API_KEY", "test")
            environment.setenv(f"{role}_BASE_URL", endpoint.url)

        name = uuid4().hex
        agent = f"openai-api/agent/{name}"
        judge = f"openai-api/judge/{name}"
        yield Provider(endpoint, agent, judge)


def guesses(judge: str) -> Task:
    """The demo, with an agent that calls its model once and with this judge."""
    scorer = hms(grader=judge)
    return task_with(demo(), solver=no_data_guess(), scorer=scorer)


def evaluate(task: Task, model: str, **options: Any) -> EvalLog:
    """The log of an eval of two samples that goes on after errors.

    A failed request is repeated for a second at most, unless the options say otherwise.
    """
    options = {"fail_on_error": False, "timeout": 1, "limit": 2, **options}
    [log] = inspect_eval(task, model=model, **options)
    return log


def samples_of(log: EvalLog) -> list[EvalSample]:
    assert log.samples
    return log.samples


def require_errors(log: EvalLog, count: int = 2) -> None:
    samples = samples_of(log)
    assert len(samples) == count
    for sample in samples:
        assert sample.error, sample.scores
        assert not sample.scores


def score_of(sample: EvalSample) -> Score:
    assert sample.error is None
    assert sample.scores
    return sample.scores["HMS"]


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_an_outage_is_an_error_and_one_retry_completes_the_eval(status: int, failing: str) -> None:
    is_out = True

    def answer(request: Request) -> Answer:
        if is_out and role_of(request) == failing:
            return status
        return answer_normally(request)

    with provider(answer) as served:
        log = evaluate(guesses(served.judge), served.agent)
        require_errors(log)
        is_out = False
        [completed] = eval_retry(log)
    assert completed.status == "success"
    samples = samples_of(completed)
    assert len(samples) == 2
    for sample in samples:
        assert sample.scores


DIGITS = "0123456789"
KEY = f'sk-{DIGITS}"/+'  # a URL quotes the last three characters, and JSON the first of them
IN_BASE64 = b64encode(KEY.encode()).decode()
ECHOES = [
    f"authorization: Bearer {KEY}",
    quote(KEY, safe=""),
    json.dumps(KEY),
    f"Basic {IN_BASE64}",
]
"""How a gateway may repeat a key: in a header, in a URL, in JSON and in base64."""

ARGUMENT = "argument-key"
"""A key of the agent's model, as an argument."""


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_a_key_that_a_gateway_echoes_is_not_recorded(
    failing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    echoes = [*ECHOES, ARGUMENT] if failing == "agent" else ECHOES
    refusal = Refused("; ".join(echoes))

    def answer(request: Request) -> Answer:
        return refusal if role_of(request) == failing else answer_normally(request)

    name = f"{failing.upper()}_API_KEY"
    with provider(answer) as served:
        monkeypatch.setenv(name, KEY)
        # A secret with which the key begins: if it were replaced first, the end of the key would be left.
        monkeypatch.setenv("OTHER_TOKEN", KEY[:-4])
        task = guesses(served.judge)
        arguments = {"api_key": ARGUMENT}
        log = evaluate(task, served.agent, model_args=arguments, display="plain")  # prints tracebacks, too
    require_errors(log)

    recorded = text_of(log)
    printed, _ = capsys.readouterr()
    assert f"Bearer [{name}]" in recorded
    # The digits are in all forms of the key but base64.
    for secret in (DIGITS, IN_BASE64[:8], ARGUMENT):
        assert secret not in recorded
        assert secret not in printed


def text_of(log: EvalLog) -> str:
    """Everything in the log's file."""
    text = ""
    with ZipFile(log.location) as file:
        for name in file.namelist():
            text += file.read(name).decode()
    return text


UNFINISHED = tool_call("python", "Hypothesis: y rises. I will test it.", code="1")
"""A reply of the agent without a submission.

A time limit in an outage after it must be an error. Otherwise, the judge would be asked about this text.
"""

AGENTS: dict[str, Solver] = {
    "react": react(),
    "Inspect's react()": as_solver(react_agent()),
}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("replies", [0, 2])
def test_a_time_limit_that_falls_during_a_retry_is_an_error(agent: str, replies: int) -> None:
    """This does not depend on the number of replies before it. The judge is not asked, although it works."""
    remaining = [UNFINISHED] * replies

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        if remaining:
            return remaining.pop()
        return 429

    with provider(answer) as served:
        scorer = hms(grader=served.judge)
        task = task_with(demo(), solver=AGENTS[agent], scorer=scorer)
        # The time of retries is longer than the time of the sample, so that they last until its limit.
        log = evaluate(task, served.agent, limit=1, timeout=600, time_limit=4)
    require_errors(log, 1)
    [sample] = samples_of(log)
    assert sample.error
    assert "did not answer its last request" in sample.error.message
    assert served.endpoint.judge_requests() == []


@pytest.mark.usefixtures("slow")
def test_a_time_limit_that_falls_into_a_repeated_request_is_an_error() -> None:
    """The provider failed, and the limit cancels the second attempt: the agent lost its time to the provider."""
    remaining: list[Answer] = [UNFINISHED, 503]

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        if remaining:
            return remaining.pop(0)
        time.sleep(12)  # the second attempt: longer than the limit of the sample
        return answer_normally(request)

    with provider(answer) as served:
        task = task_with(demo(), solver=react(), scorer=hms(grader=served.judge))
        log = evaluate(task, served.agent, limit=1, timeout=600, time_limit=10)
    require_errors(log, 1)


def run_endlessly(request: Request) -> Answer:
    return tool_call("python", code="import time; time.sleep(60)")


def reply_slowly(request: Request) -> Answer:
    """The first reply comes at once. The second one takes longer than the limit of the sample."""
    if len(request["messages"]) > 2:
        time.sleep(6)
    return tool_call("python", code="1")


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("answer", [run_endlessly, reply_slowly])
def test_a_time_limit_in_the_agents_own_work_or_during_a_reply_is_a_zero(answer: Callable[[Request], Answer]) -> None:
    with provider(answer) as served:
        task = task_with(demo(), solver=react())
        log = evaluate(task, served.agent, limit=1, time_limit=4)
    [sample] = samples_of(log)
    score = score_of(sample)
    assert score.reason == "no_response"
    assert score.explanation
    assert "A limit ended the sample: Time limit exceeded" in score.explanation


def test_scoring_a_log_again_does_not_turn_errors_into_zeros() -> None:
    def answer(request: Request) -> Answer:
        return truthful(request) if question(request) else 400

    with provider(answer) as served:
        task = guesses(served.judge)
        log = evaluate(task, served.agent, limit=1, max_retries=0)
        require_errors(log, 1)
        scorer = hms(grader=served.judge)
        again = inspect_score(log, scorer, action="overwrite")

    [sample] = samples_of(again)
    assert sample.scores
    score = sample.scores["HMS"]
    values = score.as_dict()
    for value in values.values():
        assert str(value) == "nan"
    assert score.explanation
    assert "ended with an error" in score.explanation
