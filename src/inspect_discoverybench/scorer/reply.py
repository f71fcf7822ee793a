"""A judge's reply: its contract, and how a text is read as one."""

import json
import re
from functools import cache
from typing import Annotated, Any, TypeVar

from inspect_ai.util import JSONSchema, json_schema
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from inspect_discoverybench.errors import ReplyRejected

BYTE_ORDER_MARK = "\ufeff"
_OPENING_TAG = re.compile(r"\s*<([a-z][\w:.-]*)[^<>]*>", re.IGNORECASE)
# Some chat templates put the opening tag into the prompt, so that the reply has the closing one alone.
_CLOSING_TAG = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


class Reply(BaseModel):
    """A judge's reply. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)


Explanation = Annotated[str, BeforeValidator(_as_text)]
"""The judge's own words; any other JSON value is kept as its JSON text."""

R = TypeVar("R", bound=Reply)


def read(text: str, contract: type[R]) -> R:
    """Read a reply that follows its contract: one JSON object, alone or in a code fence.

    A byte-order mark, reasoning between tags before the object, and raw newlines inside JSON strings are ignored.

    Raises:
        ReplyRejected: The text does not follow the contract.
    """
    body = _without_reasoning(text.strip().lstrip(BYTE_ORDER_MARK)).strip()
    if body.startswith("```") and body.endswith("```") and "\n" in body:
        body = body[body.index("\n") : -3].strip()
    try:
        content = json.loads(body, object_pairs_hook=_without_repeats, strict=False)
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
def schema_of(contract: type[Reply]) -> JSONSchema:
    """The contract for providers that enforce one: all fields of the listing are required, without descriptions."""
    schema = json_schema(contract)
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        part.description = None
        if part.properties:
            part.required = list(part.properties)
        waiting += [*(part.properties or {}).values(), *([part.items] if part.items else []), *(part.anyOf or [])]
    return schema


def _without_reasoning(text: str) -> str:
    """The text after reasoning between tags. Tags inside the object are data."""
    position = 0
    while opening := _OPENING_TAG.match(text, position):
        closing = re.compile(rf"</{re.escape(opening[1])}\s*>", re.IGNORECASE).search(text, opening.end())
        if closing is None:
            break
        position = closing.end()
    if not text[position:].lstrip().startswith(("{", "```")) and (closing := _CLOSING_TAG.search(text, position)):
        position = closing.end()
    return text[position:]


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)
