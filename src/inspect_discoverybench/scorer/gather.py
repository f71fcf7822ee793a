"""Questions that are asked at the same time."""

from collections.abc import Awaitable
from typing import TypeVar

import anyio

from inspect_discoverybench.errors.provider_failures import ends_sample

AnswerT = TypeVar("AnswerT")


async def gather(*questions: Awaitable[AnswerT]) -> list[AnswerT]:
    """Ask several questions concurrently. If some fail, one of their errors is raised, without an exception group.

    Inspect's `collect` would raise an exception group if several questions fail. The message of a group does not say
    why they failed.
    """
    answers: dict[int, AnswerT] = {}

    async def ask(number: int, question: Awaitable[AnswerT]) -> None:
        answers[number] = await question

    try:
        async with anyio.create_task_group() as tasks:
            for number, question in enumerate(questions):
                tasks.start_soon(ask, number, question)
    except ExceptionGroup as group:
        # Errors that end the sample, such as limits, come first: Inspect handles them itself.
        ending = [error for error in group.exceptions if ends_sample(error)]
        error, *_ = ending or group.exceptions
        # Without `from`, the traceback of the error would also show the group.
        raise error from error.__cause__
    return [answers[number] for number in range(len(questions))]
