"""Replies that the token limit cuts off, and invalid replies."""

from collections.abc import Callable

import pytest
from inspect_ai.model import GenerateConfig

from tests.endpoint import Answer, Cut, Refused, Request, question, serve
from tests.scorer.judging import CONTEXTS, FULL, evaluate, judge_at, score_of, scripted

pytestmark = pytest.mark.usefixtures("sweep")


def first_answering(*replies: Answer) -> Callable[[Request], Answer]:
    """A judge that gives these replies to the question about the relationship first, and then agrees."""
    agreeing = scripted(extract=CONTEXTS)
    remaining = [*replies]

    def answer(request: Request) -> Answer:
        is_scripted = question(request) == "relationship" and remaining
        return remaining.pop(0) if is_scripted else agreeing(request)

    return answer


@pytest.mark.parametrize(
    ("limit", "output_tokens"),
    [(None, 20_000), (300, 300)],
    ids=["the provider's own", "the role's"],
)
def test_a_truncated_reply_is_requested_with_a_higher_limit(limit: int | None, output_tokens: int) -> None:
    answer = first_answering(Cut("", output_tokens), Cut('{"answer": "A", "expl', output_tokens))
    with serve(answer) as endpoint:
        score = score_of(evaluate(judge_at(endpoint, config=GenerateConfig(max_tokens=limit))))
    assert score.values == FULL
    limits: dict[str | None, list[int | None]] = {}
    for request in endpoint.requests:
        limits.setdefault(question(request), []).append(request.get("max_tokens"))
    first, second, third = limits["relationship"]
    assert first == limit
    assert output_tokens < (second or 0) < (third or 0)
    assert limits["variables"] == [limit]
    assert score.record["settings"]["max_tokens"] == limit


def test_three_truncated_replies_are_reported() -> None:
    # The reply is complete JSON but flagged as truncated, so its end is unknown.
    with serve(first_answering(*[Cut('{"answer": "A"}')] * 3)) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.reason == "grader_failed"
    assert "truncated by the token limit" in score.explanation
    assert "Expecting" not in score.explanation


def test_a_rejected_higher_limit_is_dropped() -> None:
    agreeing = first_answering(Cut(""))
    refusal = Refused("max_tokens is too large: 4096. This model supports at most 2048.", "max_tokens")
    with serve(lambda request: refusal if request.get("max_tokens") else agreeing(request)) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    assert score.record["settings"]["temperature"] == 0


def test_an_invalid_reply_is_sent_back_with_the_reason() -> None:
    with serve(first_answering("nonsense", '{"answer": "Both"}')) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    last = [request for request in endpoint.requests if question(request) == "relationship"][-1]
    _, _, reply, reason, second_reply, second_reason = [message["content"] for message in last["messages"]]
    assert reply == "nonsense"
    assert "could not be used: it is not a JSON object" in reason
    assert second_reply == '{"answer": "Both"}'
    assert "'Both' is not one of A) very similar" in second_reason


def test_a_very_long_reply_is_not_sent_back_as_a_whole() -> None:
    with serve(first_answering("x" * 1_000_001)) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    last = [request for request in endpoint.requests if question(request) == "relationship"][-1]
    _, _, reply, reason = [message["content"] for message in last["messages"]]
    assert len(reply) < 50_000
    assert "it has 1,000,001 characters; the maximum is 1,000,000." in reason
