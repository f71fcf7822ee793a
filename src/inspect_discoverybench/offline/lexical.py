"""`discoverybench/lexical`: a rule-based judge that answers the judge's questions (§4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.answer import is_placeholder
from inspect_discoverybench.offline.relation import compare_relations
from inspect_discoverybench.offline.request import Request
from inspect_discoverybench.offline.words import content_stems, context_phrases, numbers
from inspect_discoverybench.text import fold

_SIGNATURE = "lexical judge (not a language model)"
_GENERIC = content_stems(
    "mean average total number count index score level year site name type day mm cm km kg ml ha ms min percent pct usd"
)
"""Stems that many column names share, and units. They do not identify a column."""

Values = Mapping[str, Any]
Rule = Callable[[Values], tuple[dict[str, Any], str]]
"""Function from the values in a question to the reply and its explanation."""


def reply(request: Request) -> ChatMessageAssistant:
    """Answer the judge's question. Identical texts get full marks; other scores say little about a hypothesis."""
    question, values = request.question()
    for sentence, rule in _RULES.items():
        if sentence in question:
            answer, explanation = rule(values)
            answer["explanation"] = f"{_SIGNATURE}: {explanation}"
            return ChatMessageAssistant(content=json.dumps(answer, ensure_ascii=False))
    return ChatMessageAssistant(content=f"{_SIGNATURE}: the messages contain none of the judge's questions.")


def _extract_context(values: Values) -> tuple[dict[str, Any], str]:
    phrases = context_phrases(values["hypothesis"])
    reason = f"{len(phrases)} context phrases extracted by rule"
    part = {"text": values["hypothesis"], "context": "; ".join(phrases) or "None", "explanation": reason}
    return {"hypothesis": [part], "sub_hypo": [part]}, reason


def _match_context(values: Values) -> tuple[dict[str, Any], str]:
    gold, predicted = values["gold_context"], values["predicted_context"]
    if fold(gold) == fold(predicted):
        return {"match": True}, "same text"
    gold_numbers, predicted_numbers = set(numbers(gold)), set(numbers(predicted))
    if gold_numbers and predicted_numbers and not gold_numbers & predicted_numbers:
        return {"match": False}, "the numbers differ"
    gold_words, predicted_words = content_stems(gold), content_stems(predicted)
    shared, smaller = len(gold_words & predicted_words), min(len(gold_words), len(predicted_words))
    return {"match": 0 < smaller <= 2 * shared}, f"{shared} of {smaller} words of the shorter context are in both"


def _variables(values: Values) -> tuple[dict[str, Any], str]:
    texts = [values["HypoA"], values["HypoB"]]
    columns = [column for file in values["datasets"] for column in file["columns"]]
    kind = "columns"
    named = [{column["name"] for column in columns if _mentions(text, **column)} for text in texts]
    if not all(named):
        kind, named = "content words", [content_stems(text) or {fold(text)} for text in texts]
    both = named[0] & named[1]
    sizes = {"sizeA": len(named[0]), "sizeB": len(named[1]), "intersection": len(both)}
    return sizes, f"{kind} named by both: {', '.join(sorted(both)[:20]) or 'none'}"


def _mentions(text: str, name: str, description: str) -> bool:
    """Whether a text mentions a column: its name, or most words of its name or description."""
    if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return True
    words, name_words = content_stems(text), content_stems(name)
    specific, description_words = (name_words - _GENERIC) or name_words, content_stems(description) - _GENERIC
    return len(specific & words) > 0.6 * len(specific) or (
        len(description_words) >= 2 and len(description_words & words) >= 0.7 * len(description_words)
    )


def _relationship(values: Values) -> tuple[dict[str, Any], str]:
    answer, reason = compare_relations(values["HypoA"], values["HypoB"])
    return {"answer": answer}, reason


def _quote_answer(values: Values) -> tuple[dict[str, Any], str]:
    """Quote the whole text, unless it is a placeholder or a question."""
    text = values["text"].strip()
    asserted = not (is_placeholder(text) or text.endswith("?"))
    return {"asserted": asserted, "hypothesis": [text] * asserted, "workflow": []}, "the text is quoted as a whole"


_RULES: dict[str, Rule] = {
    "Find the hypothesis that the author of the text finally asserts": _quote_answer,
    "your task is to extract the context present in the hypothesis": _extract_context,
    "your task is to determine if the predicted context semantically matches": _match_context,
    "Split the hypothesis into its sub-hypotheses": _extract_context,
    "Decide whether the predicted context has the same meaning": _match_context,
    "what are the different variables found in the hypotheses?": _variables,
    "Does HypoB exhibit the same relation as HypoA?": _relationship,
}
"""A sentence that identifies each question, and the rule that answers it."""
