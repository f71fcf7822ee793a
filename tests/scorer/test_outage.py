"""An outage of a provider never becomes a zero: the sample is an error, and a retry of the eval completes it."""

import json
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote
from zipfile import ZipFile

import pytest
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.agent import as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import Solver, generate

from inspect_discoverybench import demo
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from tests.endpoint import Answer, Endpoint, Refused, Request, question, serve, tool_call, truthful

H = "In all rows, y rises with x."
OUTAGES: dict[str, int | None] = {"permanent 429": 429, "5xx on every request": 503, "host name": None}
"""The status of each response; None for a host name that does not resolve."""


def answers(request: Request) -> Answer:
    """An agent that submits at once, and a truthful judge."""
    return truthful(request) if question(request) else tool_call("submit", hypothesis=H, workflow="w")


@contextmanager
def provider(answer: Callable[[Request], Answer], *, host: str = "127.0.0.1") -> Iterator[tuple[str, str, Endpoint]]:
    """Names of an agent's model and of a judge. They are new each time, because Inspect keeps its models."""
    with serve(answer) as endpoint, pytest.MonkeyPatch.context() as environment:
        port = endpoint.url.split(":")[-1].removesuffix("/v1")
        for service in ("AGENT", "JUDGE"):
            environment.setenv(f"{service}_API_KEY", "test")
            environment.setenv(f"{service}_BASE_URL", endpoint.url)
        environment.setenv("OUT_API_KEY", "test")
        environment.setenv("OUT_BASE_URL", f"http://{host}:{port}/v1")
        yield f"openai-api/agent/{port}", f"openai-api/judge/{port}", endpoint


def evaluate(task: Task, model: str, **options: Any) -> EvalLog:
    return inspect_eval(task, model=model, **({"fail_on_error": False, "timeout": 1, "limit": 2} | options))[0]


