"""An outage of a provider never becomes a zero: the sample is an error, and a retry of the eval completes it."""

import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile

import pytest
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.agent import as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score
from inspect_ai.solver import Solver

from inspect_discoverybench import demo
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from tests.endpoint import Answer, Endpoint, Refused, Request, question, serve, tool_call, truthful

SUBMISSION = {"hypothesis": "In all rows, y rises with x.", "workflow": "w"}


def answers(request: Request) -> Answer:
    """An agent that submits at once, and a truthful judge."""
    return truthful(request) if question(request) else tool_call("submit", **SUBMISSION)


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
        _, _, port = endpoint.url.removesuffix("/v1").rpartition(":")
        for role in ("AGENT", "JUDGE"):
            environment.setenv(f"{role}_API_KEY", "test")
            environment.setenv(f"{role}_BASE_URL", endpoint.url)
        yield Provider(endpoint, f"openai-api/agent/{port}", f"openai-api/judge/{port}")


def guesses(judge: str) -> Task:
    """Samples of an agent that calls the model once."""
    return task_with(demo(), solver=no_data_guess(), scorer=hms(grader=judge))


def evaluate(task: Task, model: str, **options: Any) -> EvalLog:
    """The log of an eval of two samples that goes on after errors."""
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


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_an_outage_is_an_error_and_one_retry_completes_the_eval(status: int, failing: str) -> None:
    is_out = True

    def answer(request: Request) -> Answer:
        role = "judge" if question(request) else "agent"
        if is_out and role == failing:
            return status
        return answers(request)

    with provider(answer) as served:
        log = evaluate(guesses(served.judge), served.agent)
        require_errors(log)
        is_out = False
        [completed] = eval_retry(log)
    assert completed.status == "success"
    samples = samples_of(completed)
    assert len([score_of(sample) for sample in samples]) == 2


KEY = 'sk-0123456789"/+'
IN_BASE64 = b64encode(KEY.encode()).decode()
ECHOES = f"authorization: Bearer {KEY}; {quote(KEY, safe='')}; {json.dumps(KEY)}; Basic {IN_BASE64}; argument-key"
"""How a gateway may repeat a key: in a header, in a URL, in JSON and in base64."""


@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_a_key_that_a_gateway_echoes_is_not_recorded(
    failing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Only the agent's model has a key as an argument.
    echoes = ECHOES if failing == "agent" else ECHOES.removesuffix("argument-key")

    def answer(request: Request) -> Answer:
        role = "judge" if question(request) else "agent"
        if role == failing:
            return Refused(f"bad request {echoes}")
        return answers(request)

    with provider(answer) as served:
        monkeypatch.setenv(f"{failing.upper()}_API_KEY", KEY)
        monkeypatch.setenv("OTHER_TOKEN", KEY[:-4])
        arguments = {"api_key": "argument-key"}
        log = evaluate(guesses(served.judge), served.agent, model_args=arguments, display="plain")
    require_errors(log)

    with ZipFile(log.location) as file:
        parts = [file.read(name).decode() for name in file.namelist()]
    recorded = "".join(parts)
    printed, _ = capsys.readouterr()
    assert f"Bearer [{failing.upper()}_API_KEY]" in recorded
    for secret in ("0123456789", IN_BASE64[:8], "argument-key"):
        assert secret not in recorded
        assert secret not in printed


AGENTS: dict[str, Solver] = {"react": react(), "Inspect's react()": as_solver(react_agent())}


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
@pytest.mark.parametrize("replies", [0, 2])
def test_a_time_limit_that_falls_during_a_retry_is_an_error(agent: Solver, replies: int) -> None:
    """After however many replies. The judge is not asked, although it works."""
    reply = tool_call("python", "Hypothesis: y rises. I will test it.", code="1")
    remaining = [reply] * replies

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        if remaining:
            return remaining.pop()
        return 429

    with provider(answer) as served:
        scorer = hms(grader=served.judge)
        task = task_with(demo(), solver=agent, scorer=scorer)
        log = evaluate(task, served.agent, limit=1, timeout=600, time_limit=4)
    require_errors(log, 1)
    [sample] = samples_of(log)
    assert sample.error
    assert "did not answer its last request" in sample.error.message
    assert served.endpoint.judge_requests() == []


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_time_limit_in_the_agents_own_work_or_during_a_reply_is_a_zero(is_slow: bool) -> None:
    code = "1" if is_slow else "import time; time.sleep(60)"

    def answer(request: Request) -> Answer:
        if is_slow and len(request["messages"]) > 2:
            time.sleep(6)
        return tool_call("python", code=code)

    with provider(answer) as served:
        task = task_with(demo(), solver=react())
        log = evaluate(task, served.agent, limit=1, time_limit=4)
    [sample] = samples_of(log)
    score = score_of(sample)
    assert score.reason == "no_response"
    assert "A limit ended the sample: Time limit exceeded" in str(score.explanation)


def test_scoring_a_log_again_does_not_turn_errors_into_zeros() -> None:
    failures: list[Answer] = [400]

    def answer(request: Request) -> Answer:
        if failures and not question(request):
            return failures.pop()
        return answers(request)

    with provider(answer) as served:
        log = evaluate(guesses(served.judge), served.agent, max_retries=0, max_samples=1)
        failed, scored = samples_of(log)
        assert failed.error
        scorer = hms(grader=served.judge)
        again = inspect_score(log, scorer, action="overwrite")

    failed_again, scored_again = samples_of(again)
    assert score_of(scored_again).value == score_of(scored).value
    assert failed_again.scores
    unscored = failed_again.scores["HMS"]
    for value in unscored.as_dict().values():
        assert value != value
    assert "ended with an error" in str(unscored.explanation)


@pytest.mark.parametrize(("own", "of_eval", "expected"), [(None, None, 3600), (None, 50, 50), (7, 50, 7)])
def test_each_request_has_a_time_limit(own: int | None, of_eval: int | None, expected: int) -> None:
    """The limit of the judge's role takes precedence over that of the eval."""
    with provider(answers) as served:
        config = GenerateConfig(timeout=own)
        role = get_model(served.judge, config=config, memoize=False)
        task = task_with(demo(), solver=no_data_guess())
        options: dict[str, Any] = {"timeout": of_eval} if of_eval else {}
        log = inspect_eval(task, model=served.agent, model_roles={"grader": role}, limit=1, **options)[0]
    [sample] = samples_of(log)
    of_judge = {event.config.timeout for event in sample.events if isinstance(event, ModelEvent) and event.role}
    assert of_judge == {expected}
