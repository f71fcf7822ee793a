"""Asking the judge: one question, and its reply in the contract, from the cache or from the model."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, collect, span

from inspect_discoverybench.errors import JudgeFailed, JudgeUnavailable, ReplyRejected, first_cause, one_line
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.reply import R, read
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.settings import JudgeSettings, RequestSettings, refused_setting, token_limit

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

ROLE = "grader"
DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"
TRIES = 3
MORE_ROOM = 4
"""By how much a token limit is raised after it has cut off a reply."""
LEAST_ROOM = 4096
"""The lowest limit that is worth asking for."""


@dataclass(frozen=True)
class Question(Generic[R]):
    """One question to the judge.

    Attributes:
        name: What the log calls it.
        text: The filled prompt.
        reply: The contract of the reply.
    """

    name: str
    text: str
    reply: type[R]


@dataclass(frozen=True)
class ParseFailure:
    """A question that got no reply in its contract.

    Attributes:
        question: Name of the question.
        reason: What was wrong with the last reply.
    """

    question: str
    reason: str


@dataclass(frozen=True)
class Exchange:
    """One question with every raw reply to it, as the score's metadata keep it.

    Attributes:
        question: Name of the question.
        replies: The replies, at most `TRIES`.
        settings: The effective settings of the last request.
    """

    question: str
    replies: tuple[str, ...]
    settings: dict[str, Any]


class Judge:
    """The model that judges, and the record of what it was asked."""

    def __init__(
        self,
        model: Model,
        settings: JudgeSettings,
        *,
        cached: bool = True,
        transport: GenerateConfig | None = None,
    ) -> None:
        """Judge with this model.

        Args:
            model: The judge.
            settings: The settings, which all judges of one eval share.
            cached: Whether accepted replies are read from the cache and kept there.
            transport: How requests are sent: retries and timeouts.
        """
        self.model = model
        self.settings = settings
        self.cache = ReplyCache.of(model) if cached else ReplyCache(None)
        self.transport = transport or GenerateConfig()
        self.exchanges: list[Exchange] = []

    @classmethod
    def of_eval(
        cls,
        default: str,
        settings: JudgeSettings | None = None,
        transport: GenerateConfig | None = None,
    ) -> "Judge":
        """The judge of the running eval: the role `grader`, else the default model.

        Args:
            default: The judge, unless the role names one.
            settings: The settings, which all judges of one eval share.
            transport: How requests are sent: retries and timeouts.

        Raises:
            JudgeUnavailable: It cannot be called, for want of a key or of a provider.
        """
        try:
            # The config goes with each request, so that the settings of the role stay distinct from ours.
            model = get_model(  # inspect-evals-lint: ignore[IEBP001] -- called by the scorer and the setup solver
                role=ROLE, default=default
            )
        # Inspect's error for a missing key or package is not a public name, so every kind that providers
        # raise on creation is caught here; nothing is hidden, the message carries it.
        except Exception as error:
            raise JudgeUnavailable(
                f"The judge (role {ROLE}, model {default}) cannot be called: {one_line(error)} "
                f"Name another with --model-role {ROLE}=PROVIDER/MODEL."
            ) from error
        return cls(model, settings or JudgeSettings(), transport=transport)

    async def ask(self, question: Question[R]) -> R | ParseFailure:
        """Ask until the reply follows its contract, three times at most.

        An invalid reply is sent back with the reason. A reply that the token limit cuts off is requested again with
        more room.

        Raises:
            JudgeFailed: The provider failed, after Inspect's retries.
        """
        async with span(f"judge: {question.name}"):
            conversation = _Conversation(self, question)
            answer = await conversation.answer()
        self.exchanges.append(conversation.exchange)
        return answer


class _Conversation(Generic[R]):
    """One question and the replies to it so far."""

    def __init__(self, judge: Judge, question: Question[R]) -> None:
        self.judge = judge
        self.question = question
        self.replies: list[str] = []
        self.messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        self.opening = tuple(self.messages)
        self.omitted = judge.settings.refused(judge.model)
        self.limit: int | None = None
        self.at_highest_limit = False

    @property
    def request(self) -> RequestSettings:
        """What the question is asked with."""
        return self.judge.settings.request(self.judge.model, self.question.reply, self.omitted)

    @property
    def entry(self) -> str:
        """Name of the question's entry in the cache."""
        return self.judge.cache.entry(self.request.fingerprint, self.opening)

    @property
    def exchange(self) -> Exchange:
        """What was said."""
        return Exchange(self.question.name, tuple(self.replies), self.request.effective)

    async def answer(self) -> R | ParseFailure:
        """The accepted reply, or why there is none.

        Raises:
            JudgeFailed: The provider failed.
        """
        reason = ""
        while len(self.replies) < TRIES:
            if not self.replies and (kept := self._kept()) is not None:
                return kept
            output = await self._generated()
            if output is None:
                continue
            self.replies.append(output.completion.encode("utf-8", "replace").decode())
            match output.stop_reason:
                case "max_tokens":
                    reason = "it was cut off by the token limit."
                    self._raise_limit(output)
                case "model_length":
                    reason = "the question does not fit into the context window."
                    self._lower_limit()
                case _:
                    try:
                        reply = read(output.completion, self.question.reply)
                    except ReplyRejected as rejected:
                        reason = rejected.message
                        self._ask_again(reason)
                    else:
                        self.judge.cache.write(self.entry, self.replies[-1])
                        return reply
        return ParseFailure(self.question.name, reason)

    def _kept(self) -> R | None:
        """The reply in the cache."""
        text = self.judge.cache.read(self.entry)
        if text is None:
            return None
        try:
            reply = read(text, self.question.reply)
        except ReplyRejected:  # the contract has become stricter, or the file is damaged
            return None
        transcript().info({"question": self.question.text, "reply": text}, source="judge cache")
        self.replies.append(text)
        return reply

    async def _generated(self) -> ModelOutput | None:
        """The model's output; None if the request is to be repeated without a setting that the provider refused.

        Raises:
            JudgeFailed: The provider failed, or gave no choices in `TRIES` requests.
        """
        judge, config = self.judge, self.request.config.merge(GenerateConfig(max_tokens=self.limit))
        for _ in range(TRIES):
            try:
                output = await judge.model.generate(self.messages, config=judge.transport.merge(config), cache=False)
            except LimitExceededError:
                raise
            # Each provider raises errors of its own.
            except Exception as error:
                setting = refused_setting(error, config)
                if setting is None:
                    raise self._failure(one_line(first_cause(error)) or type(error).__name__) from error
                self._omit(setting)
                return None
            judge.settings.note(judge.model, self.omitted)
            if output.choices:
                return output
        raise self._failure("its replies have no choices")

    def _failure(self, reason: str) -> JudgeFailed:
        return JudgeFailed(
            f"The judge {self.judge.model} failed on the question about the {self.question.name}: {reason}. "
            "Try again, or name another."
        )

    def _omit(self, setting: str) -> None:
        if setting == "max_tokens":
            self._lower_limit()
        else:
            self.omitted |= {setting}

    def _ask_again(self, reason: str) -> None:
        again = Prompt.load("judge/reask").render(reason=reason)
        self.messages += [ChatMessageAssistant(content=self.replies[-1]), ChatMessageUser(content=again)]

    def _raise_limit(self, output: ModelOutput) -> None:
        """More room than the limit that cut off the reply: the one that was set, else what the reply had."""
        if not self.at_highest_limit:
            spent = output.usage.output_tokens if output.usage else 0
            limit = self.limit or token_limit(self.judge.model, self.request.config) or spent
            self.limit = max(MORE_ROOM * limit, LEAST_ROOM)

    def _lower_limit(self) -> None:
        """The provider does not have as much room: back to the limit of the first request."""
        self.limit, self.at_highest_limit = None, True


@solver
def require_judge(grader: str) -> Solver:
    """See that the judge can be called, before the evaluated model has cost anything.

    Args:
        grader: The judge, unless the role `grader` names one.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        Judge.of_eval(grader)
        return state

    return solve


@overload
async def at_once(a: Awaitable[A], b: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def at_once(a: Awaitable[A], b: Awaitable[B], c: Awaitable[C], /) -> tuple[A, B, C]: ...
@overload
async def at_once(*questions: Awaitable[A]) -> tuple[A, ...]: ...
async def at_once(*questions: Awaitable[Any]) -> tuple[Any, ...]:
    """Ask several questions concurrently. The first failure is raised as it is, without the group around it."""
    try:
        return tuple(await collect(*questions))
    except ExceptionGroup as failures:
        # A limit ends the sample in a way of its own, so that it comes before a failure.
        failure: BaseException = failures.subgroup(LimitExceededError) or failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        raise failure from failure.__cause__
