"""Reads an agent's answer: a submission, or a text from which the judge must quote the hypothesis.

Code reads structure only. Two clean forms are parsed here: one JSON object, and the two labels of the task text. Any
other text is put to the judge (`scorer/quotation.py`), because only a language model can tell which hypothesis its
author asserts, if any.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.solver import TaskState
from inspect_ai.tool import ToolCall

from inspect_discoverybench.errors.exceptions import ReplyMissing
from inspect_discoverybench.replies import replace_surrogates
from inspect_discoverybench.submission.submission import Source, Submission, SubmissionState

HYPOTHESIS, WORKFLOW = "hypothesis", "workflow"
SUBMIT, PYTHON = "submit", "python"

PLACEHOLDERS = frozenset(
    {"", "n/a", "na", "none", "null", "tbd", "see above", "hypothesis", "your hypothesis", "string"}
)
"""Values in place of a hypothesis, in lower case and without punctuation at the ends."""

_MAX_CANDIDATES = 20
_TAG_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_REASONING = re.compile(
    rf"(?P<open><(?:{_TAG_NAMES})(?:\s[^<>]*)?>|\[THINK\]|◁think▷)"
    rf"|(?P<close></(?:{_TAG_NAMES})\s*>|\[/THINK\]|◁/think▷"
    r"|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_END_OF_TURN = re.compile(r"<\|(?:eot_id|eom_id|im_end|end|return|endoftext|end_of_text)\|>|</s>")
_KEY = re.compile(r'"\s*hypothesis\s*"\s*:', re.IGNORECASE)
_CLOSING_TAG = re.compile(r"</[\w:.-]{1,40}>\Z")
_MAX_CLOSING_MARKS = 5
_WORD = re.compile(r"\w")
_QUOTATION = re.compile(r"^[ \t]*>[> \t]*", re.MULTILINE)
_ITEM = re.compile(r"\A[ \t]*(?:[-*+•]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+")
_RULE = re.compile(r"([-*_=])\1{2,}")
_MARKED_NAME = re.compile(
    r"(?P<mark>[*_]{1,3}|`)(?P<name>[^*_`:\uff1a]{1,60})(?:[:\uff1a]\s?(?P=mark)|(?P=mark)\s?(?:[:\uff1a]|$))(?P<rest>.*)"
)
_NAME = re.compile(r"(?P<mark>[*_]{0,3})(?P<name>[^\W\d_][^:\uff1a*_`|]{0,60})(?:\uff1a|:(?=\s|$))(?P<rest>.*)")
_INNER_LABEL = re.compile(r"(\*\*|__)[^*_:\n]{1,60}(?::\1|\1:)")
_MAX_NAME_WORDS = 6


@dataclass(frozen=True)
class FreeText:
    """A text that may contain an answer, but not in a clean form.

    Attributes:
        text: What the agent wrote, without reasoning.
        earlier: The answer in the last call before the text, such as one of another agent's submit tool. It counts if
            the text itself asserts no hypothesis, as in "I have submitted it.".
    """

    text: str
    earlier: "Submission | FreeText | None" = None


Answer = Submission | FreeText


def answer_of(sample: TaskState | EvalSample) -> Answer | None:
    """Find the answer of a sample; None if there is none.

    An accepted call of `submit` is the answer. Otherwise it is what the model wrote instead of a forced call, or what
    the agent of another package left: the completion that it set, the text after the last tool result, the arguments
    of the call that ended the run, or its last text.

    Raises:
        ReplyMissing: The provider's last reply has no choices.
    """
    state = sample.store_as(SubmissionState)
    if state.submission is not None:
        return state.submission
    if state.texts is not None:
        return (read(state.texts[-1]) or _free("\n\n".join(state.texts))) if state.texts else None
    output = sample.output
    # Inspect sets time and usage on the outputs of providers, but not on those of solvers.
    if not output.choices and not output.completion and (output.time, output.usage) != (None, None):
        raise ReplyMissing(f"The agent's model {output.model} failed: its last reply has no choices.")
    return _other_agents_answer(sample)


def read(text: str) -> Submission | None:
    """Parse a clean form; None if the text has none.

    The clean forms are one JSON object with the key `hypothesis` and nothing after it; and the labels "Hypothesis" and
    "Workflow", once each and in this order, each with text, and with no other label, heading or paragraph after them.
    Takes time proportional to the length of the text and raises no error.
    """
    answer = without_reasoning(text).replace("\r\n", "\n").replace("\u00a0", " ")
    return _read_object(answer) or _read_labels(answer)


def without_reasoning(text: str) -> str:
    """The text outside of reasoning tags, without end-of-turn tokens and byte-order marks.

    A closing tag without an opening tag ends reasoning that starts with the text. The text after a tag that is never
    closed is kept, because some models write their answer there.
    """
    parts: list[str] = []
    depth = position = 0
    for tag in _REASONING.finditer(text):
        if tag["open"]:
            if depth == 0:
                parts.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            parts.clear()
        else:
            depth -= 1
        position = tag.end()
    # If reasoning is opened twice and closed once, it ends at the closing tag.
    return _END_OF_TURN.sub("", "".join([*parts, text[position:]])).replace("\ufeff", "").strip()


def is_placeholder(hypothesis: str) -> bool:
    """Whether a text is plainly no hypothesis, such as an empty one, "N/A", `<hypothesis>` or "See above."."""
    plain = hypothesis.casefold().strip(" \t\n.…:;!*_`\"'")
    in_brackets = len(plain) <= 80 and re.fullmatch(r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}", plain)
    return plain in PLACEHOLDERS or bool(in_brackets) or not _WORD.search(plain)


def is_submit(call: ToolCall) -> bool:
    """Whether a tool call is a call of `submit`. Models also write `Submit` or `functions.submit`."""
    return call.function.rpartition(".")[2].casefold() == SUBMIT


def arguments_as_text(arguments: Mapping[str, Any]) -> dict[str, str] | None:
    """The hypothesis and the workflow among arguments or JSON values, as text; None if there is no hypothesis.

    Keys may be capitalised, and values may be null, lists, mappings, or a JSON object that holds both again.
    """
    values = {str(key).strip().casefold(): value for key, value in arguments.items()}
    if HYPOTHESIS not in values:
        return None
    inner = {str(key).strip().casefold(): value for key, value in _mapping(values[HYPOTHESIS]).items()}
    values |= inner if HYPOTHESIS in inner else {}
    return {name: _as_text(values.get(name)) for name in (HYPOTHESIS, WORKFLOW)}


def _as_text(value: Any, depth: int = 20) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case Mapping() if depth:
            parts = {key: _as_text(part, depth - 1).replace("\n", ", ") for key, part in value.items()}
            return "\n".join(f"{key}: {text}" for key, text in parts.items())
        case list() | tuple() if depth:
            return "\n".join(filter(None, (_as_text(part, depth - 1) for part in value)))
    return str(value) if isinstance(value, bool | int | float) else ""


def _other_agents_answer(sample: TaskState | EvalSample) -> Answer | None:
    output, messages = sample.output, sample.messages
    final = [output.message] if output.choices else []
    kept = next((message for message in reversed(messages) if final and message.id == final[0].id), None)
    completion = output.completion.strip()
    if completion and (kept is None or kept.text.strip() != completion):
        return read(completion) or _free(completion, _from_calls(final))
    written = [
        message for message in messages if isinstance(message, ChatMessageAssistant) and message.source != "input"
    ]
    written += final if kept is None else []
    callers = [message for message in written if message.tool_calls]
    results = [index for index, message in enumerate(messages) if isinstance(message, ChatMessageTool)]
    later = {id(message) for message in messages[results[-1] + 1 if results else 0 :]}
    last_texts = [message.text for message in written if id(message) in later and message.text.strip()]
    if not last_texts or written[-1].tool_calls:
        texts = last_texts or [message.text for message in written if message.text.strip()][-1:]
        return _from_calls(written[-1:], texts) or _from_results(messages[results[-1] :] if results else [])
    text = "\n\n".join(last_texts)
    # Inspect's agents remove the call of a submit tool from the conversation, but not from the output.
    return read(text) or _free(text, _from_calls(callers[-1:] or final))


def _from_calls(messages: Sequence[ChatMessageAssistant], texts: Sequence[str] = ()) -> Answer | None:
    """Read the calls of messages, whose tools may have any name, and the texts beside them."""
    calls = [call for message in messages for call in message.tool_calls or [] if call.function != PYTHON]
    arguments = [_as_text([*call.arguments.values()]) for call in calls]
    for call, argument in zip(reversed(calls), reversed(arguments), strict=True):
        answer = _submission(arguments_as_text(call.arguments)) or read(argument)
        if answer is not None:
            return answer
    text = "\n\n".join([*texts, *arguments])
    return read(text) or _free(text)


def _from_results(messages: Sequence[ChatMessage]) -> Answer | None:
    """Read the result of a last call without arguments, which ended the run."""
    texts = [m.text for m in messages if isinstance(m, ChatMessageTool) and m.function != PYTHON and m.error is None]
    return (read(texts[-1]) or _free(texts[-1])) if texts else None


def _free(text: str, earlier: Answer | None = None) -> FreeText | None:
    text = replace_surrogates(without_reasoning(text))
    return FreeText(text, earlier) if _WORD.search(text) else None


def _submission(texts: Mapping[str, str] | None, source: Source = "object") -> Submission | None:
    if texts is None or is_placeholder(texts[HYPOTHESIS]):
        return None
    return Submission.truncated(texts[HYPOTHESIS], texts[WORKFLOW], source)


def _read_object(text: str) -> Submission | None:
    """Parse the JSON object at the end of a text, which may also be the argument of a call, as in `submit({…})`."""
    keys = list(_KEY.finditer(text))
    body = _without_closing_marks(text)
    if body.endswith(")") and re.search(rf"\b{SUBMIT}\s*\(", text):
        body = body[:-1].rstrip()
    # A second hypothesis, in or beside the object, leaves open which of them is asserted.
    if len(keys) != 1 or not body.endswith("}") or _names_another(text[: keys[0].start()].split("\n")[:-1]):
        return None
    start = keys[0].start()
    for _ in range(_MAX_CANDIDATES):
        if (start := body.rfind("{", 0, start)) < 0:
            break
        value = _parse_object(body[start:])
        if value is not None:
            calls = (_mapping(value.get(key)) for key in ("arguments", "parameters", "input"))
            texts = next(filter(None, map(arguments_as_text, (value, *calls))), None)
            names = [key.strip().casefold() for key, part in value.items() if isinstance(part, str)]
            later = names[names.index(HYPOTHESIS) + 1 :] if HYPOTHESIS in names else []
            # Another text after it, such as a conclusion, may take the hypothesis back.
            return _submission(texts) if {*later} <= {WORKFLOW} else None
    return None


def _without_closing_marks(text: str) -> str:
    """A text without the closing fences and tags at its end."""
    for _ in range(_MAX_CLOSING_MARKS):
        text = text.rstrip().removesuffix("```")
        if _CLOSING_TAG.search(text[-43:]):
            text = text[: text.rindex("</")]
    return text.rstrip()


def _mapping(value: Any) -> Mapping[str, Any]:
    value = _parse_object(value) if isinstance(value, str) else value
    return value if isinstance(value, Mapping) else {}


def _parse_object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text, strict=False)  # raw line ends in strings are accepted
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


@dataclass(frozen=True)
class _Label:
    """A label or heading: the number of its line, its name in lower case, and the text after it on the line."""

    line: int
    name: str
    rest: str


def _read_labels(text: str) -> Submission | None:
    lines = _QUOTATION.sub("", text).split("\n")
    labels = list(_labels(lines))
    names = [label.name for label in labels]
    if names[-2:] != [HYPOTHESIS, WORKFLOW] or WORKFLOW in names[:-1] or _names_another(lines[: labels[-2].line]):
        return None
    hypothesis, workflow = labels[-2:]
    steps = [workflow.rest, *lines[workflow.line + 1 :]]
    texts = {
        HYPOTHESIS: _join([hypothesis.rest, *lines[hypothesis.line + 1 : workflow.line]]),
        WORKFLOW: _join(steps),
    }
    if not texts[WORKFLOW] or "```" in texts[HYPOTHESIS] or not _is_one_block(steps):
        return None
    return _submission(texts, "labels")


def _names_another(lines: Sequence[str]) -> bool:
    """Whether any label in the lines names a hypothesis and has a text of its own."""
    labels = [*_labels(lines), _Label(len(lines), "", "")]
    return any(
        HYPOTHESIS[:-2] in label.name
        and (
            label.rest
            or any(_WORD.search(line) and "```" not in line for line in lines[label.line + 1 : following.line])
        )
        for label, following in pairwise(labels)
    )


def _labels(lines: Sequence[str]) -> Iterator[_Label]:
    """Yield the labels in lines: headings, names in bold, names before a colon, and names alone on a line."""
    for number, line in enumerate(lines):
        body = _ITEM.sub("", line).strip()
        is_heading = body.startswith("#") or _underlines(line, lines[number + 1 : number + 2])
        if is_heading:
            body = _ITEM.sub("", body.strip("# \t"))
        match = _MARKED_NAME.match(body) or _NAME.match(body)
        if match is not None and (
            is_heading
            or (len(match["name"].split()) <= _MAX_NAME_WORDS and not match["name"].rstrip().endswith((".", "!", "?")))
        ):
            mark, rest = match["mark"], match["rest"].strip()
            # Markup around both the label and its text.
            is_open = mark and mark not in body[len(mark) : match.start("rest")]
            yield _Label(number, match["name"].strip().casefold(), rest.removesuffix(mark) if is_open else rest)
        elif is_heading or body.casefold() in {HYPOTHESIS, WORKFLOW}:
            yield _Label(number, body.casefold(), "")


def _underlines(line: str, next_lines: Sequence[str]) -> bool:
    return bool(line.strip()) and any(_RULE.fullmatch(below.replace(" ", "")) for below in next_lines)


def _is_one_block(lines: Sequence[str]) -> bool:
    """Whether lines are one line of text, one list, or both without a gap, so that no closing remark can follow."""
    content = [line.strip() and line.rstrip() for line in lines if not _RULE.fullmatch(line.replace(" ", ""))]
    text = "\n".join(content).strip()
    has_list = _ITEM.match(text) is not None
    for before, line in pairwise(text.split("\n")):
        is_item, after_gap = _ITEM.match(line), not before
        has_list = has_list or (is_item is not None and not after_gap)
        if line and not (has_list and (is_item or (line.startswith((" ", "\t")) and not after_gap))):
            return False
    return _INNER_LABEL.search(text) is None


def _join(lines: Sequence[str]) -> str:
    """The text of a section, without blank lines and horizontal rules at its ends."""
    numbers = [n for n, line in enumerate(lines) if line.strip() and not _RULE.fullmatch(line.replace(" ", ""))]
    text = "\n".join(lines[numbers[0] : numbers[-1] + 1] if numbers else []).strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2 else text
