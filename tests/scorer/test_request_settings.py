"""Settings of the judge: the same for every use, handling of rejected settings, and what of them is recorded."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.event import LoggerEvent, ModelEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, get_model

from inspect_discoverybench import demo, judge_audit
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.command_line import completed, lab
from tests.endpoint import AGREEMENT, Answer, Endpoint, Refused, Request, question, serve
from tests.scorer.judging import (
    CONTEXTS,
    FULL,
    Result,
    evaluate,
    judge_at,
    score_of,
    scores_of,
    scripted,
    serve_agreement,
)
from tests.solvers.scripted import scripted as scripted_agent
from tests.solvers.scripted import submit

pytestmark = pytest.mark.usefixtures("slow")

REPOSITORY = Path(__file__).parents[2]
METADATA = REPOSITORY / "examples/lighthouses/metadata_0.json"


def settings(score: Result) -> dict[str, Any]:
    """The recorded settings."""
    values: dict[str, Any] = score.record["settings"]
    return values


def score_with(name: str) -> None:
    judge = get_model(name)
    evaluate(judge, numbers=[1])


def audit_with(name: str) -> None:
    task = judge_audit(released=False, kind="identical")
    inspect_eval(task, model=name, limit=1)


def judge_pair_with(name: str) -> None:
    command = f"judge --goal g --gold x --pred y --metadata {METADATA} --grader {name}"
    arguments = command.split()
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output


def ask_oracle_with(name: str) -> None:
    submission = submit(hypothesis="In Norway, salmon shrink.", workflow="1. guess")
    agent = scripted_agent([submission])
    task = task_with(demo(), solver=reflexion(trials=1))
    inspect_eval(task, model=agent, model_roles={"grader": name}, limit=1)


USES: list[Callable[[str], None]] = [score_with, audit_with, judge_pair_with, ask_oracle_with]


Bodies = dict[str | None, Request]
"""What requests say apart from the question, by the name of the question."""


def bodies_of(requests: list[Request]) -> Bodies:
    bodies = {}
    for request in requests:
        name = question(request)
        *other_messages, _ = request["messages"]
        bodies[name] = {**request, "messages": other_messages}
    return bodies


def test_every_use_sends_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    with serve_agreement() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A new name, because Inspect caches models by name.
        name = f"openai/gpt-4o-{uuid4().hex}"
        for use in USES:
            endpoint.requests.clear()
            use(name)
            bodies = bodies_of(endpoint.requests)
            sent.append(bodies)

    first, *others = sent
    for bodies in others:
        assert bodies == first
    assert first.keys() == AGREEMENT.keys()

    body = first["variables"]
    form = body["response_format"]
    schema = form["json_schema"]["schema"]
    assert schema["required"] == ["sizeA", "sizeB", "intersection", "explanation"]
    assert body["temperature"] == 0
    assert body["seed"] == 0
    assert body.keys().isdisjoint({"max_tokens", "max_completion_tokens"})


def test_settings_of_the_role_are_sent_and_those_of_the_evaluated_model_are_not() -> None:
    of_role = {"temperature": 0.3, "seed": 7, "max_tokens": 900}
    config = GenerateConfig.model_validate(of_role)
    with serve_agreement() as endpoint:
        judge = judge_at(endpoint, config=config)
        log = evaluate(judge, temperature=0.9, max_tokens=50, top_p=0.5)
    for request in endpoint.requests:
        assert request.items() >= of_role.items()
        assert "top_p" not in request

    score = score_of(log)
    recorded = settings(score)
    assert recorded.items() >= of_role.items()


@pytest.mark.parametrize(("of_role", "of_eval", "expected"), [(None, None, 3600), (None, 50, 50), (7, 50, 7)])
def test_each_request_has_a_time_limit(of_role: int | None, of_eval: int | None, expected: int) -> None:
    """The limit of the judge's role takes precedence over that of the eval. If there is neither, it is an hour.

    The limit of each attempt at the request is that of the eval here, because the role has none.
    """
    config = GenerateConfig(timeout=of_role)
    with serve_agreement() as endpoint:
        judge = judge_at(endpoint, config=config)
        log = evaluate(judge, timeout=of_eval, attempt_timeout=90)
    [sample] = log.samples or []
    requests = [event for event in sample.events if isinstance(event, ModelEvent)]
    assert requests
    for request in requests:
        assert request.config.timeout == expected
        assert request.config.attempt_timeout == 90


DEFAULTS = {"response_schema": "response_format", "seed": "seed", "temperature": "temperature"}
"""Names of the judge's default settings in the record, and in OpenAI's requests."""


def defaults_in(request: Request) -> set[str]:
    return {name for name, field in DEFAULTS.items() if field in request}


REFUSALS = {
    "temperature": Refused("'temperature' does not support 0 with this model.", param="temperature"),
    "seed": Refused("Request too large.", status=413),
    "response_schema": Refused("Bad request.", status=422),
}


@pytest.mark.parametrize("refused", REFUSALS)
def test_a_rejected_request_is_repeated_without_any_of_the_defaults(refused: str) -> None:
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        if refused in defaults_in(request):
            return REFUSALS[refused]
        return agreeing(request)

    with serve(answer) as endpoint:
        judge = judge_at(endpoint, "openai-api/local/m")
        log = evaluate(judge, numbers=[1, 2], max_samples=1)
    # The second sample is asked without the defaults from the start.
    later = [request for request in endpoint.requests if "case 2" in str(request)]
    assert later
    for request in later:
        assert defaults_in(request) == set()

    for score in scores_of(log):
        assert score.values == FULL
        recorded = settings(score)
        assert recorded["temperature"] is None
        assert recorded["response_schema"] is False
    [warning] = warnings(log)
    assert "does not accept" in warning


def test_after_a_single_rejected_request_the_defaults_are_still_sent_with_others() -> None:
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        is_refused = question(request) == "relationship" and "case 1" in str(request)
        if is_refused and defaults_in(request):
            return Refused("Bad request.")
        return agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"), numbers=[1, 2], max_samples=1)
    later = [request for request in endpoint.requests if "case 2" in str(request)]
    assert later
    for request in later:
        assert defaults_in(request) == set(DEFAULTS)
    assert warnings(log) == []
    first, second = scores_of(log)
    assert settings(first)["temperature"] == "mixed"
    assert settings(second)["temperature"] == 0


def refusing(status: int) -> Callable[[Request], Answer]:
    """A judge whose server fails with this status if a request has a reply schema."""
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        return status if "response_format" in request else agreeing(request)

    return answer


class RequestCounts(NamedTuple):
    """Numbers of requests with and without a reply schema."""

    with_schema: int
    without_schema: int


def count(requests: list[Request]) -> RequestCounts:
    with_schema = sum("response_format" in request for request in requests)
    return RequestCounts(with_schema, len(requests) - with_schema)


def requests_about(endpoint: Endpoint, case: str) -> RequestCounts:
    """Count the requests about a sample, such as `case 1`."""
    return count([request for request in endpoint.requests if case in str(request)])


ATTEMPTS = {404: 1, 500: 3, 501: 3}
"""How often OpenAI's package sends a request that fails, before Inspect's retries, by HTTP status. With these statuses,
servers refuse a reply schema, among other things."""


@pytest.mark.parametrize("status", ATTEMPTS)
def test_a_server_that_fails_because_of_the_defaults_is_asked_without_them(status: int) -> None:
    with serve(refusing(status)) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"), numbers=[1, 2], max_samples=1)
    # Each of the five questions about case 1 fails with the schema, and is answered without it. The first four are
    # asked at the same time, so a single outage may have made them fail. But the last one, about the match of the
    # contexts, is asked after two of them were answered, and it fails, too. So the schema is given up.
    assert requests_about(endpoint, "case 1") == RequestCounts(with_schema=5 * ATTEMPTS[status], without_schema=5)
    assert requests_about(endpoint, "case 2") == RequestCounts(with_schema=0, without_schema=5)
    for score in scores_of(log):
        assert score.values == FULL
        assert settings(score)["response_schema"] is False
        assert settings(score)["seed"] is None
    [warning] = warnings(log)
    assert "does not accept" in warning


@pytest.mark.parametrize("status", ATTEMPTS)
def test_a_single_pair_is_judged_by_a_server_that_fails_because_of_the_defaults(status: int, tmp_path: Path) -> None:
    out = tmp_path / "score.json"
    with lab(refusing(status)) as (model, endpoint):
        completed(f"judge --goal g --gold x --pred y --metadata {METADATA} --grader {model} --out {out}")
    # Each of the five questions fails with the schema, and is answered without it.
    assert count(endpoint.requests) == RequestCounts(with_schema=5 * ATTEMPTS[status], without_schema=5)
    assert '"response_schema": false' in out.read_text()


@pytest.mark.parametrize("status", ATTEMPTS)
def test_the_defaults_are_kept_after_a_temporary_failure(status: int) -> None:
    agreeing = scripted(extract=CONTEXTS)
    # All attempts at a request with the defaults fail. The next request, without them, is answered.
    failures_before_success = ATTEMPTS[status]
    failures: Counter[str | None] = Counter()

    def answer(request: Request) -> Answer:
        name = question(request)
        # These two questions are asked at the same time, so a single outage may make both of them fail. That they are
        # then answered without the defaults does not show that the defaults are the cause.
        is_affected = "case 1" in str(request) and name in ("variables", "relationship")
        if is_affected and failures[name] < failures_before_success:
            failures[name] += 1
            return status
        return agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"), numbers=[1, 2], max_samples=1)
    assert requests_about(endpoint, "case 2") == RequestCounts(with_schema=5, without_schema=0)
    assert warnings(log) == []
    first, second = scores_of(log)
    assert first.values == second.values == FULL
    # In case 1, some replies were to requests without the schema.
    assert settings(first)["response_schema"] == "mixed"
    assert settings(second)["response_schema"] is True


def test_after_the_defaults_were_accepted_a_failing_server_is_not_asked_without_them() -> None:
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        return 500 if "case 2" in str(request) else agreeing(request)

    with serve(answer) as endpoint:
        judge = judge_at(endpoint, "openai-api/local/m", config=GenerateConfig(max_retries=0))
        evaluate(judge, numbers=[1, 2], max_samples=1, fail_on_error=False)
    assert requests_about(endpoint, "case 2").without_schema == 0


def test_after_a_server_failed_without_the_defaults_too_it_is_not_asked_without_them_again() -> None:
    """The failure without the defaults shows that they are not the cause."""
    with serve(lambda _: 500) as endpoint:
        judge = judge_at(endpoint, "openai-api/local/m", config=GenerateConfig(max_retries=0))
        evaluate(judge, numbers=[1, 2, 3], max_samples=1, fail_on_error=False)
    # The first four questions are asked at the same time: two extractions, the variables and the relationship. When one
    # of them has failed without the defaults, the others may have been asked without them, too.
    assert 0 < requests_about(endpoint, "case 1").without_schema <= 4 * ATTEMPTS[500]
    for case in ("case 2", "case 3"):
        assert requests_about(endpoint, case).without_schema == 0


def test_a_server_that_was_down_may_reject_the_defaults_when_it_is_back() -> None:
    """The server is down for three attempts with the schema, and for three without it.

    It has failed without the schema, too, so the schema is not suspected, and is sent again. The server is back now,
    and refuses the schema. So the request is repeated without it.
    """
    agreeing = scripted(extract=CONTEXTS)
    attempts = iter(range(99))

    def answer(request: Request) -> Answer:
        if question(request) != "variables":
            return agreeing(request)
        if next(attempts) < 2 * ATTEMPTS[500]:
            return 500
        return Refused("Bad request.") if "response_format" in request else agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"))
    assert score_of(log).values == FULL
    about_variables = [request for request in endpoint.requests if question(request) == "variables"]
    with_schema = ["response_format" in request for request in about_variables]
    assert with_schema == [True] * 3 + [False] * 3 + [True, False]


def test_a_rate_limit_says_nothing_about_the_defaults() -> None:
    agreeing = scripted(extract=CONTEXTS)
    limited: set[str | None] = set()

    def answer(request: Request) -> Answer:
        name = question(request)
        if name not in limited:
            limited.add(name)
            return 429
        return agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"))
    assert score_of(log).values == FULL
    # The reply schema is one of the defaults, and each request was sent with the schema.
    assert count(endpoint.requests).without_schema == 0


def test_a_404_after_a_rate_limit_is_a_refusal() -> None:
    """OpenRouter limits the rate of requests, and answers 404 to a reply schema. So the schema is then left out."""
    refuse = refusing(404)
    requests: Counter[str | None] = Counter()

    def answer(request: Request) -> Answer:
        name = question(request)
        requests[name] += 1
        # OpenAI's package sends a request three times before Inspect repeats it. The rate is limited for these three.
        return 429 if requests[name] <= 3 else refuse(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m", config=GenerateConfig(max_retries=1)))
    assert score_of(log).values == FULL
    assert settings(score_of(log))["response_schema"] is False


def warnings(log: EvalLog) -> list[str]:
    messages = []
    stored = read_eval_log(log.location)
    for sample in stored.samples or []:
        events = [event for event in sample.events if isinstance(event, LoggerEvent)]
        messages += [event.message.message for event in events]
    return messages


def test_the_record_has_the_settings_without_secrets() -> None:
    config = GenerateConfig(reasoning_effort="low", extra_headers={"X-Team": "hush"}, max_retries=3)
    with serve_agreement() as endpoint:
        judge = judge_at(endpoint, config=config)
        judge.model_args["service_token"] = "hush"
        judge.api.base_url = f"{endpoint.url}?token=hush"
        log = evaluate(judge)
    score = score_of(log)
    recorded = settings(score)
    assert recorded["reasoning_effort"] == "low"
    assert recorded["response_schema"] is True
    # The query may be a secret. A digest stands for it.
    assert recorded["base_url"].startswith(f"{endpoint.url} (sha256:")
    # The number of retries does not change what the judge answers (`OPERATIONAL_SETTINGS`).
    assert "max_retries" not in recorded

    text = json.dumps(score.record)
    assert "hush" not in text
    assert "sk-secret" not in text  # the API key of `judge_at`
