"""Asking the judge: one question, a reply in its contract, or asked again with the reason."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Generic, TypeVar

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema, json_schema, span
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.errors import JudgeUnavailable, ReplyRejected, one_line
from inspect_discoverybench.prompts import Prompt

ROLE = "grader"
DEFAULT_JUDGE = "openai/gpt-4o-2024-08-06"
TRIES = 3
CONFIG = GenerateConfig(temperature=0.0, seed=0, max_tokens=4096)


class Reply(BaseModel):
    """A judge's reply. Fields that nobody asked for are left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)


Explanation = Annotated[str, BeforeValidator(_as_text)]
"""The judge's own words, in whatever JSON they come."""

R = TypeVar("R", bound=Reply)


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
class Undecided:
    """A question that got no reply in its contract.

    Attributes:
        question: Name of the question.
        reason: What was wrong with the last reply.
    """

    question: str
    reason: str


@dataclass(frozen=True)
class Exchange:
    """One question with every raw reply to it, as the score's metadata keep it."""

    question: str
    replies: tuple[str, ...]


class Judge:
    """The model of the role `grader`, and the record of what it was asked."""

    def __init__(self, model: Model, *, cached: bool = True) -> None:
        """Judge with this model.

        Args:
            model: The judge.
            cached: Whether Inspect's cache may answer. Rules never use it: they change with the package.
        """
        self.model = model
        self.cached = cached and not str(model).startswith("discoverybench/")
        self.exchanges: list[Exchange] = []

    @classmethod
    def of_eval(cls, default: str, config: GenerateConfig = CONFIG) -> "Judge":
        """The judge of the running eval: the role `grader`, else the default model.

        Raises:
            JudgeUnavailable: It cannot be called, for want of a key or of a provider.
        """
        try:
            model = get_model(  # inspect-evals-lint: ignore[IEBP001] -- called by the scorer and the setup solver
                role=ROLE, default=default, config=config
            )
        # Inspect's error for a missing key or package is not a public name, so every kind that providers
        # raise on creation is caught here; nothing is hidden, the message carries it.
        except Exception as error:
            raise JudgeUnavailable(
                f"The judge (role {ROLE}, model {default}) cannot be called: {one_line(error)} "
                f"Name another with --model-role {ROLE}=PROVIDER/MODEL."
            ) from error
        return cls(model)

    async def ask(self, question: Question[R]) -> R | Undecided:
        """Ask until the reply follows its contract, three times at most.

        Only the first reply may come from the cache: asked again, a judge must be able to answer differently.
        """
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("judge/system").render()),
            ChatMessageUser(content=question.text),
        ]
        schema = ResponseSchema(name=question.reply.__name__, json_schema=_schema(question.reply))
        replies: list[str] = []
        reason = ""
        async with span(f"judge: {question.name}"):
            while len(replies) < TRIES:
                output = await self.model.generate(
                    messages,
                    config=GenerateConfig(response_schema=schema),
                    cache=CachePolicy(expiry=None, per_epoch=False) if self.cached and not replies else False,
                )
                text = output.completion.encode("utf-8", "replace").decode()
                replies.append(text)
                try:
                    reply = read(output.completion, question.reply)
                except ReplyRejected as rejected:
                    reason = rejected.message
                    again = Prompt.load("judge/reask").render(reason=reason)
                    messages += [ChatMessageAssistant(content=text), ChatMessageUser(content=again)]
                else:
                    self.exchanges.append(Exchange(question.name, tuple(replies)))
                    return reply
        self.exchanges.append(Exchange(question.name, tuple(replies)))
        return Undecided(question.name, reason)


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


def read(text: str, contract: type[R]) -> R:
    """A reply that follows its contract: one JSON object, alone or in a code fence.

    Raises:
        ReplyRejected: It does not.
    """
    body = text.strip()
    if body.startswith("```") and body.endswith("```") and "\n" in body:
        body = body[body.index("\n") : -3].strip()
    try:
        content = json.loads(body, object_pairs_hook=_without_repeats)
        json.dumps(content, ensure_ascii=False).encode()  # half of a surrogate pair could not be asked about again
    except (ValueError, RecursionError) as error:
        raise ReplyRejected(f"it is not a JSON object ({error}).") from error
    try:
        return contract.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ReplyRejected(f"{place}: {first['msg']}." if place else f"{first['msg']}.") from error


@cache
def _schema(contract: type[Reply]) -> JSONSchema:
    """The contract for providers that enforce one: the listing's fields, all of them, and no words of ours."""
    schema = json_schema(contract)
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        part.description = None
        if part.properties:
            part.required = list(part.properties)
        waiting += [*(part.properties or {}).values(), *([part.items] if part.items else []), *(part.anyOf or [])]
    return schema


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands in it twice")
    return dict(pairs)


def quoted(value: Any) -> str:
    """A value as JSON, so that quotes, braces, fences and instructions inside it stay data."""
    return json.dumps(value, ensure_ascii=False)


def described(data_files: Sequence[DataFile]) -> str:
    """The data files as the listings show them to the judge: names, descriptions, columns."""
    return quoted([file.model_dump(include={"name", "description", "columns"}) for file in data_files])
