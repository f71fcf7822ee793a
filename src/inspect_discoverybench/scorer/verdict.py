"""Judging one pair: every question that does not wait for another is asked at once."""

import math
from dataclasses import dataclass
from typing import cast

from inspect_ai.util import collect

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import ContextVerdict, Match
from inspect_discoverybench.scorer.hms import FacetScores
from inspect_discoverybench.scorer.judge import Judge, Undecided
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables


@dataclass(frozen=True)
class Verdict:
    """What the judge decided, facet by facet; None where it was not asked, because the contexts do not match."""

    context: ContextVerdict
    variables: Variables | Undecided | None
    relationship: Relationship | Undecided | None

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
        """The four score keys; NaN for a facet that was not asked about. None if a facet is undecided."""
        if self.variables is None and self.relationship is None:
            return {"hms": 0.0, "context": 0.0, "variables": math.nan, "relationship": math.nan}
        facets = self.facets
        return FacetScores(**facets).values() if len(facets) == len(Facet) else None


async def compare(judge: Judge, pair: Comparison, gate: bool) -> Verdict:
    """Ask the five questions about a pair; four, if the contexts are identical.

    Args:
        judge: Whom to ask.
        pair: What to ask about.
        gate: Ask about variables and relationship only after the contexts have matched.
    """
    if gate:
        contexts = await context.verdict(judge, pair)
        if isinstance(contexts.match, Match) and not contexts.match.match:
            return Verdict(contexts, None, None)
        others = await collect(judge.ask(variables.question(pair)), judge.ask(relationship.question(pair)))
        answers = [contexts, *others]
    else:
        answers = await collect(
            context.verdict(judge, pair),
            judge.ask(variables.question(pair)),
            judge.ask(relationship.question(pair)),
        )
    # `collect` has one type for all of its results.
    return Verdict(*cast(tuple[ContextVerdict, Variables | Undecided, Relationship | Undecided], tuple(answers)))
