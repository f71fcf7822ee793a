"""`discoverybench/lexical`: the judge's questions answered by rules (paper §4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.tool import ToolInfo

from inspect_discoverybench.offline.relation import compare_relations
from inspect_discoverybench.offline.turn import Turn
from inspect_discoverybench.offline.words import content_stems, context_phrases, folded, numbers, stems

_SIGNATURE = "lexical judge (no language model)"
_FENCE = "```json"
_GENERIC = frozenset(
    stems(
        "mean average total number count value index score level year site name type day "
        "mm cm m km g kg t ml l ha ms s min h c percent pct usd"
    )
)
"""Stems that many columns share, and units; alone they do not tell that a column is meant."""


class Lexical:
    """A judge made of rules; it is no language model.

    It answers the judge's four questions by the words, numbers and directions that two texts share,
    so that a run needs neither a network nor a key. Its scores show that the parts work together;
    they say little about meaning. The same two texts always give full marks.
    """

    def reply(self, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo]) -> Turn:
        """Answer the last question of the judge, also when it is asked again after a rejected reply."""
        for message in reversed(messages):
            if isinstance(message, ChatMessageUser) and (asked := _read_question(message.text)):
                answer, values = asked
                return Turn(text=json.dumps(answer(values), ensure_ascii=False))
        return Turn(text=f"{_SIGNATURE}: none of the judge's questions stands in these messages.")


def _read_question(text: str) -> "tuple[Callable[[dict[str, Any]], dict[str, Any]], dict[str, Any]] | None":
    """The rule that answers a question and the values in its first JSON block, if it is one of ours."""
    before, fence, after = text.partition(_FENCE)
    if not fence:
        return None
    after = after.lstrip()
    try:
        values, end = json.JSONDecoder().raw_decode(after)
    except json.JSONDecodeError:
        return None
    # The values are data: a sentence inside them never decides what is asked.
    asked = before + after[end:]
    for sentence, answer in _ANSWERS.items():
        if sentence in asked and isinstance(values, dict):
            return answer, values
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _extract_context(values: dict[str, Any]) -> dict[str, Any]:
    hypothesis = _text(values.get("hypothesis"))
    phrases = context_phrases(hypothesis)
    part = {
        "text": hypothesis,
        "context": "; ".join(phrases) or "None",
        "explanation": f"{_SIGNATURE}: {len(phrases)} phrases that limit the hypothesis were found by rule",
    }
    return {"hypothesis": [part]}


def _match_context(values: dict[str, Any]) -> dict[str, Any]:
    gold, predicted = _text(values.get("gold_context")), _text(values.get("predicted_context"))
    match, reason = _contexts_agree(gold, predicted)
    return {"match": match, "explanation": f"{_SIGNATURE}: {reason}"}


def _contexts_agree(gold: str, predicted: str) -> tuple[bool, str]:
    if folded(gold) == folded(predicted):
        return True, "same text"
    if "none" in (folded(gold), folded(predicted)):
        return False, "only one of the two has a context"
    gold_words, predicted_words = set(content_stems(gold)), set(content_stems(predicted))
    shared = gold_words & predicted_words
    smaller = min(len(gold_words), len(predicted_words))
    gold_numbers, predicted_numbers = set(numbers(gold)), set(numbers(predicted))
    if gold_numbers and predicted_numbers and not gold_numbers & predicted_numbers:
        return False, "they name different numbers"
    share = len(shared) / smaller if smaller else 0.0
    return share >= 0.5, f"{len(shared)} of {smaller} content words of the shorter context are in both"


def _variables(values: dict[str, Any]) -> dict[str, Any]:
    texts = [_text(values.get(name)) for name in ("HypoA", "HypoB")]
    columns = dict(_columns(values.get("datasets")))
    found = [{name for name, about in columns.items() if _mentions(text, name, about)} for text in texts]
    kind = "columns"
    if not all(found):
        kind = "content words"
        found = [set(content_stems(text)) or {folded(text)} for text in texts]
    both = found[0] & found[1]
    return {
        "sizeA": len(found[0]),
        "sizeB": len(found[1]),
        "intersection": len(both),
        "explanation": f"{_SIGNATURE}: {kind} named by both: {', '.join(sorted(both)[:20]) or 'none'}",
    }


def _columns(value: Any) -> Iterator[tuple[str, str]]:
    """Every (name, description) of a column anywhere in the description of the data."""
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
            yield from ((name, _text(about)) for name, about in value["columns"].items())
        else:
            yield from _columns([value.get(key) for key in ("columns", "raw", "datasets")])


def _mentions(text: str, name: str, description: str) -> bool:
    """Whether a text speaks of a column: most words of its name, or most of its description."""
    if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return True
    said = set(content_stems(text))
    named = set(content_stems(name))
    telling = (named - _GENERIC) or named
    if telling and len(telling & said) / len(telling) > 0.6:
        return True
    described = set(content_stems(description)) - _GENERIC
    return len(described) >= 2 and len(described & said) / len(described) >= 0.7


def _relationship(values: dict[str, Any]) -> dict[str, Any]:
    answer, reason = compare_relations(_text(values.get("HypoA")), _text(values.get("HypoB")))
    return {"answer": answer, "explanation": f"{_SIGNATURE}: {reason}"}


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "your task is to extract the context present in the hypothesis": _extract_context,
    "your task is to determine if the predicted context semantically matches": _match_context,
    "what are the different variables found in the hypotheses?": _variables,
    "Does HypoB exhibit the same relation as HypoA?": _relationship,
}
"""The sentence by which each question is known, and its rule."""
