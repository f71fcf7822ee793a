"""From a finding to a sentence: what the baseline submits."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_discoverybench.offline.words import context_phrases, folded

Finding = Mapping[str, Any]
"""One line that the second cell prints (`cells/findings.py`)."""

_MOST_TERMS = 4
_ASKED = re.compile(r"\b(?:what|which|how|whom)\b|[(\[]", re.IGNORECASE)


def hypothesis(goal: str, finding: Finding) -> str:
    """A declarative sentence with the goal's context, the variables, and the relationship in numbers."""
    sentence = _SENTENCES[finding["kind"]](finding)
    context = ", ".join(phrase for phrase in context_phrases(goal)[:2] if not _ASKED.search(phrase))
    if context and folded(context) not in folded(sentence):
        return f"{context[0].upper()}{context[1:]}, {sentence}"
    # A column's name keeps its own spelling at the start of a sentence.
    return sentence[0].upper() + sentence[1:] if sentence.startswith(("there ", "from ", "no ")) else sentence


def _number(value: float) -> str:
    """Three significant digits, without an exponent where that reads well."""
    if value == 0 or 1e-4 <= abs(value) < 1e6:
        digits = f"{value:.3g}"
        return f"{value:.0f}" if "e" in digits else digits
    return f"{value:.2e}"


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _sure(value: float) -> str:
    return "significantly" if value < 0.05 else "not significantly"


def _verb(value: float) -> str:
    return "increases" if value > 0 else "decreases"


def _terms(finding: Finding, but: Sequence[str] = ()) -> list[Mapping[str, Any]]:
    """The terms of the fit to tell, the surest first."""
    told = [term for term in finding["terms"] if term["name"] not in but]
    return sorted(told, key=lambda term: term["p"])[:_MOST_TERMS]


def _beside(finding: Finding, but: Sequence[str]) -> str:
    """The significant other terms of the fit, as a further clause."""
    sure = [term for term in _terms(finding, but) if term["p"] < 0.01]
    told = ", ".join(f"{term['name']} ({_number(term['coef'])}, {_p(term['p'])})" for term in sure)
    return f"; other significant terms of the fit are {told}" if told else ""


def _close(finding: Finding, beside: str = "") -> str:
    return f"{beside} (n = {finding['rows']}, R² = {finding['r2']:.2f})."


def _linear(finding: Finding) -> str:
    target, terms = finding["target"], _terms(finding)
    sure = [term for term in terms if term["p"] < 0.05]
    if not sure:
        names = ", ".join(term["name"] for term in terms)
        return (
            f"there is no significant relationship between {names} and {target} ({_p(finding['p'])}, n = "
            f"{finding['rows']})."
        )
    groups = [group for group in finding["groups"] if group["column"] in sure[0]["name"]]
    if groups:
        return _difference(finding, groups[0])
    told = []
    for term in sure:
        change = "higher" if term["coef"] > 0 else "lower"
        told.append(
            f"each additional unit of {term['name']} goes with {_number(abs(term['coef']))} {change} "
            f"{target} ({_p(term['p'])})"
        )
    joined = "; ".join(told)
    names = " and ".join(term["name"] for term in sure)
    return f"{target} {_verb(sure[0]['coef'])} linearly with {names}: {joined}{_close(finding)}"


def _difference(finding: Finding, group: Mapping[str, Any]) -> str:
    name, target, means = group["column"], finding["target"], group["means"]
    # Of two levels the second is told about, as in the fit: "yes" against "no", 1 against 0.
    told, other = list(means)[::-1] if len(means) == 2 else (max(means, key=means.get), min(means, key=means.get))
    change = "higher" if means[told] > means[other] else "lower"
    others = [term["name"] for term in finding["terms"] if term["name"].startswith(name)]
    return (
        f"{target} differs by {name}: it is {change} by {_number(abs(means[told] - means[other]))} with "
        f"{name} = {told} (mean {_number(means[told])}) than with {name} = {other} (mean "
        f"{_number(means[other])}), {_p(group['p'])}{_close(finding, _beside(finding, others))}"
    )


def _trend(finding: Finding, column: str) -> str:
    term = next(term for term in finding["terms"] if term["name"] == column)
    first, last = finding["range"][column]
    fate = _verb(term["coef"]).replace("creases", "creased")
    return (
        f"from {first:.0f} to {last:.0f}, {finding['target']} {fate} linearly over time by "
        f"{_number(abs(term['coef']))} per unit of {column} "
        f"({_p(term['p'])}){_close(finding, _beside(finding, [column]))}"
    )


