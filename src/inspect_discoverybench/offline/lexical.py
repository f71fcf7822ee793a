"""`discoverybench/lexical`: a rule-based judge that answers the judge's questions (§4.3, appendix F)."""

import json
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import yaml
from inspect_ai.model import ChatMessageAssistant

from inspect_discoverybench.offline.provider import Request
from inspect_discoverybench.submission.answer import is_placeholder
from inspect_discoverybench.submission.text import normalize_case_and_spaces

_WORDS: Mapping[str, Any] = yaml.safe_load(files(__package__).joinpath("lexical_words.yaml").read_text("utf-8"))
_STOP_WORDS = frozenset(_WORDS["stop_words"].split())

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBER = re.compile(r"(?<![\w.])[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|ing|ed|es|(?<!s)s|ly|e)$")

_END = r"(?=,(?!\d)|[;:()!?]|\.(?:\s|$)|$"
_YEAR = r"(?:(?:1\d|20)\d\d\b(?:\s*(?:BCE?|CE|AD)\b)?|\d{3,4}\s*(?:BCE?|CE|AD)\b)"
_CONTEXTS = (
    # The start of a sentence up to its first comma.
    r"(?:(?<=[.!?]\s)|^\s*)(?!for (?:each|every|an? additional)\b)(?:among|within|during|throughout|across|for|in|at|"
    r"on|over|from|between|when|where|if|after|before|since|until|under|only|around)\b[^.!?]+?(?=,\s)",
    rf"\b(?:when(?:ever)?|where|if|only (?:in|for|among|within|during|at|on|above|below))\s+.+?{_END})",
    rf"\b(?:among|within|during|throughout|across)\s+(?!each\b|every\b|one\b|an?\b).+?{_END}|\s(?:is|are|was|were|has|"
    r"have|does|do|by|with|than|but|(?:in|de)creases?|rises?|falls?|depends?|var(?:y|ies)|differs?|when|where|if)\b)",
    rf"\b(?:from|between|in|since|during|after|before|until|around)\s+(?:the\s+)?(?:years?\s+)?{_YEAR}"
    rf"(?:\s*(?:to|and|until|through|-|–)\s*{_YEAR})?",
    r"\bin\s+(?:the\s+)?(?-i:[A-Z])[\w'’-]+(?:\s+(?:of\s+|and\s+)?(?-i:[A-Z])[\w'’-]+)*",
)
"""Phrases that limit a statement to a group, condition, period or place."""


def content_stems(text: str) -> set[str]:
    """Approximate stems of the words, without stop words and single letters. `snake_case` names are split."""
    words = (word.lower() for word in _WORD.findall(text) if len(word) > 1 or word.isdigit())
    return {_ENDING.sub("", word) for word in words if word not in _STOP_WORDS}


def numbers(text: str) -> list[float]:
    """The numbers in order, except those that are part of a word. `1,200` is one number."""
    return [float(number.replace(",", "").replace("−", "-")) for number in _NUMBER.findall(text)]


def context_phrases(text: str) -> list[str]:
    """Phrases that limit a statement, in order. Of overlapping phrases, only the first counts."""
    found = [match.span() for rule in _CONTEXTS for match in re.finditer(rule, text, re.IGNORECASE | re.DOTALL)]
    phrases, end = [], 0
    for start, stop in sorted(found, key=lambda span: (span[0], -span[1])):
        if start >= end:
            phrases.append(" ".join(text[start:stop].split()).rstrip(".?! "))
            end = stop
    return list(dict.fromkeys(filter(None, phrases)))


_SIGNATURE = "lexical judge (not a language model)"
_GENERIC = content_stems(_WORDS["generic"])

Values = Mapping[str, Any]


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
    if normalize_case_and_spaces(gold) == normalize_case_and_spaces(predicted):
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
        kind, named = "content words", [content_stems(text) or {normalize_case_and_spaces(text)} for text in texts]
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
    """Compare words and numbers: A for most of the gold hypothesis in the prediction, B for half, C for less."""
    gold, predicted = values["HypoA"], values["HypoB"]
    if normalize_case_and_spaces(gold) == normalize_case_and_spaces(predicted):
        return {"answer": "A"}, "same text"
    words, sizes = ([reader(text) for text in (gold, predicted)] for reader in (content_stems, _sizes))
    shared = len(words[0] & words[1]) + len(sizes[0] & sizes[1])
    total = max(1, len(words[0] | sizes[0]))
    answer = "A" if shared >= 0.8 * total else "B" if shared >= 0.5 * total else "C"
    return {"answer": answer}, f"{shared} of {total} words and numbers of the gold hypothesis are in both"


def _sizes(text: str) -> set[str]:
    """The numbers in a text, without signs, with two digits."""
    return {f"{abs(number):.1e}" for number in numbers(text)}


def _quote_answer(values: Values) -> tuple[dict[str, Any], str]:
    """Quote the whole text, unless it is a placeholder or a question."""
    text = values["text"].strip()
    asserted = not (is_placeholder(text) or text.endswith("?"))
    return {"asserted": asserted, "hypothesis": [text] * asserted, "workflow": []}, "the text is quoted as a whole"


_RULES: dict[str, Callable[[Values], tuple[dict[str, Any], str]]] = {
    "Find the hypothesis that the author of the text finally asserts": _quote_answer,
    "your task is to extract the context present in the hypothesis": _extract_context,
    "your task is to determine if the predicted context semantically matches": _match_context,
    "State three dimensions that define the hypothesis": _extract_context,
    "Decide whether the predicted context has the same meaning": _match_context,
    "what are the different variables found in the hypotheses?": _variables,
    "Does HypoB exhibit the same relation as HypoA?": _relationship,
}
"""A sentence that identifies each question, and the function from its values to the reply and its explanation."""
