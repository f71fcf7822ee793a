"""The judge: asks one question at a time and returns a valid reply, from the cache or from the model."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import anyio
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from inspect_discoverybench.errors.exceptions import JudgeFailed, JudgeUnavailable, ReplyRejected
from inspect_discoverybench.errors.provider_failures import (
    causes,
    ends_sample,
    inspect_errors,
    is_bad_request,
    reason_of,
    redact_request,
)
from inspect_discoverybench.errors.redaction import hide_keys
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import R, ask_until_valid, parse_reply, replace_surrogates
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.settings import JudgeSettings, RequestSettings, token_limit
from inspect_discoverybench.submission.text import escape

A = TypeVar("A")

ROLE = "grader"
DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"

INHERITED = ("attempt_timeout", "stream_idle_timeout", "timeout")
"""Settings of the evaluated model that the judge inherits, unless its role has its own."""

DEFAULT_TIMEOUT = 3600
"""Default time limit of a request with all its retries, in seconds. Inspect's default is to retry forever."""

TOKEN_LIMIT_FACTOR = 4
"""Factor by which the token limit is raised after it truncated a reply."""
MIN_RAISED_TOKEN_LIMIT = 4096

MAX_EMPTY = 3
"""Number of replies without choices after which the judge has failed. They do not count as invalid replies."""


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

    async def parse(self, text: str) -> R:
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
            cause = redact_request(error)
            if is_bad_request(error) and self._token_limit:
                self._token_limit = None
                return await self.send(conversation)
            if is_bad_request(error) and not self.replies and self.settings.config.model_fields_set:
                raise DefaultsRejected from cause
            raise self._failure(reason_of(error)) from cause
        if not output.choices:
            self._empty += 1
            if self._empty == MAX_EMPTY:
                raise self._failure("its replies have no choices")
            return await self.send(conversation)
        self.replies.append(replace_surrogates(output.completion))
        if output.stop_reason == "max_tokens":
            output_tokens = output.usage.output_tokens if output.usage else 0
            limit = self._token_limit or token_limit(self.model, self.settings.config) or output_tokens
            self._token_limit = max(TOKEN_LIMIT_FACTOR * limit, MIN_RAISED_TOKEN_LIMIT)
        elif output.stop_reason == "model_length":
            self._token_limit = None
        return output

    def _failure(self, reason: str) -> JudgeFailed:
        return JudgeFailed(f"The judge {self.model} failed on the question about the {self.question.name}: {reason}.")

    @property
    def _config(self) -> GenerateConfig:
        config = self.settings.config
        if self._token_limit is not None:
            config = config.merge(GenerateConfig(max_tokens=self._token_limit))
        # Merging copies the reply schema. In a large process, garbage collection makes that take up to a millisecond.
        return self.transport.merge(config) if self.transport.model_fields_set else config


