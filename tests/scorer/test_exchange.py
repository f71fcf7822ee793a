"""Replies that the token limit cuts off, and invalid replies."""

import json
from collections.abc import Callable

import pytest
from inspect_ai.model import GenerateConfig, Model

from tests.endpoint import AGREEMENT, Answer, Cut, Endpoint, NoChoices, Raw, Refused, Request, question, serve
from tests.scorer.judging import CONTEXTS, FULL, InProcessJudge, Result, evaluate, judge_at, score_of, scripted

pytestmark = pytest.mark.usefixtures("slow")


def first_answering(*replies: Answer) -> Callable[[Request], Answer]:
    """A judge that gives these replies to the question about the relationship first, and then agrees."""
    agreeing = scripted(extract=CONTEXTS)
    remaining = [*replies]

    def answer(request: Request) -> Answer:
        if remaining and question(request) == "relationship":
            return remaining.pop(0)
        return agreeing(request)

    return answer


def judged_by(judge: Model) -> Result:
    log = evaluate(judge)
    return score_of(log)


def requests_about(name: str, endpoint: Endpoint) -> list[Request]:
    return [request for request in endpoint.requests if question(request) == name]


@pytest.mark.parametrize(
    ("limit", "reported_tokens"),
    [(None, 20_000), (300, 300), (20_000, 0)],
    ids=["the provider's own", "the role's", "the role's, without usage"],
)
def test_a_truncated_reply_is_requested_with_a_higher_limit(limit: int | None, reported_tokens: int) -> None:
    first = Cut("", reported_tokens)
    second = Cut('{"answer": "A", "expl', reported_tokens)
    answer = first_answering(first, second)
    config = GenerateConfig(max_tokens=limit)
    with serve(answer) as endpoint:
        judge = judge_at(endpoint, config=config)
        score = judged_by(judge)
    assert score.values == FULL

    first_request, second_request, third_request = requests_about("relationship", endpoint)
    # If the role sets no limit, only the number of reported tokens tells the limit that cut the reply off.
    first_limit = limit or reported_tokens
    assert first_request.get("max_tokens") == limit
    # docs/judge.md: four times the limit, at least 4096. The endpoint also reports 10 tokens of the prompt, which are
    # not added to the limit.
    assert second_request["max_tokens"] == max(4 * first_limit, 4096)
    assert third_request["max_tokens"] == 4 * second_request["max_tokens"]
    # The limit of other questions, and the recorded one, is that of the role.
    [other_request] = requests_about("variables", endpoint)
    assert other_request.get("max_tokens") == limit
    assert score.record["settings"]["max_tokens"] == limit


def test_three_truncated_replies_are_reported() -> None:
    # The reply is complete JSON but flagged as truncated, so its end is unknown.
    cut = Cut('{"answer": "A"}')
    answer = first_answering(cut, cut, cut)
    with serve(answer) as endpoint:
        judge = judge_at(endpoint)
        score = judged_by(judge)
    assert score.reason == "grader_failed"
    assert "truncated by the token limit" in score.explanation


def refusing_higher_limits(refusal: Answer) -> Callable[[Request], Answer]:
    """Cut the first reply, so that the judge sets a higher limit, and refuse requests with a limit."""
    agreeing = first_answering(Cut(""))

    def answer(request: Request) -> Answer:
        return refusal if request.get("max_tokens") else agreeing(request)

    return answer


def test_a_rejected_higher_limit_is_dropped() -> None:
    refusal = Refused("max_tokens is too large: 4096. This model supports at most 2048.", "max_tokens")
    with serve(refusing_higher_limits(refusal)) as endpoint:
        judge = judge_at(endpoint)
        score = judged_by(judge)
    assert score.values == FULL
    # Only the limit is dropped: the default settings are still sent.
    assert score.record["settings"]["temperature"] == 0


def test_a_higher_limit_is_dropped_if_the_context_window_is_too_small_for_it() -> None:
    # Inspect reads this error as a reply with the stop reason `model_length`.
    error = {"message": "The maximum context length is 4096 tokens.", "code": "context_length_exceeded"}
    too_long = Raw(400, json.dumps({"error": error}).encode())
    with serve(refusing_higher_limits(too_long)) as endpoint:
        judge = judge_at(endpoint)
        score = judged_by(judge)
    assert score.values == FULL
    limits = [request.get("max_tokens") for request in requests_about("relationship", endpoint)]
    # 4096 is the lowest raised limit.
    assert limits == [None, 4096, None]


def test_an_invalid_reply_is_sent_back_with_the_reason() -> None:
    invalid = '{"answer": "Both"}'
    answer = first_answering(invalid)
    judge = InProcessJudge(answer)
    score = judged_by(judge.model)
    assert score.values == FULL

    [_, repeated] = [request for request in judge.requests if question(request) == "relationship"]
    _, _, reply, reason = [message["content"] for message in repeated["messages"]]
    assert reply == invalid
    assert "could not be used" in reason
    assert "'Both' is not one of A) very similar" in reason


@pytest.mark.parametrize("empty", ["", " \n"])
def test_a_server_that_refuses_empty_messages_is_asked_again_after_an_empty_reply(empty: str) -> None:
    agreeing = first_answering(empty)

    def answer(request: Request) -> Answer:
        if not all(message["content"].strip() for message in request["messages"]):
            return Refused("the message at position 2 with role 'assistant' must not be empty")
        return agreeing(request)

    with serve(answer) as endpoint:
        score = judged_by(judge_at(endpoint))
    assert score.values == FULL
    assert score.record["replies"]["relationship"] == [empty, AGREEMENT["relationship"]]


NO_CANDIDATES = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "test",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "(no content)"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10},
}
"""What Inspect makes of a reply of Google without candidates."""


@pytest.mark.parametrize("empty", [NoChoices(), Raw(body=json.dumps(NO_CANDIDATES).encode())])
def test_a_reply_without_choices_is_requested_again_twice(empty: Answer) -> None:
    answer = first_answering(empty, empty)
    with serve(answer) as endpoint:
        judge = judge_at(endpoint)
        score = judged_by(judge)
    assert score.values == FULL
    requests = requests_about("relationship", endpoint)
    assert len(requests) == 3
    assert requests[1]["messages"] == requests[2]["messages"] == requests[0]["messages"]
