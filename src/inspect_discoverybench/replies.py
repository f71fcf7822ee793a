"""Replies as JSON objects: their schema, how text is parsed, and how a model is asked until its reply is valid.

All parsing takes time and memory proportional to the length of the text.
"""

import json
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput
from inspect_ai.util import JSONSchema, json_schema
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from inspect_discoverybench.chat_templates import Meaning, pattern
from inspect_discoverybench.code_fence import fenced_blocks
from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason

MAX_REPLY_LENGTH = 1_000_000
"""Maximum length of a text that is parsed, in characters. It is not cut, because an object may follow long reasoning.
No model writes as much: the largest output limits are about 128,000 tokens, half of it."""

_NO_REPLY = {
    "max_tokens": "it was truncated by the token limit.",
    "model_length": "the question does not fit into the context window.",
    "content_filter": "it was stopped by a content filter.",
}
"""Stop reasons after which a text is no reply, even if it is a whole object, and the same question is asked again."""

_MAX_SENT_BACK = 20_000
"""Maximum length of an invalid reply that is sent back, in characters, so that it fits into the context window."""

_NO_CONTENT = "(no content)"
"""What is sent back in place of an empty reply, as Inspect does: some servers refuse an empty message."""

_STRING = re.compile(r'"(?:[^"\\]++|\\.?+)*+"?+', re.DOTALL)
"""Matches a JSON string, also one that is cut off, so that no character is read twice."""

_BACKSLASH = re.compile(r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})?+')
"""Matches an escape in a JSON string, or a backslash that begins none."""

_REASONING_START = pattern(Meaning.REASONING_STARTS)
_REASONING_END = pattern(Meaning.REASONING_ENDS)
_END_OF_TURN = pattern(Meaning.TURN_ENDS)

_SMALL_LETTER = re.compile("[a-z]")

_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
"""Control characters by the letters of their escapes."""

ReplyT = TypeVar("ReplyT", bound="Reply")
ResultT = TypeVar("ResultT")


class Reply(BaseModel):
    """A reply. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by `?`.

    Models occasionally write half of a surrogate pair, and command lines can contain bytes that are not valid UTF-8.
    Such text can be neither logged nor sent.
    """
    return text.encode("utf-8", "replace").decode()


def normalize_case_and_spaces(text: str) -> str:
    """Fold case and collapse white space, to compare texts."""
    return " ".join(text.casefold().split())


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(character.isalnum() for character in text)


Explanation = Annotated[str, BeforeValidator(str)]
"""An explanation. A value that is not a string, such as a list of reasons, is kept as text."""


def parse_boolean(value: Any) -> Any:
    """Accept a boolean written as a string: "false" is false."""
    text = str(value).strip().lower()
    return {"true": True, "false": False}.get(text, value)


async def ask_until_valid(
    messages: Sequence[ChatMessage],
    send: Callable[[list[ChatMessage]], Awaitable[ModelOutput]],
    accept: Callable[[str], Awaitable[ResultT]],
    repeat_question: Callable[[str], ChatMessage],
    attempts: int = 3,
) -> ResultT:
    """Ask a model until its reply is valid. An invalid reply is sent back with the reason.

    Args:
        messages: The conversation, which ends with the question.
        send: Sends a conversation to the model.
        accept: Converts the text of a reply into the result, or raises `ReplyRejected`.
        repeat_question: The message that follows an invalid reply, made from the reason.
        attempts: Maximum number of requests.

    Raises:
        ReplyRejected: The last reply is invalid.
    """
    conversation = [*messages]
    error: ReplyRejected
    for _ in range(attempts):
        output = await send([*conversation])
        if output.stop_reason in _NO_REPLY:
            error = ReplyRejected(_NO_REPLY[output.stop_reason])
            continue

        try:
            return await accept(output.completion)
        except ReplyRejected as rejected:
            error = rejected
        invalid = replace_surrogates(output.completion[:_MAX_SENT_BACK])
        if not invalid.strip():
            invalid = _NO_CONTENT
        conversation += [ChatMessageAssistant(content=invalid), repeat_question(error.message)]
    raise error


def parse_reply(text: str, reply_type: type[ReplyT], max_length: int = MAX_REPLY_LENGTH) -> ReplyT:
    """Parse a reply: one JSON object, optionally in a code fence with a sentence before or after it.

    A byte-order mark, reasoning in tags before the object, end-of-turn tokens after it, and raw newlines and lone
    backslashes in JSON strings are accepted.

    Args:
        text: The text.
        reply_type: What the object must validate as.
        max_length: Maximum length of the text in characters.

    Raises:
        ReplyRejected: The text is too long, is not JSON, or does not validate as `reply_type`.
    """
    if len(text) > max_length:
        raise ReplyRejected(f"it has {len(text):,} characters; the maximum is {max_length:,}.")
    content = parse_json(_object_text(text))
    try:
        return reply_type.model_validate(content)
    except ValidationError as error:
        raise ReplyRejected(first_reason(error)) from error


