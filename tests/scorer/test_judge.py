"""Concurrent questions to the judge."""

import pytest
from inspect_ai.util import LimitExceededError

from inspect_discoverybench.errors import JudgeFailed
from inspect_discoverybench.scorer.judge import gather


async def fails(error: Exception) -> str:
    raise error


async def test_a_limit_takes_precedence_over_other_errors() -> None:
    with pytest.raises(LimitExceededError):
        await gather(fails(JudgeFailed("first")), fails(LimitExceededError("token", value=2, limit=1)))
