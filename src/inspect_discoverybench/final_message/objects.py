"""Reads JSON objects, Python dict literals and calls of `submit` that are written in a text."""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from inspect_discoverybench.final_message.names import Rank, read_name

# Maximum number of characters to search for the ends of unclosed objects, which keeps adversarial texts fast.
_MAX_SCANNED = 3_000_000
_MAX_DEPTH = 100
_OBJECT = re.compile(r"\{(?=\s*[\"'])")
_STRUCTURE = re.compile(r"\\.|[\"'{}]", re.DOTALL)
_LONE_BACKSLASH = re.compile(r"(\\[\"\\/bfnrtu])|\\")
_KEY = re.compile(r"""(?:["'](?P<key>[^"'\n{}:]{1,40})["']|(?<=[{,])[ \t\n]*(?P<bare>\w{1,40}))[ \t]*:\s*(?=["'])""")
_CALL = re.compile(r"\bsubmit[ \t]*\(\s*")
_ARGUMENT = re.compile(r"""(?:\s*\)(?=,))?[\s,]*(?:(?P<key>\w{1,40})[ \t]*=[ \t]*)?(?:\(\s*)?(?=["'])""")
# A quotation mark ends a string if the object or the call continues after it. Models forget to escape other ones.
_END = {
    quote: re.compile(rf"(?<!\\){quote}(?=\s*(?:,\s*(?:[\"'}}]|\w+[ \t]*[=:]|\Z)|[}}\]),]|```|\Z))") for quote in "\"'"
}
# Strings on consecutive lines, which Python concatenates.
_CONCATENATION = {quote: re.compile(rf"{quote}[ \t]*[+\\]?[ \t]*\n[ \t]*f?{quote}") for quote in "\"'"}


@dataclass(frozen=True)
class TextObject:
    """An object in a text.

    Attributes:
        value: The object.
        start: Position of its opening brace.
        end: Position after its closing brace.
        python: Whether it is a Python literal instead of JSON.
    """

    value: Mapping[Any, Any]
    start: int
    end: int
    python: bool


@dataclass(frozen=True)
class Answer:
    """The answer in an object or a call.

    Attributes:
        hypothesis: The hypothesis; may be empty.
        workflow: The workflow; may be empty.
        rank: How explicitly it is marked as the answer.
        start: Start of the object or call in the text.
        end: End of the object or call in the text.
    """

    hypothesis: str
    workflow: str
    rank: Rank
    start: int = 0
    end: int = 0


def text_objects(text: str) -> Iterator[TextObject]:
    """Yield every outermost JSON object or Python dict literal in a text."""
    position, scanned = 0, 0
    while scanned < _MAX_SCANNED and (opening := _OBJECT.search(text, position)):
        start = opening.start()
        end, closed = _find_end(text, start)
        value, python = _parse(text[start:end]) if closed else (None, False)
        if isinstance(value, Mapping):
            yield TextObject(value, start, end, python)
            position = end
        else:
            scanned += end - start
            position = opening.end()


def json_objects(text: str) -> Iterator[Mapping[Any, Any]]:
    """Yield every object in a text. Nested objects come before the object that contains them."""
    for outer in text_objects(text):
        yield from nested_objects(outer.value)


def nested_objects(value: object) -> list[Mapping[Any, Any]]:
    """All objects in a value, including itself, in objects, lists and JSON strings; the outermost is last."""
    objects: list[Mapping[Any, Any]] = []
    pending = [value]
    while pending:
        match pending.pop():
            case Mapping() as item:
                objects.append(item)
                pending.extend(item.values())
            case list() | tuple() as items:
                pending.extend(items)
            case str() as string if string.lstrip().startswith("{"):
                pending.append(_parse(string.strip())[0])  # arguments of a call as a JSON string
    return objects[::-1]


def answer_in(value: Mapping[Any, Any]) -> Answer | None:
    """Read the answer in an object's own keys; return None if no key names a hypothesis or an answer."""
    names = {key: name for key in value if (name := read_name(str(key), marked=False))}
    answer_keys = [
        key
        for key, name in names.items()
        if name.part == "hypothesis" or (name.part == "answer" and isinstance(value[key], str))
    ]
    if not answer_keys:
        return None
    key = max(answer_keys, key=lambda key: (names[key].part == "hypothesis", names[key].rank))
    name, content = names[key], value[key]
    workflows = [as_text(value[other]) for other in names if names[other].part == "workflow"]
    workflow = next(filter(None, workflows), "")
    inner_object = content if isinstance(content, Mapping) else _parse(str(content).strip())[0]
    inner = answer_in(inner_object) if isinstance(inner_object, Mapping) else None
    if inner is not None:
        return Answer(inner.hypothesis, inner.workflow or workflow, max(name.rank, inner.rank))
    rank = name.rank
    if name.part == "hypothesis" and rank is Rank.PLAIN and (len(value) == 1 or workflows):
        rank = Rank.FINAL  # the requested form
    return Answer(_hypothesis_text(content), workflow, rank)


