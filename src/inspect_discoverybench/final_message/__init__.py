"""Reads an answer written in words (moved as it was)."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from inspect_ai.model import ChatMessageTool
from inspect_ai.solver import TaskState

from inspect_discoverybench.hypothesis import MOST_CHARACTERS, Submission, SubmissionState, _sound


def submission_of(state: TaskState) -> Submission | None:
    """What was submitted: by our tool `submit`, by Inspect's own, else as text in the final message.

    A final message that calls any other tool is work cut short by a limit, and no answer.
    """
    submitted = state.store_as(SubmissionState).submission
    if submitted is not None:
        return submitted
    # A refusal, or a provider's words about its context window, are no answer of the agent.
    if not state.output.choices or state.output.stop_reason in ("content_filter", "model_length"):
        return None
    if state.output.message.tool_calls:
        return read_submission(_answer_by_tool(state))
    found = read_submission(state.output.completion)
    return None if found is not None and found.source == "text" and _went_on(state) else found


def _answer_by_tool(state: TaskState) -> str:
    """The argument of the `submit` tool of Inspect's `react()`; empty unless that call came to its end.

    `react()` takes the call out of the conversation, or keeps it together with its result.
    """
    final = state.output.message
    kept = next((message for message in state.messages if message.id == final.id), final)
    waiting = {call.id for call in getattr(kept, "tool_calls", None) or []}
    done = {m.tool_call_id for m in state.messages if isinstance(m, ChatMessageTool) and m.error is None}
    for call in final.tool_calls or []:
        if call.function == "submit" and "answer" in call.arguments and (call.id not in waiting or call.id in done):
            return _plain(call.arguments["answer"])
    return ""


def _went_on(state: TaskState) -> bool:
    """Whether the conversation went on after the last text: then the whole text was not meant as the answer."""
    ids = [message.id for message in state.messages]
    return state.output.message.id in ids[:-1]


def read_submission(text: str) -> Submission | None:
    """Read a final message: a JSON object anywhere in it, else labelled sections, else the whole text.

    The object may be fenced or not, in double or in single quotes; of several that say something, the last one counts.
    What a model wrote between `<think>` tags is no part of its answer. None if the text is empty, or if it hands in
    nothing but an empty hypothesis. Texts beyond `MOST_CHARACTERS` are cut.
    """
    text = _THOUGHT.sub("", text)[-_LONGEST:]
    objects = [
        {str(key).strip().casefold(): _plain(value) for key, value in found.items()} for found in json_objects(text)
    ]
    forms: tuple[tuple[Form, list[dict[str, str]]], ...] = (("json", objects), ("sections", [_sections(text)]))
    for form, found in forms:
        answers = [answer for answer in found if "hypothesis" in answer]
        for answer in reversed(answers):
            if _WORD.search(answer["hypothesis"]):
                return _submission(answer["hypothesis"], answer.get("workflow", ""), form)
        if answers:
            return None
    return _submission(text, "", "text") if text.strip() else None


Form = Literal["json", "sections", "text"]

# A text made to be slow costs no more than this many scans of this many characters.
_LONGEST = 50_000
_MOST_FAILURES = 100
_OBJECT = re.compile(r"\{(?=\s*[\"'])")
_WORD = re.compile(r"\w")
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
# A heading or a bold line of its own starts a section, whatever its name; the first one of a name counts, since later
# text speaks about it.
_LABEL = re.compile(
    r"""^[ \t]*
    (?: \#{1,6}[ \t]*(?P<heading>[^\n:]+)
      | (?:\*\*|__)(?P<bold>[^\n*_:]+)
      | (?P<word>(?:final[ \t]+)?hypothesis|workflow)
    )
    [ \t]*(?:\*\*|__)?[ \t]*(?: :[ \t]*(?:\*\*|__)? | $ )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def _submission(hypothesis: str, workflow: str, form: Form) -> Submission:
    return Submission(hypothesis=_cut(hypothesis), workflow=_cut(workflow), source=form)


def _cut(text: str) -> str:
    return _sound(text.strip()[:MOST_CHARACTERS]) if len(text) > MOST_CHARACTERS else text


def json_objects(text: str) -> Iterator[Mapping[Any, Any]]:
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
            case str() as inner if inner.lstrip().startswith("{"):
                waiting.append(_parsed(inner.strip()))  # a tool call that was written as text
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
    """Texts under the labels Hypothesis and Workflow, which may be headings, bold, or plain with a colon."""
    labels = [label for label in _LABEL.finditer(text) if label["word"] is None or ":" in label.group()]
    ends = [label.start() for label in labels[1:]] + [len(text)]
    sections: dict[str, str] = {}
    for label, end in zip(labels, ends, strict=False):
        name = (label["heading"] or label["bold"] or label["word"]).casefold()
        for key in ("hypothesis", "workflow"):
            if re.search(rf"\b{key}\b", name) and not sections.get(key):
                sections[key] = text[label.end() : end].strip()
    return sections


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_plain, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
