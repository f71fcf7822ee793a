"""Settings of the judge: the same for every use, handling of rejected settings, and what of them is recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.event import LoggerEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, get_model

from inspect_discoverybench import demo, judge_audit
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.endpoint import AGREEMENT, Answer, Refused, Request, question, serve
from tests.scorer.judging import (
    ALL_QUESTIONS,
    CONTEXTS,
    FULL,
    Result,
    evaluate,
    judge_at,
    score_of,
    scores_of,
    scripted,
)
from tests.solvers.scripted import scripted as scripted_agent
from tests.solvers.scripted import submit

pytestmark = pytest.mark.usefixtures("sweep")

METADATA = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"


def settings(score: Result) -> dict[str, Any]:
    """The recorded settings."""
    values: dict[str, Any] = score.record["settings"]
    return values


def judge_command(name: str) -> list[str]:
    texts = ["--goal", "g", "--gold", "x", "--pred", "y"]
    return ["judge", *texts, "--metadata", str(METADATA), "--grader", name]


def score_with(name: str) -> None:
    evaluate(get_model(name), numbers=[1])


def audit_with(name: str) -> None:
    task = judge_audit(released=False, kind="identical")
    inspect_eval(task, model=name, limit=1)


def judge_pair_with(name: str) -> None:
    result = CliRunner().invoke(main, judge_command(name))
    assert result.exit_code == 0, result.output


def ask_oracle_with(name: str) -> None:
    agent = scripted_agent([submit(hypothesis="In Norway, salmon shrink.", workflow="1. guess")])
    inspect_eval(task_with(demo(), solver=reflexion(trials=1)), model=agent, model_roles={"grader": name}, limit=1)


USES: list[Callable[[str], None]] = [score_with, audit_with, judge_pair_with, ask_oracle_with]


def without_question(request: Request) -> str:
    """Everything in a request but the question."""
    return json.dumps({**request, "messages": request["messages"][:-1]}, sort_keys=True)


def test_every_use_sends_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(scripted(extract=CONTEXTS * 9, relationship='{"answer": "B"}')) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A new name for each address, because Inspect caches models by name.
        port = endpoint.url.split(":")[-1].removesuffix("/v1")
        sent = []
        for use in USES:
            endpoint.requests.clear()
            use(f"openai/gpt-4o-{port}")
            sent.append({(question(request), without_question(request)) for request in endpoint.requests})

    assert {name for name, _ in sent[0]} == set(AGREEMENT)
    assert all(requests == sent[0] for requests in sent)
    body = next(json.loads(request) for name, request in sent[0] if name == "variables")
    assert body["temperature"] == 0
    assert body["seed"] == 0
    assert not {"max_tokens", "max_completion_tokens"} & set(body)


def test_only_settings_of_the_role_take_precedence() -> None:
    of_role = {"temperature": 0.3, "seed": 7, "max_tokens": 900, "top_p": 0.5}
    config = GenerateConfig.model_validate(of_role)
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        judge = judge_at(endpoint, config=config)
        score = score_of(evaluate(judge, temperature=0.9, max_tokens=50, frequency_penalty=0.1))
    for request in endpoint.requests:
        assert {name: request[name] for name in of_role} == of_role
        assert "frequency_penalty" not in request
    assert settings(score).items() >= of_role.items()


def test_schemas_require_the_fields_of_the_listings() -> None:
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        evaluate(judge_at(endpoint))
    schemas = {}
    for request in endpoint.requests:
        schemas[question(request)] = request["response_format"]["json_schema"]["schema"]
    assert "description" not in json.dumps(schemas)
    assert schemas["variables"]["required"] == ["sizeA", "sizeB", "intersection", "explanation"]
    assert schemas["relationship"]["required"] == ["answer", "explanation"]


DEFAULTS = {"response_schema": "response_format", "seed": "seed", "temperature": "temperature"}
"""Names of the judge's default settings in the record, and in OpenAI's requests."""


def defaults_in(request: Request) -> set[str]:
    return {name for name, field in DEFAULTS.items() if field in request}


REFUSALS = [
    ({"temperature"}, Refused("Unsupported value: 'temperature' does not support 0 with this model.", "temperature")),
    ({"response_schema"}, Refused("This model does not support structured outputs.")),
    ({"seed", "temperature"}, Refused("Bad request.", status=422)),
]


@pytest.mark.parametrize(("refused", "refusal"), REFUSALS)
def test_a_rejected_request_is_repeated_without_all_defaults(refused: set[str], refusal: Refused) -> None:
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        return refusal if refused & defaults_in(request) else agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"), numbers=[1, 2, 3], max_samples=1)
    # The second and the third sample are asked without the defaults from the start.
    later = [request for request in endpoint.requests if "case 1" not in str(request)]
    assert later
    assert not any(defaults_in(request) for request in later)
    for score in scores_of(log):
        assert score.values == FULL
        assert all(settings(score)[name] in (None, False) for name in DEFAULTS)
    assert len(warnings(log)) == 1


def test_a_single_bad_request_changes_no_other_question() -> None:
    agreeing = scripted(extract=CONTEXTS)
    rejections: list[Answer] = [Refused("Bad Request")]

    def answer(request: Request) -> Answer:
        is_rejected = question(request) == "variables" and rejections
        return rejections.pop() if is_rejected else agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint), numbers=[1, 2], max_samples=1)
    first, second = scores_of(log)
    assert first.values == second.values == FULL
    assert settings(first)["response_schema"] == "mixed"
    assert settings(second)["response_schema"] is True
    assert len(endpoint.requests) == 2 * len(ALL_QUESTIONS) + 1
    assert warnings(log) == []


def warnings(log: EvalLog) -> list[str]:
    """What the log says about rejected settings."""
    messages = []
    for sample in read_eval_log(log.location).samples or []:
        messages += [event.message.message for event in sample.events if isinstance(event, LoggerEvent)]
    return [message for message in messages if "does not accept" in message]


@pytest.mark.parametrize("status", [400, 401])
def test_account_errors_name_the_judge_and_the_cause(status: int) -> None:
    message = "Your credit balance is too low."
    with serve(lambda _: Refused(message, status=status)) as endpoint:
        log = evaluate(judge_at(endpoint))
    assert log.error
    assert message.rstrip(".") in log.error.message
    assert "openai/gpt-4o" in log.error.message
    assert "TaskGroup" not in log.error.message
    assert warnings(log) == []
    if status == 401:  # a key that is not valid is no reason to change the request
        assert all(defaults_in(request) == set(DEFAULTS) for request in endpoint.requests)


def test_settings_of_the_role_are_never_omitted() -> None:
    refusal = Refused("Unsupported value: 'temperature'.", "temperature")
    with serve(lambda request: refusal if "temperature" in request else "{}") as endpoint:
        log = evaluate(judge_at(endpoint, config=GenerateConfig(temperature=0.3)))
    assert log.status == "error"
    assert {request["temperature"] for request in endpoint.requests} == {0.3}


def test_the_record_has_the_settings_without_secrets() -> None:
    config = GenerateConfig(reasoning_effort="low", extra_headers={"X-Team": "hush"}, max_retries=3)
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        judge = judge_at(endpoint, "openai-api/local/m", config=config, stream=False)
        judge.model_args |= {"service_token": "hush"}
        judge.api.base_url = endpoint.url.replace("http://", "http://user:hush@") + "?token=hush"
        score = score_of(evaluate(judge))
    values = settings(score)
    assert values["temperature"] == 0
    assert values["max_tokens"] is None
    assert values["reasoning_effort"] == "low"
    assert values["response_schema"] is True
    assert values["base_url"].startswith(f"{endpoint.url} (sha256:")
    assert values["model_args"]["stream"] is False
    assert "max_retries" not in values
    assert "hush" not in json.dumps(score.record)
    assert "sk-secret" not in json.dumps(score.record)
