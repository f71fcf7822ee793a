"""HMS of two whole hypotheses: questions → replies → facets → verdict (paper §4.3)."""

import math
from dataclasses import dataclass

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import ContextVerdict
from inspect_discoverybench.scorer.hms import FacetScores
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables


@dataclass(frozen=True)
class ProductVerdict:
    """The judge's verdict on each facet; None for a facet that was not asked about."""

    context: ContextVerdict
    variables: Variables | ParseFailure | None
    relationship: Relationship | ParseFailure | None

    @property
    def facets(self) -> dict[Facet, float]:
        """Scores of the decided facets."""
        scores = {}
        if self.context.score is not None:
            scores[Facet.CONTEXT] = self.context.score
        if isinstance(self.variables, Variables):
            scores[Facet.VARIABLES] = self.variables.score
        if isinstance(self.relationship, Relationship):
            scores[Facet.RELATIONSHIP] = self.relationship.score
        return scores

    @property
    def values(self) -> dict[str, float]:
        """The four score keys, with NaN for a facet that was not asked about or is undecided.

        HMS is undecided if any facet is. Counting it as 0 because another facet is 0 would only remove samples that
        could have scored, and bias the mean.
        """
        facets = {facet.value: self.facets.get(facet, math.nan) for facet in Facet}
        if self.variables is None:  # `gate`: the contexts do not match
            return {"hms": 0.0, **facets}
        return FacetScores(**facets).values()


async def judge_product(judge: Judge, comparison: Comparison, gate: bool = False) -> ProductVerdict:
    """Ask five questions about two whole hypotheses; four if their contexts are identical.

    Args:
        judge: The judge.
        comparison: The hypotheses.
        gate: Skip variables and relationship if the contexts do not match.
    """
    if not gate:
        return ProductVerdict(
            *await gather(
                context.ask(judge, comparison),
                variables.ask(judge, comparison),
                relationship.ask(judge, comparison),
            )
        )
    contexts = await context.ask(judge, comparison)
    if contexts.score == 0:
        return ProductVerdict(contexts, None, None)
    return ProductVerdict(
        contexts, *await gather(variables.ask(judge, comparison), relationship.ask(judge, comparison))
    )
