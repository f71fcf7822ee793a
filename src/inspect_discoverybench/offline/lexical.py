"""`discoverybench/lexical`: a judge that answers the judge's questions by comparing words (§4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.provider import Request
from inspect_discoverybench.submission.answer import is_placeholder

SIGNATURE = "lexical judge (not a language model)"

CLAIM_EXPLANATION = f"{SIGNATURE}: it does not read the hypothesis, but counts the columns that it names"

EQUIVALENT_SHARE = 0.65
SIMILAR_SHARE = 0.4
"""Shares of the gold hypothesis's words that the prediction must have for the answers A and B about the relationship.

Two contexts match if the predicted one has the share for B. The values are a choice of this package."""

MENTIONED_SHARE = 0.5
"""A column is mentioned if a text has more than this share of the words of its name."""

Values = Mapping[str, Any]

_WORD = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")


def reply(request: Request) -> ChatMessageAssistant:
    """Answer a question of the judge in the format that the question asks for.

    Identical hypotheses get full marks; other scores say little about a hypothesis.
    """
    question, values = request.question()
    for key, rule in _RULES.items():
        if f'"{key}":' in question:
            explanation = CLAIM_EXPLANATION if key == "claim" else SIGNATURE
            answer = {**rule(values), "explanation": explanation}
            return ChatMessageAssistant(content=json.dumps(answer))
    return ChatMessageAssistant(content=f"{SIGNATURE}: the messages contain none of the judge's questions.")


def _stems(text: str) -> set[str]:
    """Beginnings of the longer words, and the numbers. Names of columns are split at underscores."""
    return {word[:5].casefold() for word in _WORD.findall(text)}


def _overlap(text: str, other: str) -> float:
    """The share of the words of a text that are in another one; 1 for identical texts, even without words."""
    if text == other:
        return 1.0
    stems = _stems(text)
    common = stems & _stems(other)
    return len(common) / max(1, len(stems))


def _quote(values: Values) -> Values:
    """Quote the whole text, unless it is a placeholder or a question."""
    text = values["text"].strip()
    is_hypothesis = not is_placeholder(text) and not text.endswith("?")
    return {
        "asserted": is_hypothesis,
        "hypothesis": [text] if is_hypothesis else [],
        "workflow": [],
    }


def _extract(values: Values) -> Values:
    """The context is the text before the first comma, as in the hypotheses of the demo.

    Without a comma, it is `None`, the paper's word for no context.
    """
    text = values["hypothesis"]
    context, comma, _ = text.partition(", ")
    if not comma:
        context = "None"
    parts = [{"text": text, "context": context}]
    # The question in the paper's form asks for the key `hypothesis`, and the one in the released form for `sub_hypo`.
    return {"hypothesis": parts, "sub_hypo": parts}


def _match(values: Values) -> Values:
    share = _overlap(values["gold_context"], values["predicted_context"])
    return {"match": share >= SIMILAR_SHARE}


def _variables(values: Values) -> Values:
    """Count the columns that each hypothesis mentions."""
    names = _columns(values)
    gold = _mentioned(names, values["HypoA"])
    predicted = _mentioned(names, values["HypoB"])
    return {
        "sizeA": len(gold),
        "sizeB": len(predicted),
        "intersection": len(gold & predicted),
    }


def _columns(values: Values) -> set[str]:
    names: set[str] = set()
    for file in values["datasets"]:
        names |= {column["name"] for column in file["columns"]}
    return names


def _mentioned(names: Iterable[str], text: str) -> set[str]:
    """The columns that a text mentions.

    A hypothesis has at least one variable. So if a text mentions no column, the text itself stands for its variable.
    """
    mentioned = {name for name in names if _overlap(name, text) > MENTIONED_SHARE}
    return mentioned or {text}


def _relationship(values: Values) -> Values:
    share = _overlap(values["HypoA"], values["HypoB"])
    if share >= EQUIVALENT_SHARE:
        return {"answer": "A"}
    if share >= SIMILAR_SHARE:
        return {"answer": "B"}
    return {"answer": "C"}


def _claim(values: Values) -> Values:
    """A text that names two columns counts as a claim. This rule does not read what the text says about them."""
    return {"claim": len(_mentioned(_columns(values), values["hypothesis"])) > 1}


_RULES: Mapping[str, Callable[[Values], Values]] = {
    "asserted": _quote,
    "claim": _claim,
    "sub_hypo": _extract,
    "match": _match,
    "sizeA": _variables,
    "answer": _relationship,
    "hypothesis": _extract,
}
"""The rule for each question of the judge, by a key of the JSON object that the question asks for.

A question is recognized by the first key of this table that it contains. So the key of one rule must not be in the
questions of the rules below it.
"""
