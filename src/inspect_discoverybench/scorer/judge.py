"""The judge: asks one question at a time and returns a valid reply, from the cache or from the model."""

from collections.abc import Awaitable
from typing import Any, TypeVar

import anyio
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from inspect_discoverybench.errors import (
    JudgeUnavailable,
    ReplyMissing,
    ReplyRejected,
    ends_sample,
    inspect_errors,
)
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.exchange import DefaultsRejected, Exchange, ParseFailure, Question
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.settings import JudgeSettings, RequestSettings
from inspect_discoverybench.structured_reply import R, ask_until_valid

A = TypeVar("A")

ROLE = "grader"
DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"

INHERITED = ("attempt_timeout", "stream_idle_timeout", "timeout")
"""Settings of the evaluated model that the judge inherits, unless its role has its own."""

DEFAULT_TIMEOUT = 3600
"""Default time limit of a request with all its retries, in seconds. Inspect's default is to retry forever."""


class Judge:
    """The judge model, and the record of its exchanges."""

    def __init__(
        self,
        model: Model,
        settings: JudgeSettings,
        *,
        cached: bool = True,
        transport: GenerateConfig | None = None,
    ) -> None:
        """Create a judge.

        Args:
            model: The model.
            settings: Request settings, shared by all judges of an eval.
            cached: Whether to read accepted replies from the cache and write them to it.
            transport: Retries and timeouts of requests.
        """
        self.model = model
        self.settings = settings
        self.cache = ReplyCache.for_model(model) if cached else ReplyCache(None)
        self.transport = transport or GenerateConfig()
        self.exchanges: list[Exchange] = []

    @classmethod
    def for_eval(
        cls,
        default: str,
        settings: JudgeSettings | None = None,
        transport: GenerateConfig | None = None,
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
            model = get_model(  # inspect-evals-lint: ignore[IEBP001] -- called from the scorer and the setup solver
                role=ROLE, default=default
            )
        return cls(model, settings or JudgeSettings(), transport=transport or _timeouts(model))

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

        async def read(text: str) -> R:
            return question.parse(text)

        reply: R | ParseFailure | None = self._read_cache(key, exchange)
        if reply is None:
            # A span takes Inspect as much CPU time as the rest of a cached question.
            async with span(f"judge: {question.name}"):
                try:
                    reply = await ask_until_valid(messages, exchange.send, read, _ask_again)
                    self.cache.write(key, exchange.replies[-1])
                except ReplyMissing as error:
                    raise exchange.failure("its replies have no choices") from error
                except ReplyRejected as rejected:
                    reply = ParseFailure(question.name, rejected.message)
        self.exchanges.append(exchange)
        return reply

    def _read_cache(self, key: str, exchange: Exchange) -> Any:
        """The cached reply, which becomes the only reply of the exchange; None if there is none."""
        text = self.cache.read(key)
        if text is None:
            return None
        try:
            reply = exchange.question.parse(text)
        except ReplyRejected:  # the validation has become stricter, or the file is damaged
            return None
        question = {"name": exchange.question.name, "question": exchange.question.text}
        transcript().info({**question, "reply": text}, source="judge cache")
        exchange.replies.append(text)
        return reply


def _ask_again(reason: str) -> ChatMessageUser:
    return ChatMessageUser(content=Prompt.load("judge/reask").render(reason=reason))


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
        error: BaseException = group.subgroup(ends_sample) or group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__
    return tuple(answers)