def _object_text(text: str) -> str:
    """Cut a reply down to what should be its JSON object."""
    body = text.strip("\ufeff \t\r\n")
    if not body.startswith(("{", "```")):  # tags within the object are data
        body = without_reasoning(body)
    if body.startswith("{"):
        return _without_turn_ends(body)

    blocks = fenced_blocks(body, at_line_ends=True)
    if len(blocks) == 1:
        return blocks[0].contents.strip()
    return body


def _without_turn_ends(text: str) -> str:
    """Remove end-of-turn tokens after the last brace of a text."""
    end = text.rfind("}") + 1
    return text[:end] + pattern(Meaning.TURN_ENDS).sub("", text[end:])


def parse_json(text: str, *, latex: bool = False) -> Any:
    r"""Parse JSON as models write it: with raw line ends and lone backslashes in strings.

    A lone backslash begins no escape, as in `\alpha` or `\(`, and JSON does not allow it. It is kept as a backslash.
    Lone surrogates are replaced.

    Args:
        text: The text.
        latex: Whether to also keep the backslash of a LaTeX command that begins like an escape: `\beta` is then not
            read as a backspace and `eta`. `_double_latex` says which escapes are taken for commands.

    Raises:
        ReplyRejected: The text is not JSON, or a key occurs twice in an object.
    """

    def repair(string: re.Match[str]) -> str:
        if latex:
            return _double_latex(string[0])
        return _double_backslashes(string[0])

    repaired = _STRING.sub(repair, text)
    try:
        content = load_json(repaired, strict=False)
        without_surrogates = replace_surrogates(json.dumps(content, ensure_ascii=False))
        return json.loads(without_surrogates)
    except (ValueError, RecursionError) as error:
        raise ReplyRejected(f"it is not a JSON object ({error}).") from error


def load_json(text: str, *, strict: bool = True) -> Any:
    """Parse JSON in which every key occurs at most once in an object.

    Args:
        text: The text.
        strict: Whether control characters in strings, such as raw line ends, are refused.

    Raises:
        ValueError: The text is not JSON, is nested too deeply, or a key occurs twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_without_repetition, strict=strict)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"the key {key[:80]!r} occurs twice in one object")
        content[key] = value
    return content


def restore_latex(text: str, letters: str = "bfrt") -> str:
    r"""Restore LaTeX such as `\beta` in a text that was read as JSON, where it has become a control character.

    Args:
        text: The text.
        letters: The letters of the escapes. By default, line breaks stay: in a call, most are what they seem.
    """
    repaired = _double_latex(json.dumps(text), letters)
    restored: str = json.loads(repaired)
    return restored


def _double_latex(string: str, letters: str = "bfnrt") -> str:
    """Double the backslashes of LaTeX commands in a JSON string, also of those that begin like an escape.

    An escape begins a command if a small letter follows wherever it occurs in the string, and if the string does not
    have its control character itself.
    """
    commands = {f"\\{letter}" for letter in letters if _CONTROL[letter] not in string}
    for escape in _BACKSLASH.finditer(string):
        if not _SMALL_LETTER.match(string, escape.end()):
            commands.discard(escape[0])
    return _double_backslashes(string, commands)


def _double_backslashes(string: str, commands: Collection[str] = ()) -> str:
    """Double the backslashes in a JSON string that begin no escape, or one of these LaTeX commands."""

    def double(escape: re.Match[str]) -> str:
        is_lone = escape[0] == "\\"
        if is_lone or escape[0] in commands:
            return f"\\{escape[0]}"
        return escape[0]

    return _BACKSLASH.sub(double, string)


def without_reasoning(text: str, is_complete: bool = True) -> str:
    """Remove reasoning in tags, end-of-turn tokens and byte-order marks from a text.

    A closing tag without an opening tag ends reasoning that starts with the text, because some chat templates put the
    opening tag into the prompt. The text after a tag that is never closed is kept, because some models write their
    answer there, but not if the text was cut off: it ends within the reasoning.
    """
    *parts, answer = _REASONING_END.split(text)
    kept: list[str] = []
    for part in parts:  # each ends with reasoning, whose closing tag followed
        opening = _REASONING_START.search(part)
        if opening is None:
            kept.clear()  # the opening tag is in the prompt, so all of the text up to here is reasoning
        else:
            kept.append(part[: opening.start()])

    opening = _REASONING_START.search(answer)
    if opening is not None and not is_complete:
        answer = answer[: opening.start()]
    outside_tags = "".join([*kept, answer])
    return _END_OF_TURN.sub("", outside_tags).strip("\ufeff \t\r\n")


@cache
def reply_schema(reply_type: type[Reply]) -> JSONSchema:
    """Make the JSON schema to send to providers: all fields of the listing required, without descriptions."""
    schema = json_schema(reply_type)
    pending = [schema]
    while pending:
        part = pending.pop()
        part.description = None
        if part.properties:
            part.required = list(part.properties)
            pending += part.properties.values()
        if part.items:
            pending.append(part.items)
        pending += part.anyOf or []
    return schema
