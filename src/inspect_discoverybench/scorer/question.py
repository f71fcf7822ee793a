"""The questions to the judge."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from inspect_discoverybench.scorer.reply import R


@dataclass(frozen=True)
class Question(Generic[R]):
    """A question to the judge.

    Attributes:
        name: Name of the question in the log.
        text: The rendered prompt.
        reply: Type of the reply.
        check: Raises `ReplyRejected` if a reply of this type is invalid for this question.
    """

    name: str
    text: str
    reply: type[R]
    check: Callable[[R], None] = lambda _reply: None


@dataclass(frozen=True)
class ParseFailure:
    """A question without a valid reply.

    Attributes:
        question: Name of the question.
        reason: Why the last reply is invalid.
    """

    question: str
    reason: str
