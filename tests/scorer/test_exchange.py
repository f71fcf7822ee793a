"""Replies that the token limit cuts off, invalid replies, and replies without choices."""

from collections.abc import Callable

import pytest
from inspect_ai.model import GenerateConfig

from tests.endpoint import Answer, Cut, Endpoint, NoChoices, Refused, Request, question, serve
from tests.scorer.judging import CONTEXTS, FULL, evaluate, judge_at, score_of, scripted

pytestmark = pytest.mark.usefixtures("sweep")


def first_answering(*replies: Answer) -> Callable[[Request], Answer]:
    """A judge that gives these replies to the question about the relationship first, and then agrees."""
    agreeing = scripted(extract=CONTEXTS)
    remaining = [*replies]

    def answer(request: Request) -> Answer:
        if remaining and question(request) == "relationship":
            return remaining.pop(0)
        return agreeing(request)

    return answer


def requests_about(name: str, endpoint: Endpoint) -> list[Request]:
    return [request for request in endpoint.requests if question(request) == name]


@pytest.mark.parametrize(
    ("limit", "output_tokens"),
    [(None, 20_000), (300, 300), (20_000, 0)],
    ids=["the provider's own", "the role's", "the role's, without usage"],
)
def test_a_truncated_reply_is_requested_with_a_higher_limit(limit: int | None, output_tokens: int) -> None:
    first = Cut("", output_tokens)
    second = Cut('{"answer": "A", "expl', output_tokens)
    answer = first_answering(first, second)
    with serve(answer) as endpoint:
        judge = judge_at(endpoint, config=GenerateConfig(max_tokens=limit))
        score = score_of(evaluate(judge))
    assert score.values == FULL
    first_request, second_request, third_request = requests_about("relationship", endpoint)
    assert first_request.get("max_tokens") == limit
    assert (limit or output_tokens) < second_request["max_tokens"] < third_request["max_tokens"]
    [other_request] = requests_about("variables", endpoint)
    assert other_request.get("max_tokens") == limit
    assert score.record["settings"]["max_tokens"] == limit


def test_three_truncated_replies_are_reported() -> None:
    # The reply is complete JSON but flagged as truncated, so its end is unknown.
    cut = Cut('{"answer": "A"}')
    with serve(first_answering(cut, cut, cut)) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.reason == "grader_failed"
    assert "truncated by the token limit" in score.explanation
    assert "Expecting" not in score.explanation


def test_a_rejected_higher_limit_is_dropped() -> None:
    agreeing = first_answering(Cut(""))
    refusal = Refused("max_tokens is too large: 4096. This model supports at most 2048.", "max_tokens")

    def answer(request: Request) -> Answer:
        if request.get("max_tokens"):
            return refusal
        return agreeing(request)

    with serve(answer) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    assert score.record["settings"]["temperature"] == 0


def test_an_invalid_reply_is_sent_back_with_the_reason() -> None:
    with serve(first_answering("nonsense", '{"answer": "Both"}')) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    last = requests_about("relationship", endpoint)[-1]
    _, _, reply, reason, second_reply, second_reason = [message["content"] for message in last["messages"]]
    assert reply == "nonsense"
    assert "could not be used: it is not a JSON object" in reason
    assert second_reply == '{"answer": "Both"}'
    assert "'Both' is not one of A) very similar" in second_reason


def test_a_reply_without_choices_is_requested_again_twice() -> None:
    with serve(first_answering(NoChoices(), NoChoices())) as endpoint:
        score = score_of(evaluate(judge_at(endpoint)))
    assert score.values == FULL
    assert len(requests_about("relationship", endpoint)) == 3
