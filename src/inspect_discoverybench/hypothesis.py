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


# Braces are scanned from every opening one; a message beyond this is no answer any more.
_LONGEST = 50_000
_LABEL = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|[-*][ \t]+|\d+[.)][ \t]*)?(?P<bold>\*\*|__)?(?:final[ \t]+)?(?P<label>hypothesis|workflow)"
    r"(?:[ \t]+summary)?[ \t]*(?:\*\*|__)?[ \t]*(?::[ \t]*(?:\*\*|__)?|$)",
    re.IGNORECASE | re.MULTILINE,
)


def _submission(
    hypothesis: str, workflow: str, source: Literal["json", "sections", "text"]
) -> Submission | None:
    return Submission(hypothesis=hypothesis, workflow=workflow, source=source) if hypothesis.strip() else None


def _objects(text: str) -> Iterator[Mapping[Any, Any]]:
    """Every JSON object or Python dict literal in the text, in order of its first character."""
    for start in re.finditer(r"\{(?=\s*[\"'])", text):
        tail = text[start.start() :]
        try:
            found: object = json.JSONDecoder(strict=False).raw_decode(tail)[0]
        except (ValueError, RecursionError):
            try:
                found = ast.literal_eval(_balanced(tail))
            except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
                continue
        if isinstance(found, Mapping):
            yield found


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
        label["label"].casefold(): text[label.end() : end].strip() for label, end in zip(labels, ends, strict=True)
    }


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_plain, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
