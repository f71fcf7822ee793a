"""Judging one pair: every question that does not wait for another is asked at once."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer import context, relationship, subhypotheses, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import ContextVerdict, Match
from inspect_discoverybench.scorer.hms import FacetScores
from inspect_discoverybench.scorer.judge import Judge, Undecided, at_once
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.subhypotheses import PartsVerdict
from inspect_discoverybench.scorer.variables import Variables


class Aggregation(StrEnum):
    """How the judge's answers become a score."""

    PRODUCT = "product"
    """HMS = context × variables × relationship, each for the whole hypothesis."""

    SUBHYPOTHESES = "subhypotheses"
    """Beside it `hms_recall` and `hms_f1`, from sub-hypotheses that are matched one to one."""

    @classmethod
    def read(cls, value: str) -> "Aggregation":
        """The aggregation of this name.

        Raises:
            InvalidArgument: There is none.
        """
        if value not in list(cls):
            raise InvalidArgument(f"aggregation={value} is not possible; possible are: {', '.join(cls)}.")
        return cls(value)


@dataclass(frozen=True)
class Verdict:
    """What the judge decided, facet by facet; None where it was not asked, because the contexts do not match."""

    context: ContextVerdict
    variables: Variables | Undecided | None
    relationship: Relationship | Undecided | None
    parts: PartsVerdict | None = None
    """The sub-hypotheses, where they are aggregated."""

    @property
    def facets(self) -> dict[Facet, float]:
        """Scores of the facets that are decided."""
        scores = {}
        if isinstance(self.context.match, Match):
            scores[Facet.CONTEXT] = float(self.context.match.match)
        if isinstance(self.variables, Variables):
            scores[Facet.VARIABLES] = self.variables.score
        if isinstance(self.relationship, Relationship):
            scores[Facet.RELATIONSHIP] = self.relationship.score
        return scores

    @property
    def values(self) -> dict[str, float] | None:
        """The score keys; NaN for a facet without a value. None if HMS is not determined.

        One facet that is 0 makes HMS 0, whatever the others would be.
        """
        facets = {facet.value: self.facets.get(facet, math.nan) for facet in Facet}
        if 0 not in facets.values() and any(map(math.isnan, facets.values())):
            return None
        hms = 0.0 if 0 in facets.values() else FacetScores(**facets).hms
        return {"hms": hms, **facets} | (self.parts.values if self.parts else {})


async def compare(
    judge: Judge, pair: Comparison, gate: bool = False, aggregation: Aggregation = Aggregation.PRODUCT
) -> Verdict:
    """Ask the five questions about a pair; four, if the contexts are identical.

    Args:
        judge: Whom to ask.
        pair: What to ask about.
        gate: Ask about variables and relationship only after the contexts have matched.
        aggregation: Whether to ask about the sub-hypotheses too.
    """
    verdict = await (_gated(judge, pair) if gate else _at_once(judge, pair))
    if aggregation is Aggregation.PRODUCT:
        return verdict
    compared = (verdict.variables, verdict.relationship)
    return replace(verdict, parts=await subhypotheses.verdict(judge, pair, verdict.context, compared))


async def _at_once(judge: Judge, pair: Comparison) -> Verdict:
    return Verdict(
        *await at_once(
            context.verdict(judge, pair),
            judge.ask(variables.question(pair)),
            judge.ask(relationship.question(pair)),
        )
    )


async def _gated(judge: Judge, pair: Comparison) -> Verdict:
    contexts = await context.verdict(judge, pair)
    if isinstance(contexts.match, Match) and not contexts.match.match:
        return Verdict(contexts, None, None)
    others = await at_once(judge.ask(variables.question(pair)), judge.ask(relationship.question(pair)))
    return Verdict(contexts, *others)
