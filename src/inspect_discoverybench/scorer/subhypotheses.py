"""Sub-hypotheses: the parts of two hypotheses matched one to one by their contexts, each pair judged by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import nan, prod

from inspect_discoverybench.scorer import context, relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, Match, folded
from inspect_discoverybench.scorer.hms import NO_PARTS, PartScores
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, at_once
from inspect_discoverybench.scorer.product import ProductVerdict
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables


@dataclass(frozen=True, order=True)
class Part:
    """One sub-hypothesis.

    Attributes:
        context: Its context; "None" where it has none.
        text: What it says.
    """

    context: str
    text: str


@dataclass(frozen=True)
class Matched:
    """A gold and a predicted part whose contexts match, and what the judge says of them."""

    gold: Part
    predicted: Part
    variables: Variables | ParseFailure
    relationship: Relationship | ParseFailure

    @property
    def score(self) -> float | None:
        """Variables × relationship; None if it is undecided. One that is 0 decides."""
        answers = (self.variables, self.relationship)
        scores = [answer.score for answer in answers if not isinstance(answer, ParseFailure)]
        return prod(scores) if len(scores) == len(answers) or 0 in scores else None


@dataclass(frozen=True)
class PartsVerdict:
    """What the judge decided about the parts.

    Attributes:
        gold: Parts of the gold hypothesis.
        predicted: Parts of the predicted hypothesis.
        undecided: Questions about contexts that got no usable reply.
        matched: The matched pairs; empty if a match is undecided, all pairs that match if another answer is.
    """

    gold: tuple[Part, ...]
    predicted: tuple[Part, ...]
    undecided: tuple[ParseFailure, ...]
    matched: tuple[Matched, ...]

    @property
    def values(self) -> dict[str, float]:
        """The four further score keys; NaN if an answer that they need is undecided."""
        scores = [pair.score for pair in self.matched]
        decided = tuple(score for score in scores if score is not None)
        if self.undecided or len(decided) < len(scores):
            return dict.fromkeys(NO_PARTS.values(), nan)
        return PartScores(len(self.gold), len(self.predicted), decided).values()


def parts(contexts: Contexts, whole: str) -> tuple[Part, ...]:
    """The distinct sub-hypotheses of an extraction, in an order of their own: the judge's order changes nothing.

    One alone is the whole hypothesis, in its own words and not in the judge's.
    """
    listed = (Part(Contexts(hypothesis=(part,)).joined, part.text.strip() or whole) for part in contexts.hypothesis)
    distinct = {(folded(part.context), folded(part.text)): part for part in sorted(listed, reverse=True)}
    if len(distinct) <= 1:
        return (Part(contexts.joined, whole),)
    return tuple(distinct[key] for key in sorted(distinct))


async def judge_parts(judge: Judge, comparison: Comparison, whole: ProductVerdict) -> PartsVerdict:
    """Ask which parts match, and about variables and relationship of those that do; then match one to one.

    Args:
        judge: The judge.
        comparison: The whole hypotheses.
        whole: The verdict on them; its contexts name the parts.
    """
    contexts = whole.context
    if isinstance(contexts.gold, ParseFailure) or isinstance(contexts.predicted, ParseFailure):
        return PartsVerdict((), (), _failures(contexts.gold, contexts.predicted), ())
    gold = parts(contexts.gold, comparison.gold_hypothesis)
    predicted = parts(contexts.predicted, comparison.predicted_hypothesis)
    if len(gold) == len(predicted) == 1:
        return _one_to_one(gold, predicted, whole)
    places = product(range(len(gold)), range(len(predicted)))
    pairs = [_PartPair((g, p), comparison, gold[g], predicted[p]) for g, p in places]
    matches = await at_once(*(pair.ask_match(judge) for pair in pairs))
    if failures := _failures(*matches):
        return PartsVerdict(gold, predicted, failures, ())
    pairs = [pair for pair, match in zip(pairs, matches, strict=True) if isinstance(match, Match) and match.match]
    matched = await at_once(*(pair.ask_facets(judge) for pair in pairs))
    scores = {pair.place: one.score for pair, one in zip(pairs, matched, strict=True)}
    decided = {place: score for place, score in scores.items() if score is not None}
    if len(decided) == len(scores):
        chosen = set(maximum_matching(decided, len(gold), len(predicted)))
        matched = tuple(one for pair, one in zip(pairs, matched, strict=True) if pair.place in chosen)
    return PartsVerdict(gold, predicted, (), matched)


def maximum_matching(scores: Mapping[tuple[int, int], float], gold: int, predicted: int) -> list[tuple[int, int]]:
    """As many edges as can be chosen such that none shares an end with another; of these choices, the best one.

    Without the scores, the order of the parts would decide between choices that are equally large.

    Args:
        scores: Score in 0-1 of each edge: of the numbers of a gold and of a predicted part that match.
        gold: How many gold parts there are.
        predicted: How many predicted parts there are.
    """
    # Imported here: every `inspect` command imports this module.
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    weights = np.zeros((gold, predicted))
    for edge, score in scores.items():
        # One more edge outweighs all scores together.
        weights[edge] = 1 + score / (1 + min(gold, predicted))
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [edge for edge in zip(rows.tolist(), columns.tolist(), strict=True) if edge in scores]


@dataclass(frozen=True)
class _PartPair:
    """A gold and a predicted part that may match.

    Attributes:
        place: Their numbers, from 0.
        whole: The whole hypotheses.
        gold: The gold part.
        predicted: The predicted part.
    """

    place: tuple[int, int]
    whole: Comparison
    gold: Part
    predicted: Part

    @property
    def _comparison(self) -> Comparison:
        return replace(self.whole, gold_hypothesis=self.gold.text, predicted_hypothesis=self.predicted.text)

    @property
    def _label(self) -> str:
        return f" of parts {self.place[0] + 1}, {self.place[1] + 1}"

    async def ask_match(self, judge: Judge) -> Match | ParseFailure:
        """Whether the contexts match."""
        return await context.ask_match(
            judge, self._comparison, self.gold.context, self.predicted.context, parts=self._label
        )

    async def ask_facets(self, judge: Judge) -> Matched:
        """Variables and relationship."""
        answers = await at_once(
            variables.ask(judge, self._comparison, self._label), relationship.ask(judge, self._comparison, self._label)
        )
        return Matched(self.gold, self.predicted, *answers)


def _one_to_one(gold: tuple[Part, ...], predicted: tuple[Part, ...], whole: ProductVerdict) -> PartsVerdict:
    """The parts are the whole hypotheses, about which everything has been asked."""
    if not whole.context.score or whole.variables is None or whole.relationship is None:
        return PartsVerdict(gold, predicted, _failures(whole.context.match), ())
    return PartsVerdict(gold, predicted, (), (Matched(gold[0], predicted[0], whole.variables, whole.relationship),))


def _failures(*answers: object) -> tuple[ParseFailure, ...]:
    return tuple(answer for answer in answers if isinstance(answer, ParseFailure))
