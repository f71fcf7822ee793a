"""Rule-based comparison of the relationships that two hypotheses state."""

import re
from dataclasses import dataclass
from typing import Literal

from inspect_discoverybench.offline.words import content_stems, context_phrases, numbers
from inspect_discoverybench.text import fold

_UP = re.compile(
    r"increas|\bris(?:e|es|ing)\b|\brose\b|\bgrow(?!th)|\bgrew\b|\bgain|higher|greater|\bmore\b|larger|longer|faster|"
    r"\bpositive|improv|enhanc|boost|surg|strengthen|\blater\b|\bheavier\b|\bolder\b|\bbetter\b|\btaller\b|\bexceeds?\b"
)
_DOWN = re.compile(
    r"decreas|declin|\bfall|\bfell\b|\bdrop|lower|\bless\b|fewer|smaller|shorter|slower|\bnegative|\binverse|reduc|"
    r"diminish|shrink|weaken|\bearlier\b|\blighter\b|\byounger\b|\bworse\b|collaps"
)
_NONE = re.compile(
    r"\bno (?:\w+ ){0,2}(?:relation|effect|differen|correlat|associat|influence|impact|link|change)|"
    r"insignificant|unrelated|independent of|not significant"
)
_NEGATED = re.compile(r"(?:\bnot|n't|n’t|\bnever|\bneither|\bnor|\bwithout|\bfails? to|\bcannot)\s+(?:\w+\s+){0,2}$")
_GENERAL = re.compile(
    r"relat|associat|correlat|depend|influenc|affect|impact|effect|differ|predict|determin|interact|link"
)
_FORMS = {
    "linear": re.compile(r"(?<!non)(?<!non-)\blinear|proportional|slope|per (?:unit|additional)|for (?:each|every)"),
    "curved": re.compile(r"quadratic|squar(?:e|ed)\b|curv|parabol|u-shaped|non-?linear|polynomial|optimum|peak"),
    "ratio": re.compile(r"\bratio\b|divided by|quotient"),
    "threshold": re.compile(r"threshold|exceed|\babove\b|\bbelow\b|\bcut-?off\b|\bstep\b"),
    "exponential": re.compile(r"exponential|logarithm|\blog\b"),
    "interaction": re.compile(r"interact|moderat|depends on|stronger|weaker|steeper"),
    "subgroup": re.compile(r"\bonly\b|\bnot among\b|\bbut not\b"),
    "difference": re.compile(r"differ|\bthan\b|compared (?:to|with)"),
}
_INCOMPATIBLE = {frozenset(pair) for pair in (("linear", "curved"), ("linear", "exponential"), ("curved", "ratio"))}
_P_VALUE = re.compile(r"\b(?:p|n|r|r2|r²|R²)\s*(?:-value)?\s*[=<>≤≥]\s*[-\d.,eE]*\d%?")

Answer = Literal["A", "B", "C"]


@dataclass(frozen=True)
class StatedRelation:
    """The relationship that a hypothesis states.

    Attributes:
        directions: `+` (increases), `-` (decreases) and `0` (no relationship).
        forms: Names of the forms that are mentioned, such as `linear` or `ratio`.
        numbers: Effect sizes: numbers without those of contexts, p-values and sample sizes.
        general: Whether any relationship is stated.
    """

    directions: frozenset[str]
    forms: frozenset[str]
    numbers: tuple[float, ...]
    general: bool

    @classmethod
    def read(cls, hypothesis: str) -> "StatedRelation":
        """Read the relationship that a hypothesis states."""
        text = fold(hypothesis)
        directions = {"0"} if _NONE.search(text) else set()
        for sign, rule in (("+", _UP), ("-", _DOWN)):
            for match in rule.finditer(text):
                before = text[max(0, match.start() - 60) : match.start()]
                directions.add("0" if _NEGATED.search(before) else sign)
        effects = _P_VALUE.sub(" ", hypothesis)
        for phrase in context_phrases(hypothesis):
            effects = effects.replace(phrase, " ") if re.search(r"\d{4}|BCE|\bCE\b", phrase) else effects
        return cls(
            directions=frozenset(directions),
            forms=frozenset(name for name, rule in _FORMS.items() if rule.search(text)),
            numbers=tuple(numbers(effects)),
            general=bool(directions or _GENERAL.search(text)),
        )


def compare_relations(gold: str, predicted: str) -> tuple[Answer, str]:
    """Judge the predicted relationship against the gold one.

    Returns:
        A (very similar), B (similar but more general) or C (different), and the reason.
    """
    if fold(gold) == fold(predicted):
        return "A", "same text"
    gold_relation, predicted_relation = StatedRelation.read(gold), StatedRelation.read(predicted)
    contradiction = _contradiction(gold_relation, predicted_relation)
    if contradiction:
        return "C", contradiction
    if not gold_relation.directions and not predicted_relation.directions and not _share_words(gold, predicted):
        return "C", "no direction and too few words in common"
    if not predicted_relation.general and not _close(gold_relation.numbers, predicted_relation.numbers):
        return "C", "no relationship is stated"
    if gold_relation.directions != predicted_relation.directions:
        return "B", "no contradiction, but not all directions agree"
    if gold_relation.numbers:
        if _close(gold_relation.numbers, predicted_relation.numbers):
            return "A", "same direction, numbers close"
        return "B", "same direction, but the numbers are missing or different"
    if gold_relation.forms - {"difference"} <= predicted_relation.forms:
        return "A", "same direction, same form"
    return "B", "same direction, but the form is not stated"


def _contradiction(gold: StatedRelation, predicted: StatedRelation) -> str:
    signs = [relation.directions & {"+", "-"} for relation in (gold, predicted)]
    for denial, other in ((gold, predicted), (predicted, gold)):
        denied = "0" in denial.directions and "0" not in other.directions
        # An additional "no effect in the other group" is not a contradiction; a denial instead of a direction is.
        if denied and other.general and (denial.directions == {"0"} or other.directions - denial.directions):
            return "one of the two denies what the other states"
    if all(signs) and not signs[0] & signs[1]:
        return "opposite directions"
    if any(
        pair <= gold.forms | predicted.forms and not pair <= gold.forms and not pair <= predicted.forms
        for pair in _INCOMPATIBLE
    ):
        return "different forms"
    return ""


def _close(gold: tuple[float, ...], predicted: tuple[float, ...]) -> bool:
    """Whether at least half of the gold numbers are within 10 % of a predicted number."""
    # Signs are ignored: "lower by 5" and "a coefficient of -5" mean the same, and directions are compared separately.
    sizes = [abs(number) for number in predicted]
    hits = sum(any(abs(abs(number) - size) <= 0.1 * abs(number) + 1e-9 for size in sizes) for number in gold)
    return bool(gold) and hits >= len(gold) / 2


def _share_words(gold: str, predicted: str) -> bool:
    gold_words, predicted_words = set(content_stems(gold)), set(content_stems(predicted))
    return len(gold_words & predicted_words) >= 0.3 * max(1, min(len(gold_words), len(predicted_words)))
