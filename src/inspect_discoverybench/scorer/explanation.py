"""The score's explanation: Markdown that can be read without opening the raw replies."""

from math import isnan

from inspect_discoverybench.scorer.facets import FACET_KEYS, FACETS
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.scorer.verdict import Verdict
from inspect_discoverybench.text import escape

_SOURCES = {
    "object": " (from a JSON object in the final message)",
    "labels": " (from the labels of the final message)",
    "quoted": " (quoted by the judge from the final message)",
    "whole": " (the whole final message, because the judge's quotes were invalid)",
}


def explain(pair: HypothesisPair, verdict: Verdict, source: str) -> str:
    """Render both hypotheses, the verdict on each facet with the judge's reason, and the resulting score.

    Args:
        pair: The hypotheses.
        verdict: The judge's verdict on them.
        source: How the answer was read: `call`, `object`, `labels`, `quoted` or `whole`.
    """
    sections = [
        _headline(verdict),
        f"### Gold hypothesis\n\n{escape(pair.gold_hypothesis)}",
        f"### Predicted hypothesis{_SOURCES.get(source, '')}\n\n{escape(pair.predicted_hypothesis)}",
    ]
    for facet in FACETS:
        reply = verdict.facets.get(facet.key)
        if reply is None:
            sections.append(f"### {facet.label}: not asked\n\nNot asked, because the contexts do not match.")
        else:
            score = "undecided" if reply.score is None else f"{reply.score:.2f}"
            sections.append(f"### {facet.label}: {score}\n\n{reply.describe()}")
    if verdict.released is not None:
        value = verdict.values["hms_released"]
        score = "undecided" if isnan(value) else f"{value:.2f}"
        sections.append(f"### Form of the released evaluator: {score}\n\n{verdict.released.describe()}")
    return "\n\n".join(sections)


def _headline(verdict: Verdict) -> str:
    values = verdict.values
    if verdict.is_gated:
        return "**HMS 0.00**: the contexts do not match. The judge was not asked about the other facets (`gate`)."
    if isnan(values["hms"]):
        undecided = ", ".join(key for key in FACET_KEYS if isnan(values[key]))
        return f"**Not scored**: the judge's replies were invalid for: {undecided}. HMS needs all facets."
    product = " × ".join(f"{key} {values[key]:.2f}" for key in FACET_KEYS)
    return f"**HMS {values['hms']:.2f}** = {product}"
