"""Sub-hypotheses: match the parts of two hypotheses one to one by context, and judge each matched pair."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import nan, prod

from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, Match
from inspect_discoverybench.scorer.hms import NO_PARTS, PartScores
from inspect_discoverybench.scorer.judge import Judge, gather
from inspect_discoverybench.scorer.product import ProductVerdict
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.text import fold


@dataclass(frozen=True, order=True)
class Part:
    """One sub-hypothesis.

    Attributes:
        context: Its context; "None" if it has none.
        text: Its text.
    """

    context: str
    text: str


@dataclass(frozen=True)
class MatchedPair:
    """A gold and a predicted part with matching contexts, and the judge's replies about them."""

    gold: Part
    predicted: Part
    variables: Variables | ParseFailure
    relationship: Relationship | ParseFailure

    @property
    def score(self) -> float | None:
        """Variables × relationship; None if undecided. It is decided if both are, or if either is 0."""
        replies = (self.variables, self.relationship)
        scores = [reply.score for reply in replies if not isinstance(reply, ParseFailure)]
        return prod(scores) if len(scores) == len(replies) or 0 in scores else None


@dataclass(frozen=True)
class PartsVerdict:
    """The judge's verdict on the parts.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        failures: Questions about contexts without a valid reply.
        matched: The matched pairs. Empty if a match is undecided; all pairs with matching contexts, before the
            one-to-one matching, if a score is undecided.
    """

    gold: tuple[Part, ...]
    predicted: tuple[Part, ...]
    failures: tuple[ParseFailure, ...]
    matched: tuple[MatchedPair, ...]

    @property
    def values(self) -> dict[str, float]:
        """The four additional score keys; NaN if a reply that they depend on is invalid."""
        scores = [pair.score for pair in self.matched]
        decided = tuple(score for score in scores if score is not None)
        if self.failures or len(decided) < len(scores):
            return dict.fromkeys(NO_PARTS.values(), nan)
        return PartScores(len(self.gold), len(self.predicted), decided).values()


def split_parts(contexts: Contexts, whole: str) -> tuple[Part, ...]:
    """List the distinct sub-hypotheses of an extraction, sorted, so that the judge's order has no effect.

    A single sub-hypothesis is replaced by the whole hypothesis in its original wording.

    Args:
        contexts: The extraction.
        whole: Text of the whole hypothesis.
    """
    extracted = (Part(Contexts(hypothesis=(part,)).joined, part.text.strip() or whole) for part in contexts.hypothesis)
    distinct = {(fold(part.context or ""), fold(part.text)): part for part in sorted(extracted, reverse=True)}
    if len(distinct) <= 1:
        return (Part(contexts.joined, whole),)
    return tuple(distinct[key] for key in sorted(distinct))


async def judge_parts(judge: Judge, comparison: Comparison, whole: ProductVerdict) -> PartsVerdict:
    """Ask which parts have matching contexts, and about their variables and relationship; then match parts one to one.

    Args:
        judge: The judge.
        comparison: The whole hypotheses.
        whole: The verdict on the whole hypotheses. The parts come from its contexts.
    """
    contexts = whole.context
    if isinstance(contexts.gold, ParseFailure) or isinstance(contexts.predicted, ParseFailure):
        return PartsVerdict((), (), _failures(contexts.gold, contexts.predicted), ())
    gold = split_parts(contexts.gold, comparison.gold_hypothesis)
    predicted = split_parts(contexts.predicted, comparison.predicted_hypothesis)
    if len(gold) == len(predicted) == 1:
        return _single_parts(gold, predicted, whole)
    edges = product(range(len(gold)), range(len(predicted)))
    pairs = [_PartPair((g, p), comparison, gold[g], predicted[p]) for g, p in edges]
    matches = await gather(*(pair.ask_match(judge) for pair in pairs))
    if failures := _failures(*matches):
        return PartsVerdict(gold, predicted, failures, ())
    pairs = [pair for pair, match in zip(pairs, matches, strict=True) if isinstance(match, Match) and match.match]
    matched = await gather(*(pair.ask_facets(judge) for pair in pairs))
    scores = {pair.edge: judged.score for pair, judged in zip(pairs, matched, strict=True)}
    decided = {edge: score for edge, score in scores.items() if score is not None}
    if len(decided) == len(scores):
        chosen = set(maximum_matching(decided, len(gold), len(predicted)))
        matched = tuple(judged for pair, judged in zip(pairs, matched, strict=True) if pair.edge in chosen)
    return PartsVerdict(gold, predicted, (), matched)


def maximum_matching(scores: Mapping[tuple[int, int], float], gold: int, predicted: int) -> list[tuple[int, int]]:
    """Find a maximum bipartite matching; among those of equal size, the one with the highest total score.

    The scores make the result independent of the order of the parts.

    Args:
        scores: Score in [0, 1] of each edge, an edge being the indices of a gold and a predicted part that match.
        gold: Number of gold parts.
        predicted: Number of predicted parts.

    Returns:
        The edges of the matching.
    """
    # Imported here, because every `inspect` command imports this module.
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    weights = np.zeros((gold, predicted))
    for edge, score in scores.items():
        # One more edge outweighs the sum of all scores.
        weights[edge] = 1 + score / (1 + min(gold, predicted))
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [edge for edge in zip(rows.tolist(), columns.tolist(), strict=True) if edge in scores]


@dataclass(frozen=True)
class _PartPair:
    """A gold and a predicted part to compare.

    Attributes:
        edge: Their indices, starting at 0.
        whole: The whole hypotheses.
        gold: The gold part.
        predicted: The predicted part.
    """

    edge: tuple[int, int]
    whole: Comparison
    gold: Part
    predicted: Part

    @property
    def _comparison(self) -> Comparison:
        return replace(self.whole, gold_hypothesis=self.gold.text, predicted_hypothesis=self.predicted.text)

    @property
    def _label(self) -> str:
        return f" of parts {self.edge[0] + 1}, {self.edge[1] + 1}"

    async def ask_match(self, judge: Judge) -> Match | ParseFailure:
        """Ask whether the contexts match."""
        return await context.ask_match(
            judge, self._comparison, self.gold.context, self.predicted.context, parts=self._label
        )

    async def ask_facets(self, judge: Judge) -> MatchedPair:
        """Ask about variables and relationship."""
        replies = await gather(
            variables.ask(judge, self._comparison, self._label), relationship.ask(judge, self._comparison, self._label)
        )
        return MatchedPair(self.gold, self.predicted, *replies)


def _single_parts(gold: tuple[Part, ...], predicted: tuple[Part, ...], whole: ProductVerdict) -> PartsVerdict:
    """The verdict on single parts. They are the whole hypotheses, which have been judged already."""
    if not whole.context.score or whole.variables is None or whole.relationship is None:
        return PartsVerdict(gold, predicted, _failures(whole.context.match), ())
    return PartsVerdict(gold, predicted, (), (MatchedPair(gold[0], predicted[0], whole.variables, whole.relationship),))


def _failures(*replies: object) -> tuple[ParseFailure, ...]:
    return tuple(reply for reply in replies if isinstance(reply, ParseFailure))
