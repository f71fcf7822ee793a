"""The score's explanation: markdown that can be read without opening the raw replies."""

import re
from math import isnan

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match
from inspect_discoverybench.scorer.product import ProductVerdict
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.relationship import LABELS, Relationship
from inspect_discoverybench.scorer.subhypotheses import PartsVerdict
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import PairVerdict

_SOURCES = {
    "object": " (from a JSON object in the final message)",
    "labels": " (from the labels of the final message)",
    "quoted": " (quoted by the judge from the final message)",
    "whole": " (the whole final message, because the judge's quotes were invalid)",
}
_NOT_ASKED = "Not asked, because the contexts do not match."


def explain(comparison: Comparison, verdict: PairVerdict, source: str) -> str:
    """Render both hypotheses, the verdict on each facet with the judge's reason, and the resulting score.

    Args:
        comparison: The hypotheses.
        verdict: The judge's verdict on them.
        source: How the answer was read: `call`, `object`, `labels`, `quoted` or `whole`.
    """
    whole = verdict.product
    sections = [
        _headline(whole),
        f"### Gold hypothesis\n\n{escape(comparison.gold_hypothesis)}",
        f"### Predicted hypothesis{_SOURCES.get(source, '')}\n\n{escape(comparison.predicted_hypothesis)}",
        f"### Context: {_facet_score(whole, Facet.CONTEXT)}\n\n{_context(whole.context)}",
        f"### Variables: {_facet_score(whole, Facet.VARIABLES)}\n\n{_variables(whole.variables)}",
        f"### Relationship: {_facet_score(whole, Facet.RELATIONSHIP)}\n\n{_relationship(whole.relationship)}",
    ]
    if verdict.parts is not None:
        sections.append(_parts(verdict.parts))
    return "\n\n".join(sections)


def _headline(verdict: ProductVerdict) -> str:
    values = verdict.values
    if isnan(values["hms"]):
        undecided = ", ".join(facet for facet in Facet if facet not in verdict.facets)
        return f"**Not scored**: the judge's replies were invalid for: {undecided}. HMS needs all facets."
    if verdict.variables is None:
        return (
            "**HMS 0.00**: the contexts do not match. "
            "The judge was not asked about variables and relationship (`gate`)."
        )
    return (
        f"**HMS {values['hms']:.2f}** = context {values['context']:.2f} × variables {values['variables']:.2f} "
        f"× relationship {values['relationship']:.2f}"
    )


def _context(verdict: ContextVerdict) -> str:
    lines = [
        f"- {side}: {escape(reply.joined) if isinstance(reply, Contexts) else _failure(reply)}"
        for side, reply in (("gold", verdict.gold), ("predicted", verdict.predicted))
    ]
    if isinstance(verdict.match, Match):
        if verdict.identical:
            lines.append("\nThe contexts are identical, so they match. The judge was not asked.")
        else:
            lines.append(f"\nJudge: the contexts {'match' if verdict.match.match else 'do not match'}.")
    elif isinstance(verdict.match, ParseFailure):
        lines.append(f"\n{_failure(verdict.match)}")
    else:
        lines.append("\nThe judge was not asked about the match, because a context is missing.")
    return "\n".join(lines)


def _variables(reply: Variables | ParseFailure | None) -> str:
    if reply is None:
        return _NOT_ASKED
    if isinstance(reply, ParseFailure):
        return _failure(reply)
    counts = (
        f"{reply.sizeA} in the gold hypothesis, {reply.sizeB} in the predicted hypothesis, {reply.intersection} shared"
    )
    return f"{counts}: F1 = {reply.score:.2f}.{quoted_reason(reply.explanation)}"


def _relationship(reply: Relationship | ParseFailure | None) -> str:
    if reply is None:
        return _NOT_ASKED
    if isinstance(reply, ParseFailure):
        return _failure(reply)
    return f"{reply.answer}) {LABELS[reply.answer]}.{quoted_reason(reply.explanation)}"


def _parts(verdict: PartsVerdict) -> str:
    values = verdict.values
    lines = [f"### Sub-hypotheses: {len(verdict.gold)} gold, {len(verdict.predicted)} predicted\n"]
    for side, parts in (("gold", verdict.gold), ("predicted", verdict.predicted)):
        lines += [
            f"- {side} {n}: {escape(part.text)} (context: {escape(part.context)})" for n, part in enumerate(parts, 1)
        ]
    lines += [f"\n{_failure(failure)}" for failure in verdict.failures]
    for pair in verdict.matched:
        gold, predicted = verdict.gold.index(pair.gold) + 1, verdict.predicted.index(pair.predicted) + 1
        lines.append(
            f"\nGold {gold} matches predicted {predicted}. {_variables(pair.variables)}"
            f"\n\n{_relationship(pair.relationship)}"
        )
    if not isnan(values["hms_f1"]):
        lines.append(
            f"\nContext recall {values['context_recall']:.2f}, context F1 {values['context_f1']:.2f}; "
            f"HMS (recall) {values['hms_recall']:.2f}, HMS (F1) {values['hms_f1']:.2f}."
        )
    return "\n".join(lines)


def _facet_score(verdict: ProductVerdict, facet: Facet) -> str:
    if verdict.variables is None and facet is not Facet.CONTEXT:
        return "not asked"
    return f"{verdict.facets[facet]:.2f}" if facet in verdict.facets else "undecided"


def _failure(failure: ParseFailure) -> str:
    return f"No valid reply to the question about the {failure.question}. Last error: {escape(failure.reason)}"


def quoted_reason(explanation: str) -> str:
    """The judge's explanation as a paragraph; empty if there is none."""
    return f"\n\nJudge: {escape(explanation)}" if explanation.strip() else ""


def escape(text: str) -> str:
    """Text from models and data as one line of plain text, so that its markdown cannot imitate a verdict."""
    return re.sub(r"([*#`\[\]\\])", r"\\\1", " ".join(text.split()))
