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

pytestmark = pytest.mark.usefixtures("sweep")

METADATA = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"


def settings(score: Result) -> dict[str, Any]:
    """The recorded settings."""
    values: dict[str, Any] = score.record["settings"]
    return values


def judge_command(name: str) -> list[str]:
    options = f"--goal g --gold x --pred y --metadata {METADATA} --grader {name}"
    return ["judge", *options.split()]


def score_with(name: str) -> None:
    evaluate(get_model(name), numbers=[1])


def audit_with(name: str) -> None:
    task = judge_audit(released=False, kind="identical")
    inspect_eval(task, model=name, limit=1)


def judge_pair_with(name: str) -> None:
    result = CliRunner().invoke(main, judge_command(name))
    assert result.exit_code == 0, result.output


def ask_oracle_with(name: str) -> None:
    submission = submit(hypothesis="In Norway, salmon shrink.", workflow="1. guess")
    agent = scripted_agent([submission])
    task = task_with(demo(), solver=reflexion(trials=1))
    inspect_eval(task, model=agent, model_roles={"grader": name}, limit=1)


USES: list[Callable[[str], None]] = [score_with, audit_with, judge_pair_with, ask_oracle_with]


def without_question(request: Request) -> str:
    """Everything in a request but the question."""
    *others, _ = request["messages"]
    return json.dumps({**request, "messages": others}, sort_keys=True)


def test_every_use_sends_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(scripted(extract=CONTEXTS * 9, relationship='{"answer": "B"}')) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A new name for each address, because Inspect caches models by name.
        _, _, port = endpoint.url.removesuffix("/v1").rpartition(":")
        sent = []
        for use in USES:
            endpoint.requests.clear()
            use(f"openai/gpt-4o-{port}")
            bodies = {question(request): without_question(request) for request in endpoint.requests}
            sent.append(bodies)

    first, *others = sent
    for bodies in others:
        assert bodies == first
    assert first.keys() == AGREEMENT.keys()
    body = json.loads(first["variables"])
    assert body["temperature"] == 0
    assert body["seed"] == 0
    assert body.keys().isdisjoint({"max_tokens", "max_completion_tokens"})


def test_only_settings_of_the_role_take_precedence() -> None:
    of_role = {"temperature": 0.3, "seed": 7, "max_tokens": 900, "top_p": 0.5}
    config = GenerateConfig.model_validate(of_role)
    with serve_agreement() as endpoint:
        judge = judge_at(endpoint, config=config)
        log = evaluate(judge, temperature=0.9, max_tokens=50, frequency_penalty=0.1)
    score = score_of(log)
    for request in endpoint.requests:
        assert request.items() >= of_role.items()
        assert "frequency_penalty" not in request
    assert settings(score).items() >= of_role.items()


def test_schemas_require_the_fields_of_the_listings() -> None:
    with serve_agreement() as endpoint:
        evaluate(judge_at(endpoint))
    required = {}
    for request in endpoint.requests:
        schema = request["response_format"]["json_schema"]["schema"]
        assert "description" not in json.dumps(schema)
        required[question(request)] = schema["required"]
    assert required["variables"] == ["sizeA", "sizeB", "intersection", "explanation"]
    assert required["relationship"] == ["answer", "explanation"]


DEFAULTS = {"response_schema": "response_format", "seed": "seed", "temperature": "temperature"}
"""Names of the judge's default settings in the record, and in OpenAI's requests."""


def defaults_in(request: Request) -> set[str]:
    return {name for name, field in DEFAULTS.items() if field in request}


REFUSALS = [
    ("temperature", Refused("Unsupported value: 'temperature' does not support 0 with this model.", "temperature")),
    ("response_schema", Refused("Bad request.", status=422)),
]


@pytest.mark.parametrize(("refused", "refusal"), REFUSALS)
def test_a_rejected_request_is_repeated_without_all_defaults(refused: str, refusal: Refused) -> None:
    agreeing = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        if refused in defaults_in(request):
            return refusal
        return agreeing(request)

    with serve(answer) as endpoint:
        log = evaluate(judge_at(endpoint, "openai-api/local/m"), numbers=[1, 2], max_samples=1)
    # The second sample is asked without the defaults from the start.
    later = [request for request in endpoint.requests if "case 2" in str(request)]
    assert later
    for request in later:
        assert defaults_in(request) == set()
    for score in scores_of(log):
        assert score.values == FULL
        recorded = {settings(score)[name] for name in DEFAULTS}
        assert recorded <= {None, False}
    assert len(warnings(log)) == 1


def warnings(log: EvalLog) -> list[str]:
    """What the log says about rejected settings."""
    messages = []
    for sample in read_eval_log(log.location).samples or []:
        events = [event for event in sample.events if isinstance(event, LoggerEvent)]
        messages += [event.message.message for event in events]
    return [message for message in messages if "does not accept" in message]


def test_the_record_has_the_settings_without_secrets() -> None:
    config = GenerateConfig(reasoning_effort="low", extra_headers={"X-Team": "hush"}, max_retries=3)
    with serve_agreement() as endpoint:
        judge = judge_at(endpoint, "openai-api/local/m", config=config, stream=False)
        judge.model_args |= {"service_token": "hush"}
        judge.api.base_url = f"{endpoint.url}?token=hush"
        score = score_of(evaluate(judge))

    values = settings(score)
    expected = {"temperature": 0, "max_tokens": None, "reasoning_effort": "low", "response_schema": True}
    assert values.items() >= expected.items()
    assert values["base_url"].startswith(f"{endpoint.url} (sha256:")
    assert values["model_args"]["stream"] is False
    assert "max_retries" not in values
    recorded = json.dumps(score.record)
    assert "hush" not in recorded
    assert "sk-secret" not in recorded
