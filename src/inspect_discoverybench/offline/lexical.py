"""`discoverybench/lexical`: a rule-based judge that answers the judge's questions (§4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

from inspect_discoverybench.answer import is_placeholder
from inspect_discoverybench.offline.relation import compare_relations
from inspect_discoverybench.offline.request import Request
from inspect_discoverybench.offline.words import content_stems, context_phrases, numbers
from inspect_discoverybench.text import fold

_SIGNATURE = "lexical judge (not a language model)"
_FENCE = "```json"
Rule = Callable[[dict[str, Any]], dict[str, Any]]
"""Function from the values in a question to the reply."""

_LABELLED = re.compile(
    r"^[\W_]*(?:\w+ ){0,2}hypothesis\b[^:\n]{0,30}:[*_\"'\s]*([^\n]*[^\n\"',}])", re.IGNORECASE | re.MULTILINE
)
_WORKFLOW = re.compile(r"^[\W_]*workflow\b[^:\n]{0,30}:[*_\"'\s]*([^\n\"]+)", re.IGNORECASE | re.MULTILINE)
_ANNOUNCEMENT = re.compile(
    r"\W*(?:(?:i|we)(?: will|['\u2019]ll| could not| am (?:un|not )able| need| have submitted"
    r"| can(?:not|['\u2019]t) (?:help|do|determine|answer|provide|assist))|let |sorry|please|i['\u2019]m sorry)\b",
    re.IGNORECASE,
)

_GENERIC = frozenset(
    content_stems(
        "mean average total number count value index score level year site name type day "
        "mm cm m km g kg t ml l ha ms s min h c percent pct usd"
    )
)
"""Stems that many column names share, and units. They do not identify a column."""


def reply(request: Request) -> ChatMessageAssistant:
    """Answer the judge's latest question by comparing the words, numbers and directions of two texts.

    The lexical judge is not a language model. Its scores show that an evaluation works from end to end, not how good a
    hypothesis is. Identical texts always get full marks.
    """
    # After an invalid reply, the latest message has only the validation error; the question is in an earlier message.
    for message in reversed(request.messages):
        if isinstance(message, ChatMessageUser) and (question := _read_question(message.text)):
            rule, values = question
            return ChatMessageAssistant(content=json.dumps(rule(values), ensure_ascii=False))
    return ChatMessageAssistant(content=f"{_SIGNATURE}: the messages contain none of the judge's questions.")


def _read_question(text: str) -> tuple[Rule, dict[str, Any]] | None:
    """The rule for a question, and the values in its first JSON block; None if it is not a question of the judge."""
    before, fence, after = text.partition(_FENCE)
    if not fence:
        return None
    after = after.lstrip()
    try:
        values, end = json.JSONDecoder().raw_decode(after)
    except json.JSONDecodeError:
        return None
    # Values are data: a sentence in them must not select the rule.
    wording = before + after[end:]
    for sentence, rule in _RULES.items():
        if sentence in wording and isinstance(values, dict):
            return rule, values
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _extract_context(values: dict[str, Any]) -> dict[str, Any]:
    hypothesis = _text(values.get("hypothesis"))
    phrases = context_phrases(hypothesis)
    part = {
        "text": hypothesis,
        "context": "; ".join(phrases) or "None",
        "explanation": f"{_SIGNATURE}: {len(phrases)} context phrases extracted by rule",
    }
    return {"hypothesis": [part]}


def _split(values: dict[str, Any]) -> dict[str, Any]:
    return {"sub_hypo": _extract_context(values)["hypothesis"]}


def _match_context(values: dict[str, Any]) -> dict[str, Any]:
    gold, predicted = _text(values.get("gold_context")), _text(values.get("predicted_context"))
    match, reason = _contexts_agree(gold, predicted)
    return {"match": match, "explanation": f"{_SIGNATURE}: {reason}"}


def _contexts_agree(gold: str, predicted: str) -> tuple[bool, str]:
    if fold(gold) == fold(predicted):
        return True, "same text"
    if "none" in (fold(gold), fold(predicted)):
        return False, "only one of the two has a context"
    gold_words, predicted_words = set(content_stems(gold)), set(content_stems(predicted))
    shared = gold_words & predicted_words
    smaller = min(len(gold_words), len(predicted_words))
    gold_numbers, predicted_numbers = set(numbers(gold)), set(numbers(predicted))
    if gold_numbers and predicted_numbers and not gold_numbers & predicted_numbers:
        return False, "the numbers differ"
    share = len(shared) / smaller if smaller else 0.0
    return share >= 0.5, f"{len(shared)} of {smaller} content words of the shorter context are in both"


def _variables(values: dict[str, Any]) -> dict[str, Any]:
    texts = [_text(values.get(name)) for name in ("HypoA", "HypoB")]
    columns = dict(_columns(values.get("datasets")))
    variables = [
        {name for name, description in columns.items() if _mentions(text, name, description)} for text in texts
    ]
    kind = "columns"
    if not all(variables):
        kind = "content words"
        variables = [set(content_stems(text)) or {fold(text)} for text in texts]
    both = variables[0] & variables[1]
    return {
        "sizeA": len(variables[0]),
        "sizeB": len(variables[1]),
        "intersection": len(both),
        "explanation": f"{_SIGNATURE}: {kind} named by both: {', '.join(sorted(both)[:20]) or 'none'}",
    }


def _columns(value: Any) -> Iterator[tuple[str, str]]:
    """Name and description of every column, at any depth of the dataset description."""
    if isinstance(value, str):
        for line in value.splitlines():
            name, colon, description = line.strip().removeprefix("- ").partition(": ")
            if colon:
                yield name.strip("` "), description
    elif isinstance(value, list):
        for item in value:
            yield from _columns(item)
    elif isinstance(value, dict):
        if "columns" not in value and isinstance(value.get("name"), str):
            yield value["name"], _text(value.get("description"))
        elif isinstance(value.get("columns"), dict) and "raw" not in value["columns"]:
            yield from ((name, _text(description)) for name, description in value["columns"].items())
        else:
            yield from _columns([value.get(key) for key in ("columns", "raw", "datasets")])


def _mentions(text: str, name: str, description: str) -> bool:
    """Whether a text mentions a column: its name, or most words of its name or description."""
    if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return True
    words, name_words = set(content_stems(text)), set(content_stems(name))
    specific = (name_words - _GENERIC) or name_words
    if specific and len(specific & words) / len(specific) > 0.6:
        return True
    description_words = set(content_stems(description)) - _GENERIC
    return len(description_words) >= 2 and len(description_words & words) / len(description_words) >= 0.7


def _relationship(values: dict[str, Any]) -> dict[str, Any]:
    answer, reason = compare_relations(_text(values.get("HypoA")), _text(values.get("HypoB")))
    return {"answer": answer, "explanation": f"{_SIGNATURE}: {reason}"}


def _quote_answer(values: dict[str, Any]) -> dict[str, Any]:
    """Quote the last labelled hypothesis of a text, else the text, unless it is a refusal, a plan or a question."""
    text = _text(values.get("text")).strip()
    labelled = [match[1].strip("*_ ") for match in _LABELLED.finditer(text) if content_stems(match[1])]
    announces = all(_ANNOUNCEMENT.match(sentence) for sentence in re.split(r"(?<=[.!?])\s+", text) if sentence.strip())
    asserted = bool(labelled) or not (announces or is_placeholder(text) or text.endswith("?"))
    workflow = [match[1].strip() for match in _WORKFLOW.finditer(text)][-1:]
    return {
        "asserted": asserted,
        "hypothesis": (labelled[-1:] or [text]) if asserted else [],
        "workflow": workflow if asserted else [],
        "explanation": f"{_SIGNATURE}: {'the last labelled hypothesis' if labelled else 'the whole text'}",
    }


_RULES: dict[str, Rule] = {
    "Find the hypothesis that the author of the text finally asserts": _quote_answer,
    "your task is to extract the context present in the hypothesis": _extract_context,
    "your task is to determine if the predicted context semantically matches": _match_context,
    "Split the hypothesis into its sub-hypotheses": _split,
    "Decide whether the predicted context has the same meaning": _match_context,
    "what are the different variables found in the hypotheses?": _variables,
    "Does HypoB exhibit the same relation as HypoA?": _relationship,
}
"""A sentence that identifies each question, and the rule that answers it."""
