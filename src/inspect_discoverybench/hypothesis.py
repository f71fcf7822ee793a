"""The vocabulary: what a discovery is made of, and what an agent hands in (paper §3 and §4)."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal

from inspect_ai.util import StoreModel
from pydantic import BaseModel, ConfigDict, Field


class Facet(StrEnum):
    """The three dimensions of a hypothesis (paper §3)."""

    CONTEXT = "context"
    """Boundary conditions under which the hypothesis holds."""

    VARIABLES = "variables"
    """The target and the independent variables."""

    RELATIONSHIP = "relationship"
    """How the variables interact in that context."""


class Submission(BaseModel):
    """What an agent hands in: a hypothesis and how it was reached (paper §4)."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    hypothesis: str = Field(min_length=1)
    """The predicted hypothesis in natural language."""

    workflow: str = ""
    """Summary of the steps from loading the data to the hypothesis."""

    source: Literal["submit", "json", "sections", "text"] = "submit"
    """The call of `submit`, or the form in which the final message was read."""


class SubmissionState(StoreModel):
    """Where a sample's submission is kept in the log."""

    submission: Submission | None = None
    """The submission; None until there is one."""


def read_submission(text: str) -> Submission | None:
    """Read a final message: a JSON object anywhere in it, else labelled sections, else the whole text.

    The object may be fenced or not, in double or in single quotes; of several, the last one counts. None if the
    text is empty, or if it hands in an empty hypothesis.
    """
    text = text[-_LONGEST:]
    for found in reversed(list(_objects(text))):
        fields = {str(key).strip().casefold(): _plain(value) for key, value in found.items()}
        if "hypothesis" in fields:
            return _submission(fields["hypothesis"], fields.get("workflow", ""), "json")
    sections = _sections(text)
    if "hypothesis" in sections:
        return _submission(sections["hypothesis"], sections.get("workflow", ""), "sections")
    return _submission(text, "", "text")


# A text made to be slow costs no more than this many scans of this many characters.
_LONGEST = 50_000
_MOST_FAILURES = 100
_OBJECT = re.compile(r"\{(?=\s*[\"'])")
_LABEL = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|[-*][ \t]+|\d+[.)][ \t]*)?(?P<bold>\*\*|__)?(?:final[ \t]+)?(?P<label>hypothesis|workflow)"
    r"(?:[ \t]+summary)?[ \t]*(?:\*\*|__)?[ \t]*(?::[ \t]*(?:\*\*|__)?|$)",
    re.IGNORECASE | re.MULTILINE,
)


def _submission(hypothesis: str, workflow: str, source: Literal["json", "sections", "text"]) -> Submission | None:
    return Submission(hypothesis=hypothesis, workflow=workflow, source=source) if hypothesis.strip() else None


def _objects(text: str) -> Iterator[Mapping[Any, Any]]:
    """Every JSON object or Python dict literal in the text, each after those inside it."""
    position, failures = 0, 0
    while failures < _MOST_FAILURES and (start := _OBJECT.search(text, position)):
        literal = _balanced(text[start.start() :])
        found = _parsed(literal)
        if found is None:
            position, failures = start.end(), failures + 1
        else:
            position = start.start() + len(literal)
            yield from _nested(found)


def _parsed(literal: str) -> object:
    try:
        return json.loads(literal, strict=False)
    except (ValueError, RecursionError):
        pass  # it may be Python's notation
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _nested(value: object) -> list[Mapping[Any, Any]]:
    """The objects inside a value, the outermost last."""
    objects: list[Mapping[Any, Any]] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Mapping() as found:
                objects.append(found)
                waiting.extend(found.values())
            case list() as parts:
                waiting.extend(parts)
    return objects[::-1]


def _balanced(text: str) -> str:
    """From the opening brace to the one that closes it, outside of quotes."""
    depth, quote, escaped = 0, "", False
    for position, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return text[: position + 1]
    return ""


def _sections(text: str) -> dict[str, str]:
    """Texts under the labels Hypothesis and Workflow; of several, the last."""
    labels = list(_LABEL.finditer(text))
    ends = [label.start() for label in labels[1:]] + [len(text)]
    return {
        label["label"].casefold(): text[label.end() : end].strip() for label, end in zip(labels, ends, strict=False)
    }


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_plain, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
