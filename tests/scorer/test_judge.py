"""Concurrent questions to the judge."""

import pytest
from inspect_ai.util import LimitExceededError

from inspect_discoverybench.errors import JudgeFailed
from inspect_discoverybench.scorer.judge import gather

FIRST, SECOND = JudgeFailed("the first question"), JudgeFailed("the second question")
LIMIT = LimitExceededError("token", value=2, limit=1)


async def replies(text: str) -> str:
    return text


async def fails(error: Exception) -> str:
    raise error


async def test_replies_are_in_the_order_of_the_questions() -> None:
    assert await gather(replies("one"), replies("two"), replies("three")) == ("one", "two", "three")


async def test_the_first_of_several_errors_is_raised() -> None:
    with pytest.raises(JudgeFailed, match="the first question"):
        await gather(fails(FIRST), fails(SECOND))


async def test_a_limit_takes_precedence_over_other_errors() -> None:
    with pytest.raises(LimitExceededError):
        await gather(fails(FIRST), fails(LIMIT), fails(SECOND))
