"""A question to the judge, and the failure to get a valid reply to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from inspect_discoverybench.replies import ReplyT, parse_reply
from inspect_discoverybench.scorer.markdown import escape_markdown


@dataclass(frozen=True)
class Question(Generic[ReplyT]):
    """A question to the judge.

    Attributes:
        name: Name of the question in the log.
        text: The rendered prompt.
        reply: Type of the reply.
        check: Raises `ReplyRejected` if a reply of this type is invalid for this question.
    """

    name: str
    text: str
    reply: type[ReplyT]
    check: Callable[[ReplyT], object] | None = None

    def parse(self, text: str) -> ReplyT:
        """Parse a reply.

        Raises:
            ReplyRejected: It is invalid.
        """
        reply = parse_reply(text, self.reply)
        if self.check is not None:
            self.check(reply)
        return reply


@dataclass(frozen=True)
class ParseFailure:
    """A question without a valid reply. Its facet is undecided.

    Attributes:
        question: Name of the question.
        reason: Why the last reply is invalid.
    """

    question: str
    reason: str

    score = None
    """The facet has no score. With this attribute and `describe`, the failure can stand for a `FacetVerdict`."""

    def describe(self) -> str:
        """The failure as Markdown."""
        return f"No valid reply to the question about the {self.question}. Last error: {escape_markdown(self.reason)}"