def _linear_or_trend(finding: Finding) -> str:
    first = _terms(finding)[0]
    time = first["name"].lower().split("_")[-1].split()[-1] in ("year", "ce", "bce", "calbp")
    return _trend(finding, first["name"]) if time and first["p"] < 0.05 else _linear(finding)


def _quadratic(finding: Finding) -> str:
    column, target = finding["column"], finding["target"]
    coefs = {term["name"]: term for term in finding["terms"]}
    linear, squared = coefs[column], coefs[f"{column}^2"]
    turn = -linear["coef"] / (2 * squared["coef"]) if squared["coef"] else float("inf")
    low, high = finding["range"][column]
    if low < turn < high:
        rise, fall, extreme = (
            ("increases", "decreases", "maximum") if squared["coef"] < 0 else ("decreases", "increases", "minimum")
        )
        shape = f"{rise} with {column} up to about {_number(turn)}, its {extreme}, and {fall} beyond it"
    else:
        at_end = linear["coef"] + 2 * squared["coef"] * (high + low) / 2
        shape = f"{_verb(at_end)} with {column}, and the slope itself changes"
    return (
        f"{target} depends on {column} in a quadratic (curved) way: it {shape} (coefficient of the square "
        f"{_number(squared['coef'])}, "
        f"{_p(squared['p'])}){_close(finding, _beside(finding, [column, squared['name']]))}"
    )


def _threshold(finding: Finding) -> str:
    column, target, cut = finding["column"], finding["target"], _number(finding["cut"])
    change = "higher" if finding["above"] > finding["below"] else "lower"
    step = next(term for term in finding["terms"] if term["name"].startswith(f"{column} > "))
    return (
        f"{target} changes at a threshold of {column}: above about {cut} it is {change} by "
        f"{_number(abs(step['coef']))} (mean {_number(finding['above'])}) than below (mean "
        f"{_number(finding['below'])}), {_p(step['p'])}{_close(finding, _beside(finding, [step['name']]))}"
    )


def _ratio(finding: Finding) -> str:
    top, bottom = finding["top"], finding["bottom"]
    term = next(term for term in finding["terms"] if term["name"] == f"{top} / {bottom}")
    return (
        f"{finding['target']} {_verb(term['coef'])} linearly with the ratio of {top} to {bottom}, by "
        f"{_number(abs(term['coef']))} per unit of the ratio "
        f"({_p(term['p'])}){_close(finding, _beside(finding, [term['name']]))}"
    )


def _slopes(finding: Finding) -> str:
    told = "; ".join(
        f"{finding['b']} {entry['level']}: {_number(entry['slope'])} ({_p(entry['p'])}, n = {entry['n']})"
        for entry in finding["slopes"][:6]
    )
    return f"; slopes: {told}" if told else ""


def _interaction(finding: Finding) -> str:
    a, b, target = finding["a"], finding["b"], finding["target"]
    product = next((term for term in _terms(finding) if " x " in term["name"]), finding["terms"][-1])
    overall = sum(entry["slope"] for entry in finding["slopes"])
    return (
        f"{a} and {b} interact in their effect on {target}: {target} {_verb(overall)} with {a}, and how "
        f"strongly depends on {b} (interaction {_number(product['coef'])}, "
        f"{_p(product['p'])}{_slopes(finding)}){_close(finding)}"
    )


def _subgroup(finding: Finding) -> str:
    sure = next(entry for entry in finding["slopes"] if entry["level"] == finding["subgroup"])
    return (
        f"{finding['target']} {_verb(sure['slope'])} with {finding['a']} only where {finding['b']} is "
        f"{sure['level']}, by {_number(abs(sure['slope']))} per unit ({_p(sure['p'])}), with no "
        f"significant effect elsewhere{_slopes(finding)}{_close(finding)}"
    )


def _levels(finding: Finding) -> str:
    most = ", ".join(f"{level}: {commonest}" for level, commonest in list(finding["most"].items())[:6])
    return (
        f"{finding['target']} is {_sure(finding['p'])} associated with {finding['column']} "
        f"({_p(finding['p'])}, n = {finding['rows']}); the most frequent {finding['target']} by "
        f"{finding['column']} is {most}."
    )


def _none(finding: Finding) -> str:
    return f"no relationship with {finding['target']} could be established from the data: {finding['reason']}."


_SENTENCES = {
    "linear": _linear_or_trend,
    "quadratic": _quadratic,
    "threshold": _threshold,
    "ratio": _ratio,
    "interaction": _interaction,
    "subgroup": _subgroup,
    "levels": _levels,
    "none": _none,
}
"""How each kind of finding is put into words."""
