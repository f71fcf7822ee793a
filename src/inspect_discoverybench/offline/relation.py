"""Rule-based comparison of the relationships that two hypotheses state."""

import re
from typing import Literal, NamedTuple

from inspect_discoverybench.offline.words import numbers
from inspect_discoverybench.text import fold

_RULES = {
    "+": r"increas|\bris(?:e|es|ing)\b|\brose\b|\bgrow(?!th)|\bgrew\b|\bgain|higher|greater|\bmore\b|larger|longer|"
    r"faster|\bpositive|improv|\blater\b|\bheavier\b|\bolder\b|\bbetter\b",
    "-": r"decreas|declin|\bfall|\bfell\b|\bdrop|lower|\bless\b|fewer|smaller|shorter|slower|\bnegative|\binverse|"
    r"reduc|\bearlier\b|\blighter\b|\byounger\b|\bworse\b",
    "none": r"\bno (?:\w+ ){0,2}(?:relation|effect|differen|correlat|associat|influence|impact|link|change)|"
    r"insignificant|unrelated|independent of|not significant",
    "linear": r"(?<!non)(?<!non-)\blinear|proportional|slope|per (?:unit|additional)|for (?:each|every)",
    "curved": r"quadratic|squar(?:e|ed)\b|curv|parabol|u-shaped|non-?linear|polynomial|exponential|logarithm|\blog\b",
    "ratio": r"\bratio\b|divided by|quotient",
    "threshold": r"threshold|exceed|\babove\b|\bbelow\b|\bcut-?off\b|\bstep\b",
    "interaction": r"interact|moderat|depends on|stronger|weaker|steeper|\bonly\b|\bbut not\b",
    "any": r"relat|associat|correlat|depend|influenc|affect|impact|effect|differ|predict|determin|interact|link",
}
"""Patterns of directions and forms. The lexical judge is a stand-in for a model, so it may read words."""

_DIRECTIONS = {"+", "-", "none"}
_FORMS = {"linear", "curved", "ratio"}
"""Forms that exclude each other."""

_NEGATED = re.compile(r"(?:\bnot|n't|n’t|\bnever|\bneither|\bnor|\bwithout|\bfails? to|\bcannot)\s+(?:\w+\s+){0,2}$")
_P_VALUE = re.compile(r"\b(?:p|n|r|r2|r²|R²)\s*(?:-value)?\s*[=<>≤≥]\s*[-\d.,eE]*\d%?")


class StatedRelation(NamedTuple):
    """The relationship that a hypothesis states: directions, forms, and the sizes of its effects."""

    directions: set[str]
    forms: set[str]
    sizes: list[float]

    @classmethod
    def read(cls, hypothesis: str) -> "StatedRelation":
        """Read the relationship that a hypothesis states."""
        text = fold(hypothesis)
        stated = {
            "none" if name in "+-" and _NEGATED.search(text[max(0, match.start() - 60) : match.start()]) else name
            for name, rule in _RULES.items()
            for match in re.finditer(rule, text)
        }
        # Signs are ignored: "lower by 5" and "a coefficient of -5" mean the same.
        sizes = [abs(number) for number in numbers(_P_VALUE.sub(" ", hypothesis))]
        return cls(stated & _DIRECTIONS, stated - _DIRECTIONS, sizes)


def compare_relations(gold: str, predicted: str) -> tuple[Literal["A", "B", "C"], str]:
    """Judge the predicted relationship against the gold one.

    Returns:
        A (very similar), B (similar but more general) or C (different), and the reason.
    """
    if fold(gold) == fold(predicted):
        return "A", "same text"
    one, other = StatedRelation.read(gold), StatedRelation.read(predicted)
    close = [any(abs(size - near) <= 0.1 * size + 1e-9 for near in other.sizes) for size in one.sizes]
    if not (other.directions or other.forms):
        return "C", "no relationship is stated"
    if not one.directions & other.directions and ("none" in one.directions | other.directions):
        return "C", "one of the two denies what the other states"
    if one.directions and other.directions and not one.directions & other.directions:
        return "C", "opposite directions"
    if (forms := one.forms & _FORMS) and (others := other.forms & _FORMS) and not forms & others:
        return "C", "different forms"
    stated = 2 * sum(close) >= len(close) if one.sizes else one.forms - {"any"} <= other.forms
    if one.directions != other.directions or not stated:
        return "B", "no contradiction, but not all directions, numbers and forms agree"
    return "A", "same direction, and the numbers or the form agree"
