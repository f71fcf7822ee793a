"""Judging one pair: all questions that do not wait for another at once, then the match of the contexts."""

from dataclasses import dataclass

from inspect_ai.util import collect

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, Match
from inspect_discoverybench.scorer.hms import FacetScores
from inspect_discoverybench.scorer.judge import Judge, Undecided
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables


@dataclass(frozen=True)
class Verdict:
    """What the judge decided, facet by facet.

    Attributes:
        gold: Contexts of the gold hypothesis.
        predicted: Contexts of the predicted hypothesis.
        match: Whether they match; None if an extraction is undecided, so that nobody could be asked.
        identical: The match was decided without the judge.
        variables: Counts of variables.
        relationship: The relation.
    """

    gold: Contexts | Undecided
    predicted: Contexts | Undecided
    match: Match | Undecided | None
    identical: bool
    variables: Variables | Undecided
    relationship: Relationship | Undecided

    @property
    def undecided(self) -> list[Undecided]:
        """Questions without a reply in their contract; empty if the pair can be scored."""
        answers = (self.gold, self.predicted, self.match, self.variables, self.relationship)
        return [answer for answer in answers if isinstance(answer, Undecided)]

    @property
    def facets(self) -> dict[Facet, float]:
        """Scores of the facets that are decided."""
        scores = {}
        if isinstance(self.match, Match):
            scores[Facet.CONTEXT] = float(self.match.match)
        if isinstance(self.variables, Variables):
            scores[Facet.VARIABLES] = self.variables.score
        if isinstance(self.relationship, Relationship):
            scores[Facet.RELATIONSHIP] = self.relationship.score
        return scores

    @property
    def scores(self) -> FacetScores | None:
        """The scores; None if a facet is undecided."""
        return None if self.undecided else FacetScores(**self.facets)


async def compare(judge: Judge, pair: Comparison) -> Verdict:
    """Ask the five questions about a pair (four, if the contexts are identical)."""
    gold_workflow, predicted_workflow = pair.workflows
    gold, predicted, counts, relation = await collect(
        judge.ask(
            context.extraction(
                whose="gold", datasets=pair.datasets, hypothesis=pair.gold_hypothesis, workflow=gold_workflow
            )
        ),
        judge.ask(
            context.extraction(
                whose="predicted",
                datasets=pair.datasets,
                hypothesis=pair.predicted_hypothesis,
                workflow=predicted_workflow,
            )
        ),
        judge.ask(variables.question(pair)),
        judge.ask(relationship.question(pair)),
    )
    match: Match | Undecided | None = None
    identical = False
    if isinstance(gold, Contexts) and isinstance(predicted, Contexts):
        identical = context.identical(gold.joined, predicted.joined)
        match = (
            Match(match=True)
            if identical
            else await judge.ask(
                context.matching(
                    gold_hypothesis=pair.gold_hypothesis,
                    gold_context=gold.joined,
                    predicted_hypothesis=pair.predicted_hypothesis,
                    predicted_context=predicted.joined,
                )
            )
        )
    return Verdict(gold, predicted, match, identical, counts, relation)
