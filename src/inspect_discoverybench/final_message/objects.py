"""JSON objects and Python literals that are written inside a text, and what they say."""

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.final_message.names import Name, Rank, read_name

# A text made to be slow costs no more than this many characters, looked at for the end of objects that have none.
_MAX_SCANNED = 3_000_000
_MAX_DEPTH = 100
_OBJECT = re.compile(r"\{(?=\s*[\"'])")
_STRUCTURE = re.compile(r"\\.|[\"'{}]", re.DOTALL)
_LONE_BACKSLASH = re.compile(r"(\\[\"\\/bfnrtu])|\\")
_KEY = re.compile(r"""(?:["'](?P<key>[^"'\n{}:]{1,40})["']|(?<=[{,])[ \t\n]*(?P<bare>\w{1,40}))[ \t]*:\s*(?=["'])""")
_CALL = re.compile(r"\bsubmit[ \t]*\(\s*")
_ARGUMENT = re.compile(r"""[\s,]*(?:(?P<key>\w{1,40})[ \t]*=[ \t]*)?(?=["'])""")
# A quotation mark ends a string where an object or a call goes on behind it; models forget to escape the others.
_END = {quote: re.compile(rf"(?<!\\){quote}(?=\s*(?:,\s*(?:[\"'}}]|\w+[ \t]*[=:]|\Z)|[}}\]),]|\Z))") for quote in "\"'"}


@dataclass(frozen=True)
class TextObject:
    """An object and its place in the text.

    Attributes:
        value: The object.
        start: Position of its opening brace.
        end: Position after its closing brace.
        python: It is in Python's notation and not in JSON's.
    """

    value: Mapping[Any, Any]
    start: int
    end: int
    python: bool


@dataclass(frozen=True)
class Answer:
    """What an object or a call says.

    Attributes:
        hypothesis: Its text; may be empty.
        workflow: Its text; may be empty.
        rank: How strongly it claims to be the answer.
        start: Position in the text.
        end: Position after it.
    """

    hypothesis: str
    workflow: str
    rank: Rank
    start: int = 0
    end: int = 0


def text_objects(text: str) -> Iterator[TextObject]:
    """Every JSON object or Python dict literal in a text that is not inside another, in their order."""
    position, scanned = 0, 0
    while scanned < _MAX_SCANNED and (opening := _OBJECT.search(text, position)):
        start = opening.start()
        end, closed = _closing(text, start)
        value, python = _parsed(text[start:end]) if closed else (None, False)
        if isinstance(value, Mapping):
            yield TextObject(value, start, end, python)
            position = end
        else:
            scanned += end - start
            position = opening.end()


def json_objects(text: str) -> Iterator[Mapping[Any, Any]]:
    """Every object in a text, each after those inside it."""
    for written in text_objects(text):
        yield from nested(written.value)


def nested(value: object) -> list[Mapping[Any, Any]]:
    """The objects inside a value, the outermost last."""
    objects: list[Mapping[Any, Any]] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Mapping() as found:
                objects.append(found)
                waiting.extend(found.values())
            case list() | tuple() as items:
                waiting.extend(items)
            case str() as inner if inner.lstrip().startswith("{"):
                waiting.append(_parsed(inner.strip())[0])  # a call that was written as text
    return objects[::-1]


def answer_in(value: Mapping[Any, Any]) -> Answer | None:
    """What an object says by its own keys; None if no key announces a hypothesis or an answer."""
    names = {key: read_name(str(key), marked=False) for key in value}
    claims = [
        (name.rank, name.part == "hypothesis", key) for key, name in names.items() if name and _claims(name, value[key])
    ]
    if not claims:
        return None
    rank, is_hypothesis, key = max(claims, key=lambda claim: (claim[1], claim[0]))
    workflows = [as_text(value[other]) for other, name in names.items() if name and name.part == "workflow"]
    workflow = next(filter(None, workflows), "")
    inside = value[key] if isinstance(value[key], Mapping) else _parsed(str(value[key]).strip())[0]
    inner = answer_in(inside) if isinstance(inside, Mapping) else None
    if inner is not None:
        return Answer(inner.hypothesis, inner.workflow or workflow, max(rank, inner.rank))
    requested = len(names) == 1 or bool(workflows)
    if requested and is_hypothesis and rank is Rank.PLAIN:
        rank = Rank.FINAL
    return Answer(_hypothesis(value[key]), workflow, rank)