@dataclass
class Judge:
    """The judge model, and the record of its exchanges.

    Attributes:
        model: The model.
        settings: Request settings, shared by all judges of an eval.
        transport: Retries and timeouts of requests.
        cache: Accepted replies of other runs.
        exchanges: The exchanges so far.
    """

    model: Model
    settings: JudgeSettings = field(default_factory=JudgeSettings)
    transport: GenerateConfig = field(default_factory=GenerateConfig)
    cache: ReplyCache = field(default_factory=ReplyCache)
    exchanges: list[Exchange] = field(default_factory=list)

    @classmethod
    def for_eval(
        cls, default: str, settings: JudgeSettings | None = None, transport: GenerateConfig | None = None
    ) -> "Judge":
        """The judge of the running eval: the model of the role `grader`, else the default.

        Args:
            default: Model to use if the role is not set.
            settings: Request settings, shared by all judges of an eval.
            transport: Retries and timeouts of requests; by default those of the role, else those of the evaluated
                model, else `DEFAULT_TIMEOUT`.

        Raises:
            JudgeUnavailable: The model cannot be created, for example because its API key is missing.
        """
        where = f"The judge (role {ROLE}, model {default}) cannot be called"
        remedy = f"Choose another judge with --model-role {ROLE}=PROVIDER/MODEL."
        with inspect_errors(JudgeUnavailable, where, remedy):
            # No config here: our settings are sent with each request, so that those of the role can take precedence.
            model = get_model(role=ROLE, default=default)  # inspect-evals-lint: ignore[IEBP001] -- called in an eval
        hide_keys({"api_key": model.api.api_key, **model.model_args})
        return cls(model, settings or JudgeSettings(), transport or _timeouts(model), ReplyCache.for_model(model))

    async def ask(self, question: Question[R]) -> R | ParseFailure:
        """Ask a question until a reply is valid, at most three times.

        An invalid reply is sent back with the validation error. If the provider rejects the request, it is repeated
        once without all settings that the user did not choose.

        Raises:
            JudgeFailed: The provider failed, after Inspect's retries.
        """
        try:
            return await self._ask(question, self.settings.request(self.model, question.reply))
        except DefaultsRejected:
            reply = await self._ask(question, self.settings.request(self.model, question.reply, defaults=False))
        self.settings.record_rejection(self.model)
        return reply

    async def _ask(self, question: Question[R], settings: RequestSettings) -> R | ParseFailure:
        exchange = Exchange(question, self.model, settings, self.transport)
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        key = self.cache.key(settings.fingerprint, messages)

        reply: R | ParseFailure | None = await self._read_cache(key, exchange)
        if reply is None:
            # A span takes Inspect as much CPU time as the rest of a cached question.
            async with span(f"judge: {question.name}"):
                try:
                    reply = await ask_until_valid(
                        messages,
                        exchange.send,
                        question.parse,
                        lambda reason: ChatMessageUser(content=Prompt.load("judge/reask").render(reason=reason)),
                    )
                    self.cache.write(key, exchange.replies[-1])
                except ReplyRejected as rejected:
                    reply = ParseFailure(question.name, rejected.message)
        self.exchanges.append(exchange)
        return reply

    async def _read_cache(self, key: str, exchange: Exchange) -> Any:
        """The cached reply, which becomes the only reply of the exchange; None if there is none."""
        text, question = self.cache.read(key), exchange.question
        try:
            reply = await question.parse(text)
        except ReplyRejected:  # there is none, the validation has become stricter, or the file is damaged
            return None
        transcript().info({"name": question.name, "question": question.text, "reply": text}, source="judge cache")
        exchange.replies.append(text)
        return reply


def _timeouts(judge: Model) -> GenerateConfig:
    evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called from the scorer and the setup solver
    inherited = evaluated.config.model_dump(include={*INHERITED}, exclude_none=True)
    # Sent with each request, because Inspect would replace the role's own timeout by that of the eval.
    own = judge.config.model_dump(include={*INHERITED}, exclude_none=True)
    return GenerateConfig(**{"timeout": DEFAULT_TIMEOUT, **inherited, **own})


@solver
def require_judge(grader: str) -> Solver:
    """Check that the judge can be created, before the evaluated model incurs any cost.

    Args:
        grader: The judge. The role `grader` takes precedence.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        Judge.for_eval(grader)
        return state

    return solve


async def gather(*questions: Awaitable[A]) -> tuple[A, ...]:
    """Ask several questions concurrently. The first error is raised without its exception group."""
    answers: list[Any] = [None] * len(questions)

    async def answer(number: int, question: Awaitable[A]) -> None:
        answers[number] = await question

    try:
        # Inspect's `collect` would raise a group if several questions fail, which does not say why.
        async with anyio.create_task_group() as tasks:
            for number, question in enumerate(questions):
                tasks.start_soon(answer, number, question)
    except ExceptionGroup as group:
        # Inspect handles limits itself, so they take precedence over other errors.
        error = next(e for e in causes(group.subgroup(ends_sample) or group) if not isinstance(e, BaseExceptionGroup))
        raise error from error.__cause__
    return tuple(answers)