def answers_in_fragments(text: str) -> Iterator[Answer]:
    """Yield the answers in objects that cannot be parsed, and in calls of `submit` that are written as text."""
    position, answer = 0, None
    for key in _KEY.finditer(text):
        name = read_name(key["key"] or key["bare"], marked=False)
        if key.start() < position or name is None or name.part == "rival":
            continue
        string, position, closed = _read_string(text, key.end())
        if name.part == "workflow":
            answer = answer and replace(answer, workflow=string, end=position)
            continue
        if answer is not None:
            yield answer
        rank = name.rank if name.part == "answer" else Rank.FINAL
        answer = Answer(string, "", rank if closed else Rank.WEAK, key.start(), position)
    if answer is not None:
        yield answer
    yield from _answers_in_calls(text)


def as_text(value: object) -> str:
    """Convert a value to text: a list to lines, an object to lines of `key: value`."""
    match value:
        case None:
            return ""
        case str():
            return value
        case Mapping():
            lines = [(key, _inline(item)) for key, item in value.items()]
            return "\n".join(f"{key}: {item}" for key, item in lines if item)
        case list() | tuple():
            return "\n".join(filter(None, (item if isinstance(item, str) else _inline(item) for item in value)))
    return json.dumps(value, ensure_ascii=False, default=str)


def _hypothesis_text(value: object) -> str:
    """Convert a hypothesis to text. It may be a list of objects with one hypothesis each."""
    items = value if isinstance(value, list) else [value]
    answers = [answer_in(item) if isinstance(item, Mapping) else None for item in items]
    if not any(answers):
        return as_text(value)
    return "\n".join(
        answer.hypothesis if answer else as_text(item) for item, answer in zip(items, answers, strict=True)
    )


def _inline(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case list() | tuple() if all(isinstance(item, str) for item in value):
            return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, default=str) if value not in ({}, [], ()) else ""


def _answers_in_calls(text: str) -> Iterator[Answer]:
    """Yield the answers in `submit(hypothesis="…", workflow="…")`, with named or positional arguments."""
    position = 0
    for call in _CALL.finditer(text):
        if call.start() < position:
            continue
        arguments: dict[str, str] = {}
        position, closed = call.end(), True
        while closed and len(arguments) < 2 and (argument := _ARGUMENT.match(text, position)):
            key = argument["key"] or ("workflow" if arguments else "hypothesis")
            string, position, closed = _read_string(text, argument.end())
            arguments[key.casefold()] = string
        answer = answer_in(arguments)
        if answer is not None:
            yield replace(answer, rank=answer.rank if closed else Rank.WEAK, start=call.start(), end=position)


def _read_string(text: str, start: int) -> tuple[str, int, bool]:
    """Read the string that starts with the quotation mark at `start`.

    Returns:
        The string, the position after it, and whether it is closed.
    """
    quote = text[start]
    if text.startswith(quote * 3, start):
        end = text.find(quote * 3, start + 3)
        return (text[start + 3 :], len(text), False) if end < 0 else (text[start + 3 : end], end + 3, True)
    closing = _END[quote].search(text, start + 1)
    raw = text[start + 1 : closing.start() if closing else len(text)]
    return _unescape(_CONCATENATION[quote].sub("", raw), quote), closing.end() if closing else len(text), bool(closing)


def _unescape(raw: str, quote: str) -> str:
    try:
        string = str(json.loads(f'"{raw}"', strict=False)) if quote == '"' else raw
    except ValueError:
        string = raw
    return string.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")


def _find_end(text: str, start: int) -> tuple[int, bool]:
    """Find the brace that closes the one at `start`, outside of quotes.

    Returns:
        The position after it and True, or the end of the text and False.
    """
    depth, quote = 0, ""
    for mark in _STRUCTURE.finditer(text, start):
        character = mark.group()
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return mark.end(), True
    return len(text), False


def _parse(literal: str) -> tuple[object, bool]:
    """Parse JSON, which may contain LaTeX, or a Python literal; the second value is True for Python."""
    if not literal.startswith("{"):
        return None, False
    for candidate in (literal, _LONE_BACKSLASH.sub(lambda escape: escape[1] or r"\\", literal)):
        try:
            return _unless_too_deep(json.loads(candidate, strict=False)), False
        except (ValueError, RecursionError):
            pass  # try the next notation
    try:
        with warnings.catch_warnings(action="ignore"):  # invalid escapes in Python strings
            return _unless_too_deep(ast.literal_eval(literal)), True
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None, False


def _unless_too_deep(value: object) -> object:
    """Return the value, or None if it is nested more deeply than `_MAX_DEPTH`."""
    level, depth = [value], 0
    while level and depth <= _MAX_DEPTH:
        below: list[object] = []
        for item in level:
            if isinstance(item, Mapping):
                below.extend(item.values())
            elif isinstance(item, list | tuple | set):
                below.extend(item)
        level, depth = below, depth + 1
    return None if level else value