def strings_in(text: str) -> Iterator[Answer]:
    """Hypotheses in objects that cannot be parsed, and in calls of `submit` that are written as text."""
    position, answer = 0, None
    for key in _KEY.finditer(text):
        if key.start() < position:
            continue
        name = read_name(key["key"] or key["bare"], marked=False)
        if name is None:
            continue
        string, position, closed = _string(text, key.end())
        if name.part == "workflow":
            answer = answer and Answer(answer.hypothesis, string, answer.rank, answer.start, position)
            continue
        if answer is not None:
            yield answer
        rank = name.rank if name.part == "answer" else Rank.FINAL
        answer = Answer(string, "", rank if closed else Rank.WEAK, key.start(), position)
    if answer is not None:
        yield answer
    yield from _calls(text)


def as_text(value: object) -> str:
    """A value as text: a list as lines, an object as lines of `key: value`."""
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


def _claims(name: Name, value: object) -> bool:
    return name.part == "hypothesis" or (name.part == "answer" and isinstance(value, str))


def _hypothesis(value: object) -> str:
    """The text of a hypothesis, which may be a list of objects that hold one each."""
    items = value if isinstance(value, list) else [value]
    inner = [answer_in(item) if isinstance(item, Mapping) else None for item in items]
    if any(inner):
        return "\n".join(found.hypothesis if found else as_text(item) for item, found in zip(items, inner, strict=True))
    return as_text(value)


def _inline(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case list() | tuple() if all(isinstance(item, str) for item in value):
            return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, default=str) if value not in ({}, [], ()) else ""


def _calls(text: str) -> Iterator[Answer]:
    """`submit(hypothesis="…", workflow="…")`, by name or by position."""
    done = 0
    for call in _CALL.finditer(text):
        if call.start() < done:
            continue
        arguments: dict[str, str] = {}
        position, closed = call.end(), True
        while closed and len(arguments) < 2 and (argument := _ARGUMENT.match(text, position)):
            key = argument["key"] or ("workflow" if arguments else "hypothesis")
            string, position, closed = _string(text, argument.end())
            arguments[key.casefold()] = string
        done = position
        answer = answer_in(arguments)
        if answer is not None:
            yield Answer(
                answer.hypothesis, answer.workflow, answer.rank if closed else Rank.WEAK, call.start(), position
            )


def _string(text: str, start: int) -> tuple[str, int, bool]:
    """The string that begins with the quotation mark here, the position after it, and whether it has an end."""
    quote = text[start]
    if text.startswith(quote * 3, start):
        end = text.find(quote * 3, start + 3)
        return (text[start + 3 :], len(text), False) if end < 0 else (text[start + 3 : end], end + 3, True)
    closing = _END[quote].search(text, start + 1)
    end = closing.start() if closing else len(text)
    raw = text[start + 1 : end]
    try:
        string = json.loads(f'"{raw}"' if quote == '"' else json.dumps(raw), strict=False)
    except ValueError:
        string = raw
    if "\\" in string:
        string = string.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")
    return string, closing.end() if closing else len(text), closing is not None


def _closing(text: str, start: int) -> tuple[int, bool]:
    """The position after the brace that closes the one here, outside of quotes; or the end, and that there is none."""
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


def _parsed(literal: str) -> tuple[object, bool]:
    """A literal in JSON's notation, which may hold LaTeX, else in Python's; and whether it was Python's."""
    if not literal.startswith("{"):
        return None, False
    for form in (literal, _LONE_BACKSLASH.sub(lambda escape: escape[1] or r"\\", literal)):
        try:
            return _shallow(json.loads(form, strict=False)), False
        except (ValueError, RecursionError):
            pass  # it may be Python's notation
    try:
        with warnings.catch_warnings(action="ignore"):  # of escapes that Python does not know
            return _shallow(ast.literal_eval(literal)), True
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None, False


def _shallow(value: object) -> object:
    """The value, or None if it is nested more deeply than any answer."""
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
