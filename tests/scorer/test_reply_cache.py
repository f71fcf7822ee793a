"""Which replies are kept across runs, and replies that the token limit cuts off."""

from collections.abc import Callable
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import Answer, Cut, Endpoint, NoChoices, Refused, Request, question, serve
from tests.scorer.judging import CONTEXTS, FULL, PREDICTED, judge_at, sample, score_of, scripted, writes

pytestmark = pytest.mark.usefixtures("sweep")


def run(
    endpoint: Endpoint,
    text: str = PREDICTED,
    config: GenerateConfig | None = None,
    **options: Any,
) -> EvalLog:
    """Score one sample with the judge at the endpoint."""
    task = Task([sample()], solver=writes(text, "stop"), scorer=hms())
    judge = judge_at(endpoint, options.pop("judge", "openai/gpt-4o"), config=config or GenerateConfig())
    return inspect_eval(task, model="mockllm/model", model_roles={"grader": judge}, **options)[0]


class Changing:
    """A judge whose replies are exchanged between runs at the same address."""

    def __init__(self) -> None:
        self.now: Callable[[Request], Answer] = scripted(extract=CONTEXTS)

    def __call__(self, request: Request) -> Answer:
        return self.now(request)


def questions_since(endpoint: Endpoint, since: int) -> list[str]:
    return sorted(name for request in endpoint.requests[since:] if (name := question(request)))


def test_only_new_questions_are_sent() -> None:
    """First run, another agent's run over the same gold, and the same run again."""
    apart = scripted(extract=CONTEXTS, match='{"match": false}')
    with serve(apart) as endpoint:

        def questions(text: str) -> list[str]:
            before = len(endpoint.requests)
            run(endpoint, text)
            return questions_since(endpoint, before)

        assert questions("One.") == ["extract", "extract", "match", "relationship", "variables"]
        assert questions("Another.") == ["extract", "match", "relationship", "variables"]
        assert questions("One.") == []


@pytest.mark.parametrize("bad", ["nonsense", Cut('{"sizeA": 2, "si')], ids=["rejected", "cut off"])
def test_rescoring_an_unscored_sample_asks_the_judge_again(bad: Answer) -> None:
    judge = Changing()
    judge.now = lambda request: bad if question(request) == "variables" else good(request)
    good = scripted(extract=CONTEXTS)
    with serve(judge) as endpoint:
        assert score_of(run(endpoint)).reason == "grader_failed"
        first = len(endpoint.requests)
        assert score_of(run(endpoint)).reason == "grader_failed"
        assert questions_since(endpoint, first) == ["variables"] * 3
        second = len(endpoint.requests)
        judge.now = good
        assert score_of(run(endpoint)).value == FULL
        assert questions_since(endpoint, second) == ["variables"]
        third = len(endpoint.requests)
        assert score_of(run(endpoint)).value == FULL
        assert questions_since(endpoint, third) == []


def test_judges_with_different_settings_do_not_share_replies() -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"judge": "openai/gpt-4o-mini"},
        {"config": GenerateConfig(temperature=0.3)},
        {"config": GenerateConfig(reasoning_effort="low")},
        {"config": GenerateConfig(max_tokens=5000)},
        {"config": GenerateConfig(extra_body={"top_a": 1})},
    ]
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        for options in variants:
            before = len(endpoint.requests)
            run(endpoint, **options)
            assert len(questions_since(endpoint, before)) == 5, options
        before = len(endpoint.requests)
        for options in variants:
            run(endpoint, **options)
        # Settings of the connection do not affect the reply.
        run(endpoint, config=GenerateConfig(max_retries=2, timeout=60, max_connections=3))
        assert questions_since(endpoint, before) == []
    with serve(scripted(extract=CONTEXTS)) as elsewhere:
        run(elsewhere)
        assert len(questions_since(elsewhere, 0)) == 5


