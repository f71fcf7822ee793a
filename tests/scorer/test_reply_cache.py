"""Which replies are kept across runs."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig

from tests.endpoint import Answer, Cut, Endpoint, Request, question, serve
from tests.scorer.judging import (
    CONTEXTS,
    FULL,
    HMS_QUESTIONS,
    PREDICTED,
    evaluate,
    judge_at,
    score_of,
    scripted,
    serve_agreement,
)

pytestmark = pytest.mark.usefixtures("slow")


def evaluate_at(
    endpoint: Endpoint, prediction: str = PREDICTED, name: str = "openai/gpt-4o", **settings: Any
) -> tuple[EvalLog, list[str]]:
    """The log of an eval with a judge that has these settings, and the questions that the endpoint was asked."""
    endpoint.requests.clear()
    config = GenerateConfig(**settings)
    judge = judge_at(endpoint, name, config=config)
    log = evaluate(judge, prediction)
    questions = endpoint.judge_requests()
    return log, sorted(questions)


def test_only_new_questions_are_asked_and_transcripts_have_the_replies_to_the_others() -> None:
    with serve_agreement() as endpoint:
        _, first = evaluate_at(endpoint, "One.")
        _, of_another_agent = evaluate_at(endpoint, "Another.")
        log, repeated = evaluate_at(endpoint, "One.")
    assert first == HMS_QUESTIONS
    # Of the two extractions, that of the gold hypothesis is in the cache.
    assert of_another_agent == ["extract", "match", "relationship", "variables"]
    assert repeated == []
    assert score_of(log).values == FULL
    [sample] = log.samples or []
    replies = [event for event in sample.events if isinstance(event, InfoEvent) and event.source == "judge cache"]
    assert len(replies) == len(HMS_QUESTIONS)


@pytest.mark.parametrize("invalid", ["nonsense", Cut('{"sizeA": 2, "si')], ids=["rejected", "cut off"])
def test_only_a_question_without_a_valid_reply_is_asked_again_in_the_next_run(invalid: Answer) -> None:
    agreeing = scripted(extract=CONTEXTS)
    is_valid = False

    def answer(request: Request) -> Answer:
        if question(request) == "variables" and not is_valid:
            return invalid
        return agreeing(request)

    with serve(answer) as endpoint:
        log, _ = evaluate_at(endpoint)
        assert score_of(log).reason == "grader_failed"
        is_valid = True
        log, questions = evaluate_at(endpoint)
    assert score_of(log).values == FULL
    assert questions == ["variables"]


SETTINGS: list[dict[str, Any]] = [
    {},
    {"name": "openai/gpt-4o-mini"},
    {"temperature": 0.3},
    {"extra_body": {"top_a": 1}},
]


def test_judges_with_different_settings_do_not_share_replies() -> None:
    with serve_agreement() as endpoint:
        for settings in SETTINGS:
            _, questions = evaluate_at(endpoint, **settings)
            assert questions == HMS_QUESTIONS
        for settings in SETTINGS:
            _, questions = evaluate_at(endpoint, **settings)
            assert questions == []
        # Settings of the connection do not affect the reply.
        _, questions = evaluate_at(endpoint, max_retries=2, timeout=60, max_connections=3)
        assert questions == []
    with serve_agreement() as other_address:
        _, questions = evaluate_at(other_address)
        assert questions == HMS_QUESTIONS


def test_the_cache_can_be_disabled() -> None:
    with serve_agreement() as endpoint:
        evaluate_at(endpoint)
        _, questions = evaluate_at(endpoint, cache=False)
    assert questions == HMS_QUESTIONS


def cache_folder() -> Path:
    """The folder of Inspect's caches, which each test has for itself."""
    return Path(os.environ["INSPECT_CACHE_DIR"])


def cached_files() -> list[Path]:
    return sorted(cache_folder().rglob("*.txt"))


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Files of this process are readable and writable by all."""
    previous = os.umask(0)
    yield
    os.umask(previous)


@pytest.mark.usefixtures("open_umask")
def test_new_and_replaced_replies_are_for_the_user_alone() -> None:
    with serve(scripted()) as endpoint:
        for _ in range(2):
            evaluate_at(endpoint)
            files = cached_files()
            assert files
            for file in files:
                assert file.stat().st_mode & 0o777 == 0o600
                # The next evaluation replaces this file.
                file.write_bytes(b"nonsense")
                file.chmod(0o644)


@pytest.mark.parametrize("content", [b"\xff", b"nonsense"], ids=["no UTF-8", "no JSON"])
def test_a_damaged_entry_is_replaced(content: bytes) -> None:
    with serve_agreement() as endpoint:
        evaluate_at(endpoint)
        for file in cached_files():
            file.write_bytes(content)
        log, questions = evaluate_at(endpoint)
        assert questions == HMS_QUESTIONS
        assert score_of(log).values == FULL
        _, questions = evaluate_at(endpoint)
        assert questions == []


def test_a_cache_that_cannot_be_written_changes_nothing() -> None:
    cache_folder().write_text("a file where the folder would be", "utf-8")
    with serve_agreement() as endpoint:
        log, _ = evaluate_at(endpoint)
    assert score_of(log).values == FULL
