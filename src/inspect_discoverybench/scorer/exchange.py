"""One question to the judge with all replies to it."""

from dataclasses import dataclass, field
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput

from inspect_discoverybench.errors.exceptions import JudgeFailed
from inspect_discoverybench.errors.provider_failures import (
    NOT_FOUND,
    ends_sample,
    http_status,
    is_bad_request,
    may_be_bad_request,
    reason_of,
    redact_request,
    remember_keys_of,
)
from inspect_discoverybench.json_text import replace_surrogates
from inspect_discoverybench.replies import MAX_EMPTY_REPLIES, has_no_choices
from inspect_discoverybench.scorer.question import Question
from inspect_discoverybench.scorer.request_settings import RequestSettings

TOKEN_LIMIT_FACTOR = 4
"""Factor by which the token limit is raised after it truncated a reply."""

MIN_RAISED_TOKEN_LIMIT = 4096
"""Smallest raised token limit: room for some reasoning and the JSON object of the reply."""


class DefaultsRejected(Exception):
    """The provider rejected a request that had settings which the user did not choose."""


class DefaultsSuspected(Exception):
    """The provider failed on a request that had settings which the user did not choose.

    These settings may be the cause, or the provider may be out of order.

    Attributes:
        status: The HTTP status.
    """

    def __init__(self, status: int | None) -> None:
        """Keep the status."""
        super().__init__(f"HTTP status {status}")
        self.status = status


@dataclass
class Exchange:
    """A question with all raw replies to it.

    Attributes:
        question: The question.
        model: The judge.
        settings: Settings of the requests. What the user did not choose is a default, which a provider may refuse.
        transport: Retries and timeouts of requests.
        is_probe: Whether the exchange is to find out if the provider accepts the settings. Some providers refuse them
            with a status that looks like an outage, such as 500, and Inspect would retry the request for a long time.
            So the first request of a probe is sent without Inspect's retries. If it fails in a way that cannot be a
            refusal, such as by a rate limit, it is sent again with retries. The first reply ends the probe: the
            exchange then goes on as any other.
        replies: Raw replies, the valid one last.
    """

    question: Question[Any]
    model: Model
    settings: RequestSettings
    transport: GenerateConfig
    is_probe: bool = False
    replies: list[str] = field(default_factory=list)
    _raised_limit: int | None = None
    _is_probe_repeated: bool = False

    async def send(self, conversation: list[ChatMessage]) -> ModelOutput:
        """Send a conversation. If the reply has no choices, send it again.

        A truncated reply is returned, too. The next request then has a higher token limit, if the provider accepts it.

        Raises:
            JudgeFailed: The provider failed, or `MAX_EMPTY_REPLIES` replies had no choices.
            DefaultsRejected: The provider rejected the first request, which had default settings.
            DefaultsSuspected: The provider failed on the first request of a probe, which had default settings.
        """
        for _ in range(MAX_EMPTY_REPLIES):
            output = await self._generate(conversation)
            if not has_no_choices(output):
                self.is_probe = False
                reply = replace_surrogates(output.completion)
                self.replies.append(reply)
                self._update_limit(output)
                return output
        raise self._failure("its replies have no choices")

    async def _generate(self, conversation: list[ChatMessage]) -> ModelOutput:
        try:
            return await self.model.generate(conversation, config=self._config, cache=False)
        except Exception as error:  # every provider raises different types
            if ends_sample(error):
                raise
            # The error may quote a key of the model. `redact_request` removes only keys that were remembered before.
            remember_keys_of(self.model)
            cause = redact_request(error)
            if self._may_be_caused_by_defaults(error):
                status = http_status(error)
                if is_bad_request(error):
                    raise DefaultsRejected(f"HTTP status {status}") from cause
                # With any other status, the provider may be out of order instead.
                raise DefaultsSuspected(status) from cause
            if not self._prepare_repetition(error):
                raise self._failure(reason_of(error)) from cause
        # The request is sent again as `_prepare_repetition` has changed it. Each change can be made once, so this ends.
        return await self._generate(conversation)

    def _may_be_caused_by_defaults(self, error: Exception) -> bool:
        """Whether a request may have failed because the provider does not accept the default settings."""
        if not self.settings.has_defaults:
            return False
        # A request with the default settings has been answered, so they are not the cause.
        if self.replies:
            return False
        return self._may_be_refusal(error)

    def _prepare_repetition(self, error: Exception) -> bool:
        """Change how a failed request is sent again.

        Returns:
            Whether there is something to change, so that the repetition may succeed.
        """
        if self._is_without_retries and not self._may_be_refusal(error):
            # The failure may be a rate limit, for example. Inspect's retries wait until it is over.
            self._is_probe_repeated = True
            return True
        if is_bad_request(error) and self._raised_limit is not None:
            # The provider may not allow as many tokens.
            self._raised_limit = None
            return True
        return False

    def _may_be_refusal(self, error: Exception) -> bool:
        """Whether the provider may have refused the contents of a request.

        A status such as 500 can mean a refusal or an outage. It counts as a possible refusal only in a probe.
        """
        if is_bad_request(error):
            return True
        if not self.is_probe or not may_be_bad_request(error):
            return False
        # A 500 or 501 that remains after Inspect's retries is an outage. Inspect does not retry after a 404, so a 404
        # may still be a refusal.
        return self._is_without_retries or http_status(error) == NOT_FOUND

    @property
    def _is_without_retries(self) -> bool:
        """Whether requests are sent without Inspect's retries.

        This is so in a probe, until a request has failed in a way that cannot be a refusal.
        """
        return self.is_probe and not self._is_probe_repeated

    def _update_limit(self, output: ModelOutput) -> None:
        """Raise the token limit if it truncated the reply. Drop the raised limit if the context window is too small."""
        if output.stop_reason == "max_tokens":
            limit = self._raised_limit
            if limit is None:
                # A truncated reply is as long as the limit, be it the user's or the provider's. But a provider may
                # report fewer tokens than it wrote, or none. The user's limit is then the larger number.
                reported_tokens = output.usage.output_tokens if output.usage else 0
                limit = max(reported_tokens, self.model.config.max_tokens or 0)
            self._raised_limit = max(TOKEN_LIMIT_FACTOR * limit, MIN_RAISED_TOKEN_LIMIT)
        elif output.stop_reason == "model_length":
            # Some providers count the limit as part of the window: the question and the raised limit may not fit.
            self._raised_limit = None

    def _failure(self, reason: str) -> JudgeFailed:
        return JudgeFailed(f"The judge {self.model} failed on the question about the {self.question.name}: {reason}.")

    @property
    def _config(self) -> GenerateConfig:
        config = self.transport.merge(self.settings.config)
        # `merge` has returned a copy, so it is changed in place. A further merge would copy the reply's schema again.
        if self._raised_limit is not None:
            config.max_tokens = self._raised_limit
        if self._is_without_retries:
            config.max_retries = 0
        return config
