"""An exchange with the judge: one question, and the replies to it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

from inspect_discoverybench.errors import JudgeFailed, causes, ends_sample, http_status, reason_of
from inspect_discoverybench.scorer.settings import RequestSettings, token_limit
from inspect_discoverybench.structured_reply import R, parse_reply
from inspect_discoverybench.text import escape, replace_surrogates

TOKEN_LIMIT_FACTOR = 4
"""Factor by which the token limit is raised after it truncated a reply."""
MIN_RAISED_TOKEN_LIMIT = 4096

MAX_EMPTY = 3
"""Maximum number of replies without choices, which do not count as invalid replies."""

_BAD_REQUEST = {400, 422}
_ACCOUNT = {401, 402, 403}


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

    def parse(self, text: str) -> R:
        """Parse a reply.

        Raises:
            ReplyRejected: It is invalid.
        """
        reply = parse_reply(text, self.reply)
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

    def describe(self) -> str:
        """The failure as Markdown."""
        return f"No valid reply to the question about the {self.question}. Last error: {escape(self.reason)}"


class DefaultsRejected(Exception):
    """The provider rejected a request that had settings which the user did not choose."""


@dataclass
class Exchange:
    """A question with all raw replies to it.

    Attributes:
        question: The question.
        model: The judge.
        settings: Settings of the requests.
        transport: Retries and timeouts of requests.
        replies: Raw replies, the valid one last.
    """

    question: Question[Any]
    model: Model
    settings: RequestSettings
    transport: GenerateConfig
    replies: list[str] = field(default_factory=list)
    _token_limit: int | None = None
    _empty: int = 0

    async def send(self, conversation: list[ChatMessage]) -> ModelOutput:
        """Send a conversation. After a truncated reply, the token limit is raised if the provider accepts that.

        Raises:
            JudgeFailed: The provider failed.
            DefaultsRejected: The provider rejected the first request, which had default settings.
        """
        try:
            output = await self.model.generate(conversation, config=self._config, cache=False)
        except Exception as error:  # every provider raises different types
            if ends_sample(error):
                raise
            if _is_bad_request(error) and self._token_limit:
                self._token_limit = None
                return await self.send(conversation)
            if _is_bad_request(error) and not self.replies and self.settings.config.model_fields_set:
                raise DefaultsRejected from error
            raise self.failure(reason_of(error)) from error
        if not output.choices:
            self._empty += 1
            return output if self._empty >= MAX_EMPTY else await self.send(conversation)
        self.replies.append(replace_surrogates(output.completion))
        if output.stop_reason == "max_tokens":
            output_tokens = output.usage.output_tokens if output.usage else 0
            limit = self._token_limit or token_limit(self.model, self.settings.config) or output_tokens
            self._token_limit = max(TOKEN_LIMIT_FACTOR * limit, MIN_RAISED_TOKEN_LIMIT)
        elif output.stop_reason == "model_length":
            self._token_limit = None
        return output

    def failure(self, reason: str) -> JudgeFailed:
        """The error of a request."""
        return JudgeFailed(f"The judge {self.model} failed on the question about the {self.question.name}: {reason}.")

    @property
    def _config(self) -> GenerateConfig:
        config = self.settings.config
        if self._token_limit is not None:
            config = config.merge(GenerateConfig(max_tokens=self._token_limit))
        # Merging copies the reply schema. In a large process, garbage collection makes that take up to a millisecond.
        return self.transport.merge(config) if self.transport.model_fields_set else config


def _is_bad_request(error: BaseException) -> bool:
    statuses = {http_status(cause) for cause in causes(error)}
    return bool(statuses & _BAD_REQUEST) and not statuses & _ACCOUNT
