"""`discoverybench/lexical`: a judge that answers the judge's questions by comparing words (§4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.provider import Request
from inspect_discoverybench.submission.answer import is_placeholder

SIGNATURE = "lexical judge (not a language model)"

SAME, SIMILAR = 0.65, 0.4
"""Shares of the gold hypothesis's words in the prediction for the options A and B; a choice of this package."""

MOST = 0.5
"""A column is mentioned if a text has more than this share of the words of its name."""

Values = Mapping[str, Any]

_WORD = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")


def reply(request: Request) -> ChatMessageAssistant:
    """Answer a question in its contract.

    Identical hypotheses get full marks; other scores say little about a hypothesis.
    """
    question, values = request.question()
    for key, rule in _RULES.items():
        if f'"{key}":' in question:
            answer = rule(values) | {"explanation": SIGNATURE}
            return ChatMessageAssistant(content=json.dumps(answer, ensure_ascii=False))
    return ChatMessageAssistant(content=f"{SIGNATURE}: the messages contain none of the judge's questions.")


def stems(text: str) -> set[str]:
    """Beginnings of the longer words, and the numbers. Names of columns are split at underscores."""
    return {word[:5].casefold() for word in _WORD.findall(text)}


def _overlap(gold: str, predicted: str) -> float:
    """The share of the words of a text that another one has."""
    if gold == predicted:
        return 1.0
    words = stems(gold)
    return len(words & stems(predicted)) / max(1, len(words))


def _quote(values: Values) -> dict[str, Any]:
    """Quote the whole text, unless it is a placeholder or a question."""
    text = values["text"].strip()
    if is_placeholder(text) or text.endswith("?"):
        return {"asserted": False, "hypothesis": [], "workflow": []}
    return {"asserted": True, "hypothesis": [text], "workflow": []}


def _extract(values: Values) -> dict[str, Any]:
    """The context is what stands before the first comma, as in the hypotheses of the demo."""
    text = values["hypothesis"]
    clause, comma, _ = text.partition(", ")
    part = {"text": text, "context": clause if comma else "None"}
    return {"hypothesis": [part], "sub_hypo": [part]}


def _match(values: Values) -> dict[str, Any]:
    return {"match": _overlap(values["gold_context"], values["predicted_context"]) >= SIMILAR}


def _variables(values: Values) -> dict[str, Any]:
    """Count the columns that each hypothesis mentions."""
    gold = _mentioned(values["HypoA"], values)
    predicted = _mentioned(values["HypoB"], values)
    return {"sizeA": len(gold), "sizeB": len(predicted), "intersection": len(gold & predicted)}


def _mentioned(text: str, values: Values) -> set[str]:
    """The columns that a text mentions; the text itself if it mentions none, because a hypothesis has a variable."""
    names: set[str] = set()
    for file in values["datasets"]:
        names |= {column["name"] for column in file["columns"]}
    return {name for name in names if _overlap(name, text) > MOST} or {text}


def _relationship(values: Values) -> dict[str, Any]:
    share = _overlap(values["HypoA"], values["HypoB"])
    if share >= SAME:
        return {"answer": "A"}
    return {"answer": "B" if share >= SIMILAR else "C"}


_RULES: Mapping[str, Callable[[Values], dict[str, Any]]] = {
    "asserted": _quote,
    "sub_hypo": _extract,
    "match": _match,
    "sizeA": _variables,
    "answer": _relationship,
    "hypothesis": _extract,
}
"""A key that the contract of each question has, but none of the later ones, and the rule for its answer."""