def test_epochs_share_the_cache_unless_it_is_disabled_and_transcripts_have_its_replies() -> None:
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        run(endpoint)
        before = len(endpoint.requests)
        log = run(endpoint, epochs=3)
        assert questions_since(endpoint, before) == []
        assert log.samples
        assert len(log.samples) == 3
        events = [e for e in log.samples[2].events if isinstance(e, InfoEvent) and e.source == "judge cache"]
        assert len({event.data["name"] for event in events if isinstance(event.data, dict)}) == len(events) == 5
        run(endpoint, config=GenerateConfig(cache=False))
        assert len(questions_since(endpoint, before)) == 5


def test_a_damaged_entry_is_replaced(tmp_path: Any) -> None:
    with serve(scripted(extract=CONTEXTS)) as endpoint:
        run(endpoint)
        for n, file in enumerate(sorted((tmp_path / "cache").rglob("*.txt"))):
            file.write_bytes((b"", b"\xff", b"nonsense")[n % 3])
        assert score_of(run(endpoint)).value == FULL
        assert len(endpoint.requests) == 10


@pytest.mark.parametrize(
    ("limit", "reasoning_tokens"),
    [(None, 5), (None, 20_000), (300, 300)],
    ids=["no limit", "the provider's own", "the role's"],
)
def test_a_truncated_reply_is_requested_with_a_higher_limit(limit: int | None, reasoning_tokens: int) -> None:
    good = scripted(extract=CONTEXTS)
    replies = [Cut("", reasoning_tokens), Cut('{"answer": "A", "expl', reasoning_tokens)]

    def answer(request: Request) -> Answer:
        return replies.pop(0) if question(request) == "relationship" and replies else good(request)

    with serve(answer) as endpoint:
        score = score_of(run(endpoint, config=GenerateConfig(max_tokens=limit)))
    assert score.value == FULL
    room = [request.get("max_tokens") for request in endpoint.requests if question(request) == "relationship"]
    assert room[0] == limit
    assert reasoning_tokens < int(str(room[1])) < int(str(room[2]))
    assert {r.get("max_tokens") for r in endpoint.requests if question(r) == "variables"} == {limit}
    assert (score.metadata or {})["settings"]["max_tokens"] == limit


def test_three_truncated_replies_are_reported() -> None:
    good = scripted(extract=CONTEXTS)

    def answer(request: Request) -> Answer:
        # The reply is complete JSON but flagged as truncated, so its end is unknown.
        return Cut('{"answer": "A"}') if question(request) == "relationship" else good(request)

    with serve(answer) as endpoint:
        score = score_of(run(endpoint))
    assert score.reason == "grader_failed"
    assert "truncated by the token limit" in str(score.explanation)
    assert "Expecting" not in str(score.explanation)


def test_a_rejected_higher_limit_is_dropped() -> None:
    good = scripted(extract=CONTEXTS)
    replies = [Cut("")]

    def answer(request: Request) -> Answer:
        if request.get("max_tokens"):
            return Refused("max_tokens is too large: 4096. This model supports at most 2048.", "max_tokens")
        return replies.pop(0) if question(request) == "relationship" and replies else good(request)

    with serve(answer) as endpoint:
        score = score_of(run(endpoint))
    assert score.value == FULL
    assert (score.metadata or {})["settings"]["temperature"] == 0


def test_three_replies_without_choices_are_an_error() -> None:
    with serve(lambda _: NoChoices()) as endpoint:
        log = run(endpoint)
    assert log.error
    assert "no choices" in log.error.message
    assert max(map(endpoint.judge_requests().count, ("variables", "relationship"))) == 3


def test_replies_without_choices_are_not_invalid_replies() -> None:
    good = scripted(extract=CONTEXTS)
    replies: list[Answer] = [NoChoices(), "nonsense", NoChoices(), "nonsense"]

    def answer(request: Request) -> Answer:
        return replies.pop(0) if question(request) == "relationship" and replies else good(request)

    with serve(answer) as endpoint:
        score = score_of(run(endpoint))
    assert score.value == FULL
    assert (score.metadata or {})["asked_again"] == 2
