"""Settings of the judge: the same for every use, handling of rejected settings, and the record of settings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import LoggerEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.scorer import Score

from inspect_discoverybench import demo, judge_audit
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.scorer.judge_record import COMPARED_KEYS
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.reflexion import reflexion
from tests.endpoint import Answer, Endpoint, Refused, Request, question, serve
from tests.scorer.judging import CONTEXTS, FULL, judge_at, sample, scripted, writes_its_number
from tests.solvers.scripted import scripted as scripted_agent
from tests.solvers.scripted import submit

pytestmark = pytest.mark.usefixtures("sweep")

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"


def judged(judge: Model, count: int = 1, **options: Any) -> EvalLog:
    """The log of an eval that scores some samples with the judge."""
    of_eval = {name: value for name, value in options.items() if name != "schema"}
    scorer = hms(**{name: value for name, value in options.items() if name not in of_eval})
    task = Task([sample(n) for n in range(1, count + 1)], solver=writes_its_number(), scorer=scorer)
    return inspect_eval(task, model="mockllm/model", model_roles={"grader": judge}, **of_eval)[0]


def scores(log: EvalLog) -> list[Score]:
    assert log.status == "success", log.error
    return [(sample.scores or {})["HMS"] for sample in log.samples or []]


def settings(score: Score) -> dict[str, Any]:
    assert score.metadata
    values: dict[str, Any] = score.metadata["settings"]
    return values


def by_question(requests: list[Request]) -> dict[str, set[str]]:
    """Everything but the question itself, for each kind of question."""
    return {
        name: {
            json.dumps({**request, "messages": request["messages"][:-1]}, sort_keys=True)
            for request in requests
            if question(request) == name
        }
        for name in ("extract", "match", "variables", "relationship")
    }


def test_every_use_sends_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring, audit, a single pair and Reflexion's oracle, as the endpoint saw them."""
    answer = scripted(extract=CONTEXTS * 9, relationship='{"answer": "B"}')
    with serve(answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        # A new name for each address, because Inspect caches models by name.
        name = f"openai/gpt-4o-{endpoint.url.split(':')[-1].removesuffix('/v1')}"
        uses: dict[str, Callable[[], Any]] = {
            "scoring": lambda: scores(judged(get_model(name))),
            "audit": lambda: inspect_eval(judge_audit(released=False, kind="identical"), model=name, limit=1),
            "judge": lambda: CliRunner().invoke(
                main,
                ["judge", "--goal", "g", "--gold", "x", "--pred", "y", "--metadata", str(STUDY), "--grader", name],
            ),
            "oracle": lambda: inspect_eval(
                task_with(demo(), solver=reflexion(trials=1)),
                model=scripted_agent([submit(hypothesis="In Norway, salmon shrink.", workflow="1. guess")]),
                model_roles={"grader": name},
                limit=1,
            ),
        }
        captured = {}
        for use, run in uses.items():
            before = len(endpoint.requests)
            run()
            captured[use] = by_question(endpoint.requests[before:])
    assert all(len(requests) == 1 for requests in captured["scoring"].values())
    for use, requests in captured.items():
        assert requests == captured["scoring"], use
    [request] = captured["scoring"]["variables"]
    body = json.loads(request)
    assert (body["temperature"], body["seed"]) == (0, 0)
    assert not {"max_tokens", "max_completion_tokens"} & set(body)


def test_only_settings_of_the_role_take_precedence() -> None:
    expected = {"temperature": 0.3, "seed": 7, "max_tokens": 900, "top_p": 0.5}
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        config = GenerateConfig.model_validate(expected)
        log = judged(judge_at(endpoint, config=config), temperature=0.9, max_tokens=50, frequency_penalty=0.1)
    for request in endpoint.requests:
        parameters = {
            name: request.get(name) for name in ("temperature", "seed", "max_tokens", "top_p", "frequency_penalty")
        }
        assert parameters == {**expected, "frequency_penalty": None}
    [score] = scores(log)
    assert settings(score).items() >= expected.items()


SENT = ("temperature", "seed", "max_tokens")


def audited(endpoint: Endpoint, model: str | Model, **options: Any) -> Score:
    """The score of one audited pair."""
    task = judge_audit(released=False, kind="identical")
    log = inspect_eval(task, model=model, limit=1, **options)[0]
    assert log.status == "success", log.error
    assert log.samples
    assert endpoint.requests
    return (log.samples[0].scores or {})["audit"]


def test_settings_of_the_eval_apply_to_an_audited_model_given_by_name() -> None:
    with serve(scripted()) as endpoint:
        options = {"model_base_url": endpoint.url, "model_args": {"api_key": "test"}}
        score = audited(endpoint, "openai/gpt-4o-2024-05-13", **options, temperature=0.5, seed=7, max_tokens=77)
    assert {tuple(map(request.get, SENT)) for request in endpoint.requests} == {(0.5, 7, 77)}
    assert [settings(score)[name] for name in SENT] == [0.5, 7, 77]
    assert score.metadata
    assert set(COMPARED_KEYS) <= score.metadata.keys()


def test_schemas_can_be_turned_off() -> None:
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        log = judged(judge_at(endpoint), schema=False)
    assert ["response_format" in request for request in endpoint.requests] == [False] * 5
    [score] = scores(log)
    assert settings(score)["response_schema"] is False
    assert settings(score)["temperature"] == 0


SETTINGS = {"response_schema": "response_format", "seed": "seed", "temperature": "temperature"}
"""Names in the record, and in OpenAI's request."""

REFUSALS = [
    ({"temperature"}, "Unsupported value: 'temperature' does not support 0 with this model.", "temperature", 400),
    ({"response_schema"}, "This model does not support structured outputs.", None, 400),
    ({"seed", "temperature"}, "Bad request.", None, 422),
]


@pytest.mark.parametrize(("refused", "message", "param", "status"), REFUSALS)
def test_a_rejected_request_is_repeated_without_all_defaults(
    refused: set[str], message: str, param: str | None, status: int
) -> None:
    good = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        return Refused(message, param, status) if refused & _settings_in(request) else good(request)

    with serve(answer) as endpoint:
        log = judged(judge_at(endpoint, "openai-api/local/m"), count=3, max_samples=1)
    # The second and the third sample are asked without the defaults from the start.
    later = [request for request in endpoint.requests if any(f"case {n}" in str(request) for n in (2, 3))]
    assert later
    assert not any(_settings_in(request) for request in later)
    assert [score.value for score in scores(log)] == [FULL] * 3
    for score in scores(log):
        assert all(settings(score)[name] in (None, False) for name in SETTINGS)
    assert len(notes(log)) == 1


def test_a_single_bad_request_changes_no_other_question() -> None:
    good = scripted(extract=CONTEXTS)
    rejections: list[Answer] = [Refused("Bad Request")]

    def answer(request: Request) -> Answer:
        return rejections.pop() if question(request) == "variables" and rejections else good(request)

    with serve(answer) as endpoint:
        log = judged(judge_at(endpoint), count=2, max_samples=1)
    assert [score.value for score in scores(log)] == [FULL] * 2
    assert [settings(score)["response_schema"] for score in scores(log)] == ["mixed", True]
    assert len(endpoint.requests) == 11
    assert not notes(log)


def notes(log: EvalLog) -> list[str]:
    """What the log says about rejected settings."""
    events = [e for s in read_eval_log(log.location).samples or [] for e in s.events if isinstance(e, LoggerEvent)]
    return [e.message.message for e in events if "does not accept" in e.message.message]


def _settings_in(request: Request) -> set[str]:
    return {name for name, field in SETTINGS.items() if field in request}


@pytest.mark.parametrize("status", [400, 401])
def test_account_errors_name_the_judge_and_the_cause(status: int) -> None:
    message = "Your credit balance is too low."
    with serve(lambda _: Refused(message, status=status)) as endpoint:
        log = judged(judge_at(endpoint))
    assert log.error
    assert message.rstrip(".") in log.error.message
    assert "openai/gpt-4o" in log.error.message
    assert "TaskGroup" not in log.error.message
    assert not notes(log)
    # A key that is not valid is no reason to change the request.
    assert status == 400 or all(_settings_in(request) == set(SETTINGS) for request in endpoint.requests)


def test_settings_of_the_role_are_never_omitted() -> None:
    def answer(request: Request) -> Answer:
        return Refused("Unsupported value: 'temperature'.", "temperature") if "temperature" in request else "{}"

    with serve(answer) as endpoint:
        log = judged(judge_at(endpoint, config=GenerateConfig(temperature=0.3)))
    assert log.status == "error"
    assert {request["temperature"] for request in endpoint.requests} == {0.3}


def test_the_record_contains_the_settings_without_secrets() -> None:
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        config = GenerateConfig(
            reasoning_effort="low",
            extra_headers={"Authorization": "Bearer hush", "X-Team": "blue"},
            extra_body={"api_key": "hush", "top_a": 1},
            max_retries=3,
        )
        secrets = {"service_token": "hush", "default_headers": {"X-Api-Key": "hush", "X-Team": "red"}}
        judge = judge_at(endpoint, "openai-api/local/m", config=config, emulate_tools=False, stream=False)
        judge.model_args |= secrets
        judge.api.base_url = endpoint.url.replace("http://", "http://user:hush@") + "?token=hush"
        [score] = scores(judged(judge))
    assert score.metadata
    values = settings(score)
    assert values["temperature"] == 0
    assert values["seed"] == 0
    assert values["max_tokens"] is None
    assert values["reasoning_effort"] == "low"
    assert values["response_schema"] is True
    assert values["base_url"].startswith(f"{endpoint.url} (sha256:")
    assert values["model_args"]["emulate_tools"] is False
    assert set(values["extra_body"]) == {"api_key", "top_a"}
    assert "max_retries" not in values
    assert "hush" not in json.dumps(score.metadata)
    assert "sk-secret" not in json.dumps(score.metadata)
