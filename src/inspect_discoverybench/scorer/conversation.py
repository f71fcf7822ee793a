"""A conversation with the judge: a question is repeated or sent back until a reply is valid."""

from dataclasses import dataclass
from typing import Any, Generic

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)

from inspect_discoverybench.errors import JudgeFailed, ReplyRejected, ends_sample, reason_of
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.question import ParseFailure, Question
from inspect_discoverybench.scorer.reply import R, parse_reply
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.settings import (
    JudgeSettings,
    RejectedSetting,
    RequestSettings,
    rejection,
    token_limit,
)
from inspect_discoverybench.text import replace_surrogates

MAX_ATTEMPTS = 3
TOKEN_LIMIT_FACTOR = 4
"""Factor by which the token limit is raised after it truncated a reply."""
MIN_RAISED_TOKEN_LIMIT = 4096


@dataclass(frozen=True)
class Exchange:
    """A question with all raw replies to it, for the score metadata.

    Attributes:
        question: Name of the question.
        replies: Raw replies, at most `MAX_ATTEMPTS`.
        settings: The effective settings of the last request.
    """

    question: str
    replies: tuple[str, ...]
    settings: dict[str, Any]


class Conversation(Generic[R]):
    """A question and the replies to it so far."""

    def __init__(
        self, question: Question[R], model: Model, settings: JudgeSettings, cache: ReplyCache, transport: GenerateConfig
    ) -> None:
        """Start the conversation about a question.

        Args:
            question: The question.
            model: The judge model.
            settings: Request settings, shared by all judges of an eval.
            cache: Cache of accepted replies.
            transport: Retries and timeouts of requests.
        """
        self.question = question
        self.model = model
        self.settings = settings
        self.cache = cache
        self.transport = transport
        self.replies: list[str] = []
        self.messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        self.first_messages = tuple(self.messages)
        self.omitted = settings.rejected(model)
        self.refused_once = False
        self.token_limit: int | None = None
        self.token_limit_fixed = False

    @property
    def request(self) -> RequestSettings:
        """Settings of the next request."""
        return self.settings.request(self.model, self.question.reply, self.omitted)

    @property
    def cache_key(self) -> str:
        """Key of the question in the cache."""
        return self.cache.key(self.request.fingerprint, self.first_messages)

    @property
    def exchange(self) -> Exchange:
        """The record of this conversation."""
        return Exchange(self.question.name, tuple(self.replies), self.request.effective)

    async def run(self) -> R | ParseFailure:
        """Ask until a reply is valid. The caller has already checked the cache.

        Raises:
            JudgeFailed: The provider failed.
        """
        reason = ""
        while len(self.replies) < MAX_ATTEMPTS:
            output = await self._generate()
            if output is None:
                # A reply to the question without the rejected setting may be in the cache.
                if not self.replies and (cached := self.read_cache()) is not None:
                    return cached
                continue
            self.replies.append(replace_surrogates(output.completion))
            match output.stop_reason:
                case "max_tokens":
                    reason = "it was truncated by the token limit."
                    self._raise_token_limit(output)
                case "model_length":
                    reason = "the question does not fit into the context window."
                    self._reset_token_limit()
                case _:
                    try:
                        reply = self._parse(output.completion)
                    except ReplyRejected as rejected:
                        reason = rejected.message
                        self._send_back(reason)
                    else:
                        self.cache.write(self.cache_key, self.replies[-1])
                        return reply
        return ParseFailure(self.question.name, reason)

    def read_cache(self) -> R | None:
        """The cached reply, which becomes the only reply of the conversation; None if there is none."""
        text = self.cache.read(self.cache_key)
        if text is None:
            return None
        try:
            reply = self._parse(text)
        except ReplyRejected:  # the validation has become stricter, or the file is damaged
            return None
        transcript().info(
            {"name": self.question.name, "question": self.question.text, "reply": text}, source="judge cache"
        )
        self.replies.append(text)
        self.settings.record_rejected(self.model, self.omitted)
        return reply

    def _parse(self, text: str) -> R:
        reply = parse_reply(text, self.question.reply)
        self.question.check(reply)
        return reply

    async def _generate(self) -> ModelOutput | None:
        """Send one request. Return None if it must be repeated without the settings in `omitted`, which were rejected.

        Raises:
            JudgeFailed: The provider failed, or returned no choices in `MAX_ATTEMPTS` requests.
        """
        config = self.request.config
        if self.token_limit is not None:
            config = config.merge(GenerateConfig(max_tokens=self.token_limit))
        # Merging copies the reply schema. In a large process, garbage collection makes that take up to a millisecond.
        sent = self.transport.merge(config) if self.transport.model_fields_set else config
        for _ in range(MAX_ATTEMPTS):
            try:
                output = await self.model.generate(self.messages, config=sent, cache=False)
            except Exception as error:  # every provider raises different types
                if ends_sample(error):
                    raise
                rejected = rejection(error, config)
                if rejected is None:
                    raise self._failure(reason_of(error)) from error
                self._omit(rejected)
                return None
            self.refused_once = False
            self.settings.record_rejected(self.model, self.omitted)
            if output.choices:
                return output
        raise self._failure("its replies have no choices")

    def _failure(self, reason: str) -> JudgeFailed:
        return JudgeFailed(f"The judge {self.model} failed on the question about the {self.question.name}: {reason}.")

    def _omit(self, rejected: RejectedSetting) -> None:
        """Omit a rejected setting. One that the error does not name is kept until the request has failed twice."""
        repeat_unchanged = not rejected.named and not self.refused_once
        self.refused_once = not rejected.named
        if repeat_unchanged:
            return
        if rejected.setting == "max_tokens":
            self._reset_token_limit()
        else:
            self.omitted |= {rejected.setting}

    def _send_back(self, reason: str) -> None:
        request = Prompt.load("judge/reask").render(reason=reason)
        self.messages += [ChatMessageAssistant(content=self.replies[-1]), ChatMessageUser(content=request)]

    def _raise_token_limit(self, output: ModelOutput) -> None:
        """Raise the limit that truncated the reply. If it is unknown, raise the number of tokens in the reply."""
        if not self.token_limit_fixed:
            output_tokens = output.usage.output_tokens if output.usage else 0
            limit = self.token_limit or token_limit(self.model, self.request.config) or output_tokens
            self.token_limit = max(TOKEN_LIMIT_FACTOR * limit, MIN_RAISED_TOKEN_LIMIT)

    def _reset_token_limit(self) -> None:
        """The provider does not support the raised limit: return to the limit of the first request and keep it."""
        self.token_limit, self.token_limit_fixed = None, True
