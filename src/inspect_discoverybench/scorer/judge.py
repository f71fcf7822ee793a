"""The judge: asks a question until a reply is valid. A valid reply to the same question may be in the cache already."""

from dataclasses import dataclass, field

import click
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, GenerateConfig, Model, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, JudgeFailed, ReplyRejected
from inspect_discoverybench.errors.provider_failures import NOT_FOUND, inspect_errors
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import ReplyT, ask_until_valid
from inspect_discoverybench.scorer.acceptance import acceptance_of
from inspect_discoverybench.scorer.exchange import DefaultsRejected, DefaultsSuspected, Exchange
from inspect_discoverybench.scorer.question import ParseFailure, Question
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.request_settings import RequestSettings, request_settings

GRADER = "grader"
"""The model role of the judge."""

DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"

INHERITED_TIMEOUTS = ("attempt_timeout", "stream_idle_timeout", "timeout")
"""Settings of the evaluated model that the judge inherits, unless its role has its own."""

DEFAULT_TIMEOUT = 3600
"""Default time limit of a request with all its retries, in seconds. Inspect's default is to retry forever."""


@dataclass
class Judge:
    """The judge model, and the record of its exchanges.

    Attributes:
        model: The model.
        transport: Retries and timeouts of requests.
        cache: Accepted replies, also those of other runs.
        exchanges: The exchanges so far.
    """

    model: Model
    transport: GenerateConfig = field(default_factory=GenerateConfig)
    cache: ReplyCache = field(default_factory=ReplyCache)
    exchanges: list[Exchange] = field(default_factory=list)

    @classmethod
    def for_eval(cls, default: str) -> "Judge":
        """The judge of the running eval: the model of the role `grader`, else the default.

        Raises:
            DiscoveryBenchError: The judge cannot be called, for example because its API key is missing.
        """
        failure = f"The judge (role {GRADER}, model {default}) cannot be called"
        remedy = (
            f"Choose another judge with --model-role {GRADER}=PROVIDER/MODEL. With --no-score, choose one that needs "
            f"no key: --model-role {GRADER}=discoverybench/lexical."
        )
        with inspect_errors(DiscoveryBenchError, failure, remedy):
            # No config here: `request_settings` reads from the model's config what the user chose, so our own settings
            # must not be in it. They are sent with each request.
            model = get_model(role=GRADER, default=default)  # inspect-evals-lint: ignore[IEBP001] -- called in an eval
        return cls(model, _timeouts(model), ReplyCache.for_model(model))

    async def ask(self, question: Question[ReplyT]) -> ReplyT | ParseFailure:
        """Ask a question until a reply is valid, at most three times.

        An invalid reply is sent back with the validation error. If the provider rejects the request, the request is
        repeated once without the defaults: all settings that the user did not choose. The same is tried if the provider
        fails in a way that may be because of the defaults.

        Raises:
            JudgeFailed: The provider failed, after Inspect's retries.
        """
        # `has_suspicion` says whether the server failed on an earlier question with the defaults, and then answered the
        # earlier question without the defaults. If the same happens to this question, the defaults are given up. The
        # value is read before the request, because a question that fails at the same time as this question must not
        # count as an earlier question: a single outage may make both questions fail.
        was_suspected = acceptance_of(self.model).has_suspicion
        try:
            return await self._ask_with_defaults(question)
        except DefaultsRejected:
            return await self._ask_without_defaults(question)
        except DefaultsSuspected as failure:
            return await self._ask_failing_server(question, failure, was_suspected)

    async def _ask_with_defaults(self, question: Question[ReplyT]) -> ReplyT | ParseFailure:
        """Ask with the defaults, unless the judge is known to refuse them.

        Raises:
            JudgeFailed: The provider failed.
            DefaultsRejected: The provider rejected the defaults.
            DefaultsSuspected: The provider failed, and it is not known yet whether it accepts the defaults.
        """
        settings = request_settings(self.model, question.reply)
        is_probe = settings.has_defaults and acceptance_of(self.model).may_defaults_cause_failures
        return await self._ask(question, settings, is_probe=is_probe)

    async def _ask_without_defaults(self, question: Question[ReplyT]) -> ReplyT | ParseFailure:
        """Ask without the defaults, after the provider rejected a request with them."""
        reply = await self._ask(question, request_settings(self.model, question.reply, defaults=False))
        # The judge replies without the defaults, so they were the cause.
        acceptance_of(self.model).add_rejection()
        return reply

    async def _ask_failing_server(
        self, question: Question[ReplyT], failure: DefaultsSuspected, was_suspected: bool
    ) -> ReplyT | ParseFailure:
        """Ask without the defaults, after a failure with the defaults, to find out whether the defaults are the cause.

        Args:
            question: The question.
            failure: The failure with the defaults.
            was_suspected: The value that `Acceptance.has_suspicion` had before the request with the defaults.
        """
        acceptance = acceptance_of(self.model)
        without_defaults = request_settings(self.model, question.reply, defaults=False)
        try:
            reply = await self._ask(question, without_defaults, is_probe=True)
        except JudgeFailed:
            # The judge fails without the defaults, too, so the defaults are not the cause.
            acceptance.may_defaults_cause_failures = False
            # Inspect does not retry after a 404, so the request with the defaults would only fail again.
            if failure.status == NOT_FOUND:
                raise
            # The judge's server may be out of order. Both requests were probes, which are sent without Inspect's
            # retries. `ask` now sends the question with retries, which wait until the server answers again.
            return await self.ask(question)

        # The judge answered this question only without the defaults. This may be chance: an outage may have ended
        # between the two requests. But if the same has happened to an earlier question, the defaults are given up.
        if was_suspected:
            acceptance.give_up_defaults()
        else:
            acceptance.has_suspicion = True
        return reply

    async def _ask(
        self, question: Question[ReplyT], settings: RequestSettings, *, is_probe: bool = False
    ) -> ReplyT | ParseFailure:
        """Ask with these settings, and add the exchange to the record. The cache is read first.

        A probe finds out whether the provider accepts the settings (`Exchange.is_probe`).
        """
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        key = self.cache.key(settings.fingerprint, messages)
        exchange = Exchange(question, self.model, settings, self.transport, is_probe)

        reply: ReplyT | ParseFailure | None = self._answer_from_cache(key, question, exchange)
        if reply is None:
            # A question that is answered from the cache has no span, because a span would double its CPU time.
            async with span(f"judge: {question.name}"):
                reply = await _converse(messages, question, exchange)
            if settings.has_defaults:
                # The server has answered a request with the defaults, so a later failure is not because of them.
                acceptance_of(self.model).may_defaults_cause_failures = False
            if not isinstance(reply, ParseFailure):
                self.cache.write(key, exchange.replies[-1])
        self.exchanges.append(exchange)
        return reply

    def _answer_from_cache(self, key: str, question: Question[ReplyT], exchange: Exchange) -> ReplyT | None:
        """Add the cached reply to the exchange and the transcript, and return it. If there is none, return None."""
        text = self.cache.read(key)
        if text is None:
            return None
        try:
            reply = question.parse(text)
        except ReplyRejected:  # the validation has become stricter, or the file is damaged
            return None
        transcript().info({"name": question.name, "question": question.text, "reply": text}, source="judge cache")
        exchange.replies.append(text)
        return reply


