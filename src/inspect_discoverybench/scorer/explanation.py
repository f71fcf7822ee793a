"""The score's explanation: markdown that a person understands without opening the raw replies."""

import re
from math import isnan

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match
from inspect_discoverybench.scorer.judge import ParseFailure
from inspect_discoverybench.scorer.product import ProductVerdict
from inspect_discoverybench.scorer.relationship import LABELS, Relationship
from inspect_discoverybench.scorer.subhypotheses import PartsVerdict
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import PairVerdict

_FORMS = {
    "json": " (read from a JSON object in the final message)",
    "sections": " (read from labelled sections of the final message)",
    "text": " (the whole final message)",
}


_NOT_ASKED = "Not asked, as the contexts do not match."


def explain(pair: Comparison, judged: PairVerdict, source: str) -> str:
    """What was compared, each verdict with the judge's reason, and how the score comes about."""
    verdict = judged.product
    return "\n\n".join(
        [
            _headline(verdict),
            f"### Gold hypothesis\n\n{_quote(pair.gold_hypothesis)}",
            f"### Predicted hypothesis{_FORMS.get(source, '')}\n\n{_quote(pair.predicted_hypothesis)}",
            f"### Context: {_number(verdict, Facet.CONTEXT)}\n\n{_context(verdict.context)}",
            f"### Variables: {_number(verdict, Facet.VARIABLES)}\n\n{_variables(verdict.variables)}",
            f"### Relationship: {_number(verdict, Facet.RELATIONSHIP)}\n\n{_relationship(verdict.relationship)}",
            *([] if judged.parts is None else [_parts(judged.parts)]),
        ]
    )


def _headline(verdict: ProductVerdict) -> str:
    values = verdict.values
    if values is None:
        return "**Not scored**: the judge gave no usable answer to every question, so there is no HMS."
    if verdict.variables is None:
        return "**HMS 0.00**: the contexts do not match, so nothing else was asked about the whole hypotheses (`gate`)."
    if len(verdict.facets) < len(Facet):
        zero = next(facet for facet, score in verdict.facets.items() if score == 0)
        undecided = ", ".join(facet for facet in Facet if facet not in verdict.facets)
        return f"**HMS 0.00**: {zero} is 0, which decides the score; there is no usable answer about: {undecided}."
    return (
        f"**HMS {values['hms']:.2f}** = context {values['context']:.2f} × variables {values['variables']:.2f} "
        f"× relationship {values['relationship']:.2f}"
    )


def _context(verdict: ContextVerdict) -> str:
    lines = [
        f"- {whose}: {_quote(answer.joined) if isinstance(answer, Contexts) else _failed(answer)}"
        for whose, answer in (("gold", verdict.gold), ("predicted", verdict.predicted))
    ]
    if isinstance(verdict.match, Match):
        if verdict.identical:
            lines.append("\nThey are identical, so they match; the judge was not asked.")
        else:
            lines.append(f"\nThe judge: they {'match' if verdict.match.match else 'do not match'}.")
    elif isinstance(verdict.match, ParseFailure):
        lines.append(f"\n{_failed(verdict.match)}")
    else:
        lines.append("\nWithout both contexts there is nothing to match.")
    return "\n".join(lines)


def _variables(answer: Variables | ParseFailure | None) -> str:
    if answer is None:
        return _NOT_ASKED
    if isinstance(answer, ParseFailure):
        return _failed(answer)
    counts = f"{answer.sizeA} in the gold hypothesis, {answer.sizeB} in the predicted one, {answer.intersection} common"
    return f"{counts}: F1 = {answer.score:.2f}.{_reason(answer.explanation)}"


def _relationship(answer: Relationship | ParseFailure | None) -> str:
    if answer is None:
        return _NOT_ASKED
    if isinstance(answer, ParseFailure):
        return _failed(answer)
    return f"{answer.answer}) {LABELS[answer.answer]}.{_reason(answer.explanation)}"


def _parts(verdict: PartsVerdict) -> str:
    values = verdict.values
    lines = [f"### Sub-hypotheses: {len(verdict.gold)} gold, {len(verdict.predicted)} predicted\n"]
    for whose, parts in (("gold", verdict.gold), ("predicted", verdict.predicted)):
        lines += [
            f"- {whose} {n}: {_quote(part.text)} (context: {_quote(part.context)})" for n, part in enumerate(parts, 1)
        ]
    lines += [f"\n{_failed(answer)}" for answer in verdict.undecided]
    for pair in verdict.matched:
        numbers = f"{verdict.gold.index(pair.gold) + 1} and {verdict.predicted.index(pair.predicted) + 1}"
        lines.append(
            f"\nGold and predicted {numbers} match. {_variables(pair.variables)}\n\n{_relationship(pair.relationship)}"
        )
    if not isnan(values["hms_f1"]):
        lines.append(
            f"\nContext recall {values['context_recall']:.2f}, context F1 {values['context_f1']:.2f}; "
            f"HMS (recall) {values['hms_recall']:.2f}, HMS (F1) {values['hms_f1']:.2f}."
        )
    return "\n".join(lines)


def _number(verdict: ProductVerdict, facet: Facet) -> str:
    if verdict.variables is None and facet is not Facet.CONTEXT:
        return "not asked"
    return f"{verdict.facets[facet]:.2f}" if facet in verdict.facets else "undecided"


def _failed(answer: ParseFailure) -> str:
    return f"No usable reply to the question about the {answer.question}; the last one: {_quote(answer.reason)}"


def _reason(explanation: str) -> str:
    return f"\n\nThe judge: {_quote(explanation)}" if explanation.strip() else ""


def _quote(text: str) -> str:
    """What others wrote, as one line of plain text, so that none of it can pass for a verdict of ours."""
    return re.sub(r"([*#`\[\]\\])", r"\\\1", " ".join(text.split()))
