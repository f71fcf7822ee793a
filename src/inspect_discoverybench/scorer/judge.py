"""The judge: asks one question at a time and returns a valid reply, from the cache or from the model."""

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

from inspect_discoverybench.errors import (
    JudgeFailed,
    JudgeUnavailable,
    ReplyRejected,
    first_cause,
    inspect_errors,
    one_line,
)
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.reply import R, parse_reply
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.settings import JudgeSettings, Rejection, RequestSettings, rejection, token_limit
from inspect_discoverybench.text import replace_surrogates

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

ROLE = "grader"
DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"
MAX_ATTEMPTS = 3
TOKEN_LIMIT_FACTOR = 4
"""Factor by which the token limit is raised after it truncated a reply."""
MIN_RAISED_TOKEN_LIMIT = 4096


@dataclass(frozen=True)
class Question(Generic[R]):
    """A question to the judge.

    Attributes:
        name: Name of the question in the log.
        text: The rendered prompt.
        reply: Type of the reply.
    """

    name: str
    text: str
    reply: type[R]


@dataclass(frozen=True)
class ParseFailure:
    """A question without a valid reply.

    Attributes:
        question: Name of the question.
        reason: Why the last reply is invalid.
    """

    question: str
    reason: str


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
            transport: Retries and timeouts of requests.

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
        return cls(model, settings or JudgeSettings(), transport=transport)

    async def ask(self, question: Question[R]) -> R | ParseFailure:
        """Ask a question until a reply is valid, at most three times.

        An invalid reply is sent back with the validation error. A reply truncated by the token limit is requested
        again with a higher limit.

        Raises:
            JudgeFailed: The provider failed, after Inspect's retries.
        """
        async with span(f"judge: {question.name}"):
            conversation = _Conversation(self, question)
            reply = await conversation.run()
        self.exchanges.append(conversation.exchange)
        return reply


class _Conversation(Generic[R]):
    """A question and the replies to it so far."""

    def __init__(self, judge: Judge, question: Question[R]) -> None:
        self.judge = judge
        self.question = question
        self.replies: list[str] = []
        self.messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        self.first_messages = tuple(self.messages)
        self.omitted = judge.settings.rejected(judge.model)
        self.refused_once = False
        self.token_limit: int | None = None
        self.token_limit_fixed = False

    @property
    def request(self) -> RequestSettings:
        """Settings of the next request."""
        return self.judge.settings.request(self.judge.model, self.question.reply, self.omitted)

    @property
    def cache_key(self) -> str:
        """Key of the question in the cache."""
        return self.judge.cache.key(self.request.fingerprint, self.first_messages)

    @property
    def exchange(self) -> Exchange:
        """The record of this conversation."""
        return Exchange(self.question.name, tuple(self.replies), self.request.effective)

    async def run(self) -> R | ParseFailure:
        """Ask until a reply is valid.

        Raises:
            JudgeFailed: The provider failed.
        """
        reason = ""
        while len(self.replies) < MAX_ATTEMPTS:
            if not self.replies and (cached := self._read_cache()) is not None:
                return cached
            output = await self._generate()
            if output is None:
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
                        reply = parse_reply(output.completion, self.question.reply)
                    except ReplyRejected as rejected:
                        reason = rejected.message
                        self._send_back(reason)
                    else:
                        self.judge.cache.write(self.cache_key, self.replies[-1])
                        return reply
        return ParseFailure(self.question.name, reason)

    def _read_cache(self) -> R | None:
        """The cached reply; None if there is none."""
        text = self.judge.cache.read(self.cache_key)
        if text is None:
            return None
        try:
            reply = parse_reply(text, self.question.reply)
        except ReplyRejected:  # the validation has become stricter, or the file is damaged
            return None
        transcript().info({"question": self.question.text, "reply": text}, source="judge cache")
        self.replies.append(text)
        self.judge.settings.record_rejected(self.judge.model, self.omitted)
        return reply

    async def _generate(self) -> ModelOutput | None:
        """Send one request. None means: repeat it. `omitted` then has the settings that the provider rejected.

        Raises:
            JudgeFailed: The provider failed, or returned no choices in `MAX_ATTEMPTS` requests.
        """
        judge, config = self.judge, self.request.config.merge(GenerateConfig(max_tokens=self.token_limit))
        for _ in range(MAX_ATTEMPTS):
            try:
                output = await judge.model.generate(self.messages, config=judge.transport.merge(config), cache=False)
            except LimitExceededError:
                raise
            # Every provider raises different error types.
            except Exception as error:
                rejected = rejection(error, config)
                if rejected is None:
                    raise self._failure(one_line(first_cause(error)) or type(error).__name__) from error
                self._omit(rejected)
                return None
            self.refused_once = False
            judge.settings.record_rejected(judge.model, self.omitted)
            if output.choices:
                return output
        raise self._failure("its replies have no choices")

    def _failure(self, reason: str) -> JudgeFailed:
        return JudgeFailed(
            f"The judge {self.judge.model} failed on the question about the {self.question.name}: {reason}. "
            "Try again, or choose another judge."
        )

    def _omit(self, rejected: Rejection) -> None:
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
        """Raise the limit that truncated the reply. If none is known, it is the number of tokens in the reply."""
        if not self.token_limit_fixed:
            output_tokens = output.usage.output_tokens if output.usage else 0
            limit = self.token_limit or token_limit(self.judge.model, self.request.config) or output_tokens
            self.token_limit = max(TOKEN_LIMIT_FACTOR * limit, MIN_RAISED_TOKEN_LIMIT)

    def _reset_token_limit(self) -> None:
        """The provider does not support the raised limit: return to the limit of the first request and keep it."""
        self.token_limit, self.token_limit_fixed = None, True


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


@overload
async def gather(a: Awaitable[A], b: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def gather(a: Awaitable[A], b: Awaitable[B], c: Awaitable[C], /) -> tuple[A, B, C]: ...
@overload
async def gather(*questions: Awaitable[A]) -> tuple[A, ...]: ...
async def gather(*questions: Awaitable[Any]) -> tuple[Any, ...]:
    """Ask several questions concurrently. The first error is raised without its exception group."""
    try:
        return tuple(await collect(*questions))
    except ExceptionGroup as group:
        # Inspect handles limit errors itself, so they take precedence over other errors.
        error: BaseException = group.subgroup(LimitExceededError) or group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from error.__cause__
