"""The explanation of a score: both hypotheses, the verdict on each facet with the judge's reason, and the result."""

from math import isnan

from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import FACET_KEYS, FACETS
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.markdown import escape_markdown
from inspect_discoverybench.scorer.verdict import Verdict

_SOURCES = {
    "object": " (from a JSON object in the final message)",
    "quoted": " (quoted by the judge from the final message)",
    "whole": " (the whole final message, because the judge's quotes were invalid)",
}
"""Where the predicted hypothesis is from, by `Submission.source`. Nothing is said of the usual source, `call`."""


def explain(pair: HypothesisPair, verdict: Verdict, source: str | None = None) -> str:
    """Render the explanation as Markdown.

    Args:
        pair: The hypotheses.
        verdict: The judge's verdict on them.
        source: How the answer was read (`Submission.source`). None if the predicted hypothesis is not from an answer.
    """
    values = verdict.values
    gold = escape_markdown(pair.gold_hypothesis)
    predicted = escape_markdown(pair.predicted_hypothesis)
    predicted_source = _SOURCES.get(source, "") if source else ""
    sections = [
        _headline(values),
        f"### Gold hypothesis\n\n{gold}",
        f"### Predicted hypothesis{predicted_source}\n\n{predicted}",
    ]

    for facet in FACETS:
        description = verdict.facets[facet.key].describe()
        section = _section(facet.label, values[facet.key], description)
        sections.append(section)

    if verdict.released is not None:
        description = verdict.released.describe()
        section = _section("Form of the released evaluator", values["hms_released"], description)
        sections.append(section)

    if verdict.claim is not None:
        description = verdict.claim.describe()
        section = _section("Claim of a relationship", values[CLAIM_KEY], description)
        sections.append(section)

    return "\n\n".join(sections)


def _headline(values: dict[str, float]) -> str:
    score = values["hms"]
    if isnan(score):
        names = ", ".join(key for key in FACET_KEYS if isnan(values[key]))
        return f"**Not scored**: the judge's replies were invalid for: {names}. HMS needs all facets."
    product = " × ".join(f"{key} {values[key]:.2f}" for key in FACET_KEYS)
    return f"**HMS {score:.2f}** = {product}"


def _section(title: str, score: float, description: str) -> str:
    shown = "undecided" if isnan(score) else f"{score:.2f}"
    return f"### {title}: {shown}\n\n{description}"