def require_errors(log: EvalLog, count: int = 2) -> None:
    assert log.samples
    assert len(log.samples) == count
    assert all(sample.error for sample in log.samples), [sample.scores for sample in log.samples]
    assert not any(sample.scores for sample in log.samples)


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_an_outage_is_an_error_and_one_retry_completes_the_eval(
    outage: str, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = OUTAGES[outage]
    is_out = True
    resolve = socket.getaddrinfo

    def answer(request: Request) -> Answer:
        hit = is_out and (question(request) is not None) == (failing == "judge")
        return status if hit and status is not None else answers(request)

    def resolve_host(host: Any, *arguments: Any, **options: Any) -> Any:
        known = not is_out and host in ("provider.invalid", b"provider.invalid")
        return resolve("127.0.0.1" if known else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_host)
    with provider(answer, host="127.0.0.1" if status else "provider.invalid") as (*names, _):
        agent, judge = (
            name.replace(f"/{role}/", "/out/") if role == failing else name
            for name, role in zip(names, ("agent", "judge"), strict=True)
        )
        task = task_with(demo(), solver=no_data_guess())
        log = evaluate(task, agent, model_roles={"grader": judge})
        require_errors(log)
        is_out = False
        [completed] = eval_retry(log)
    assert completed.status == "success"
    assert completed.samples
    assert [sample.error for sample in completed.samples] == [None, None]
    assert all(sample.scores for sample in completed.samples)


@pytest.mark.parametrize("failing", ["agent", "judge"])
def test_a_key_that_a_gateway_echoes_is_not_recorded(failing: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is, in a URL, in JSON, and in base64; also one that is an argument of the model."""
    key = 'sk-0123456789"/+'
    echo = f"\x1b[2J; {quote(key, safe='')} {json.dumps(key)} Basic {b64encode(key.encode()).decode()}"
    echo += " argument-key" if failing == "agent" else ""

    def answer(request: Request) -> Answer:
        hit = (question(request) is not None) == (failing == "judge")
        return Refused(f"bad request {echo}; authorization: Bearer {key}") if hit else answers(request)

    with provider(answer) as (agent, judge, _), pytest.MonkeyPatch.context() as environment:
        environment.setenv(f"{failing.upper()}_API_KEY", key)
        environment.setenv("OTHER_TOKEN", key[:-4])
        environment.setenv("NUMBER_API_KEY", "20261123")  # occurs in responses as a number
        task = task_with(demo(), solver=no_data_guess())
        settings = {"model_roles": {"grader": judge}, "model_args": {"api_key": "argument-key"}}
        log = evaluate(task, agent, **settings, display="plain")
    require_errors(log)
    with ZipFile(log.location) as file:
        content = "".join(file.read(name).decode() for name in file.namelist())
    assert f"Bearer [{failing.upper()}_API_KEY]" in content
    shown = content + "".join(capsys.readouterr())
    assert not [part for part in ("0123456789", b64encode(b"sk-0123").decode()[:8], "argument-key") if part in shown]


AGENTS: dict[str, Solver] = {
    "react": react(),
    "Inspect's react()": as_solver(react_agent()),
    "generate()": generate(),
}


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
@pytest.mark.parametrize("replies", [0, 2])
def test_a_time_limit_that_falls_during_a_retry_is_an_error(agent: Solver, replies: int) -> None:
    """After however many replies. The judge is not asked, although it works."""
    count = 0

    def answer(request: Request) -> Answer:
        nonlocal count
        if question(request):
            return truthful(request)
        count += 1
        return tool_call("python", "Hypothesis: y rises. I will test it.", code="1") if count <= replies else 429

    with provider(answer) as (model, judge, endpoint):
        task = task_with(demo(), solver=agent, scorer=hms(grader=judge))
        log = evaluate(task, model, limit=1, timeout=600, time_limit=4)
    require_errors(log, 1)
    assert "did not answer its last request" in str(log.samples and log.samples[0].error)
    assert endpoint.judge_requests() == []


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_time_limit_in_the_agents_own_work_or_during_a_reply_is_a_zero(is_slow: bool) -> None:
    def answer(request: Request) -> Answer:
        if is_slow and len(request["messages"]) > 2:
            time.sleep(6)
        return tool_call("python", code="1" if is_slow else "import time; time.sleep(60)")

    with provider(answer) as (model, _, _):
        log = evaluate(task_with(demo(), solver=react()), model, limit=1, time_limit=4)
    assert log.samples
    [sample] = log.samples
    assert sample.error is None
    assert sample.scores
    assert sample.scores["HMS"].reason == "no_response"


def test_scoring_a_log_again_does_not_turn_errors_into_zeros() -> None:
    failing = iter([True, False])

    def answer(request: Request) -> Answer:
        return 400 if question(request) is None and next(failing, False) else answers(request)

    with provider(answer) as (model, judge, _):
        task = task_with(demo(), solver=no_data_guess(), scorer=hms(grader=judge))
        log = evaluate(task, model, max_retries=0, max_samples=1)
        assert log.samples
        assert [sample.error is None for sample in log.samples] == [False, True]
        before = log.samples[1].scores
        again = inspect_score(log, hms(grader=judge), action="overwrite")
    assert again.samples
    assert again.samples[0].scores
    value = again.samples[0].scores["HMS"].value
    assert isinstance(value, dict)
    assert all(number != number for number in value.values())
    assert "ended with an error" in str(again.samples[0].scores["HMS"].explanation)
    assert again.samples[1].scores
    assert before
    assert again.samples[1].scores["HMS"].value == before["HMS"].value
    assert again.results
    hms_mean = next(score for score in again.results.scores if score.name == "hms")
    assert (hms_mean.scored_samples, hms_mean.unscored_samples) == (1, 1)


@pytest.mark.parametrize(("own", "of_eval", "expected"), [(None, None, 3600), (None, 50, 50), (7, 50, 7)])
def test_each_request_has_a_time_limit(own: int | None, of_eval: int | None, expected: int) -> None:
    """The limit of the judge's role takes precedence over that of the eval."""
    options: dict[str, Any] = {} if of_eval is None else {"timeout": of_eval}
    with provider(answers) as (model, judge, _):
        role = get_model(judge, config=GenerateConfig(timeout=own), memoize=False)
        task = task_with(demo(), solver=no_data_guess())
        [log] = inspect_eval(task, model=model, model_roles={"grader": role}, limit=1, **options)
    assert log.samples
    events = [event for event in log.samples[0].events if event.event == "model"]
    assert {event.config.timeout for event in events if event.role == "grader"} == {expected}
    assert {event.config.timeout for event in events if event.role != "grader"} == {of_eval or 3600}
