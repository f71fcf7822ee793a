"""Replies as JSON objects: their schema, how text is parsed, and how a model is asked until its reply is valid."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput
from inspect_ai.util import JSONSchema, json_schema
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from inspect_discoverybench.errors.exceptions import ReplyMissing, ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason

_TRUNCATED = {
    "max_tokens": "it was truncated by the token limit.",
    "model_length": "the question does not fit into the context window.",
}
"""Stop reasons after which the same question is asked again, because the reply cannot be corrected."""

_OPENING_TAG = re.compile(r"\s*<([a-z][\w:.-]*)[^<>]*>", re.IGNORECASE)
# Some chat templates put the opening tag into the prompt, so the reply contains only the closing tag.
_CLOSING_TAG = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)\n?[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by `?`.

    Models occasionally write half of a surrogate pair, and command lines can contain bytes that are not valid UTF-8.
    Such text can be neither logged nor sent.
    """
    return text.encode("utf-8", "replace").decode()


EncodableText = Annotated[
    str, BeforeValidator(lambda value: replace_surrogates(value) if isinstance(value, str) else value)
]
"""Text that can be encoded as UTF-8."""


class Reply(BaseModel):
    """A reply. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def parse_boolean(value: Any) -> Any:
    """Accept a boolean written as a string: "false" is false."""
    return {"true": True, "false": False}.get(value.strip().lower(), value) if isinstance(value, str) else value


Explanation = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else json.dumps(value))]
"""An explanation. A JSON value that is not a string is kept as JSON text."""

R = TypeVar("R", bound=Reply)
T = TypeVar("T")


async def ask_until_valid(
    messages: Sequence[ChatMessage],
    send: Callable[[list[ChatMessage]], Awaitable[ModelOutput]],
    read: Callable[[str], Awaitable[T]],
    ask_again: Callable[[str], ChatMessage],
    attempts: int = 3,
) -> T:
    """Ask a model until its reply is valid. An invalid reply is sent back with the reason.

    `read` takes the text of a reply and raises `ReplyRejected`; `ask_again` makes the next message from the reason.

    Raises:
        ReplyRejected: The last reply is invalid.
        ReplyMissing: The last reply has no choices.
    """
    conversation = [*messages]
    error: ReplyRejected | ReplyMissing
    for remaining in reversed(range(attempts)):
        output = await send([*conversation])
        if not output.choices:
            error = ReplyMissing(f"The model {output.model} failed: its reply has no choices.")
        elif output.stop_reason in _TRUNCATED:
            error = ReplyRejected(_TRUNCATED[output.stop_reason])
        else:
            try:
                return await read(output.completion)
            except ReplyRejected as rejected:
                error = rejected
            if remaining:
                invalid = ChatMessageAssistant(content=replace_surrogates(output.completion))
                conversation += [invalid, ask_again(error.message)]
    raise error


def parse_reply(text: str, reply_type: type[R]) -> R:
    """Parse a reply: one JSON object, optionally in a code fence with a sentence before or after it.

    A byte-order mark, reasoning in tags before the object, and raw newlines in JSON strings are accepted.

    Raises:
        ReplyRejected: The text is not JSON, or does not validate as `reply_type`.
    """
    body = _strip_reasoning(text.strip().lstrip("\ufeff")).strip()
    fences = _FENCE.findall(body)
    if len(fences) == 1 and not body.startswith("{"):
        body = fences[0]
    try:
        content = json.loads(body, object_pairs_hook=reject_duplicate_keys, strict=False)
        json.dumps(content, ensure_ascii=False).encode()  # fails for a lone surrogate, which cannot be sent back
    except (ValueError, RecursionError) as error:
        raise ReplyRejected(f"it is not a JSON object ({error}).") from error
    try:
        return reply_type.model_validate(content)
    except ValidationError as error:
        raise ReplyRejected(first_reason(error)) from error


@cache
def reply_schema(reply_type: type[Reply]) -> JSONSchema:
    """The JSON schema to send to providers: all fields of the listing required, without descriptions."""
    schema = json_schema(reply_type)
    pending = [schema]
    while pending:
        part = pending.pop()
        part.description = None
        if part.properties:
            part.required = list(part.properties)
        pending += [*(part.properties or {}).values(), *([part.items] if part.items else []), *(part.anyOf or [])]
    return schema


def _strip_reasoning(text: str) -> str:
    """Remove reasoning in tags before the object. Tags inside the object are data."""
    position = 0
    while opening := _OPENING_TAG.match(text, position):
        closing = re.compile(rf"</{re.escape(opening[1])}\s*>", re.IGNORECASE).search(text, opening.end())
        if closing is None:
            break
        position = closing.end()
    if not text[position:].lstrip().startswith(("{", "```")) and (closing := _CLOSING_TAG.search(text, position)):
        position = closing.end()
    return text[position:]


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these pairs; a `ValueError` if a key occurs twice."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {key!r} occurs twice in one object")
        result[key] = value
    return result