async def _converse(
    messages: list[ChatMessage], question: Question[ReplyT], exchange: Exchange
) -> ReplyT | ParseFailure:
    """Ask the model until a reply is valid."""

    async def accept(text: str) -> ReplyT:
        return question.parse(text)

    def repeat_question(reason: str) -> ChatMessageUser:
        return ChatMessageUser(content=Prompt.load("judge/reask").render(reason=reason))

    try:
        return await ask_until_valid(messages, exchange.send, accept, repeat_question)
    except ReplyRejected as rejected:
        return ParseFailure(question.name, rejected.message)


def _timeouts(judge: Model) -> GenerateConfig:
    """The judge's timeouts. Those that the role `grader` does not set are taken from the evaluated model.

    If neither sets `timeout`, which covers a request with all its retries, it is `DEFAULT_TIMEOUT`.

    They are sent with each request, because settings of a request take precedence over all others. Without them,
    Inspect would use the `timeout` of the eval even if the role sets one, and ignore the other timeouts of the eval.
    """
    evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called from the scorer and the setup solver
    config = evaluated.config.merge(judge.config)
    timeouts = config.model_dump(include={*INHERITED_TIMEOUTS}, exclude_none=True)
    return GenerateConfig(**{"timeout": DEFAULT_TIMEOUT, **timeouts})


def require_judge_of_command(grader: str) -> None:
    """If Inspect's command line builds the task, check that the judge can be created.

    If it cannot, the command ends with a message of one line, before any sample starts.

    Inspect's command line sets the models of roles before it builds tasks, so the judge is known. In a Python program,
    the models of roles are set after tasks are built. There, nothing is checked: tasks can be built without a key, and
    `require_judge` checks the judge when a sample starts.

    Args:
        grader: The judge. The role `grader` takes precedence.

    Raises:
        DiscoveryBenchError: The judge cannot be created.
    """
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().command.name == "inspect":
        Judge.for_eval(grader)


@solver
def require_judge(grader: str) -> Solver:
    """Check that the judge can be created, before the evaluated model incurs any cost.

    The check also runs with `--no-score`, because Inspect does not tell solvers whether the sample will be scored. Its
    message therefore says how to run without a key.

    Args:
        grader: The judge. The role `grader` takes precedence.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        Judge.for_eval(grader)
        return state

    return solve
