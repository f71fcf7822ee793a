"""Sub-hypotheses: the parts of two hypotheses matched one to one by their contexts, each pair judged by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import nan, prod

from inspect_discoverybench.scorer import relationship, variables
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match, folded, identical, matching
from inspect_discoverybench.scorer.hms import NO_PARTS, PartScores
from inspect_discoverybench.scorer.judge import Judge, Undecided, at_once
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
    variables: Variables | Undecided
    relationship: Relationship | Undecided

    @property
    def score(self) -> float | None:
        """Variables × relationship; None if it is undecided. One that is 0 decides."""
        answers = (self.variables, self.relationship)
        scores = [answer.score for answer in answers if not isinstance(answer, Undecided)]
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
    undecided: tuple[Undecided, ...]
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
    found = (Part(Contexts(hypothesis=(part,)).joined, part.text.strip() or whole) for part in contexts.hypothesis)
    distinct = {(folded(part.context), folded(part.text)): part for part in sorted(found, reverse=True)}
    if len(distinct) <= 1:
        return (Part(contexts.joined, whole),)
    return tuple(distinct[key] for key in sorted(distinct))


async def verdict(
    judge: Judge,
    pair: Comparison,
    whole: ContextVerdict,
    compared: tuple[Variables | Undecided | None, Relationship | Undecided | None],
) -> PartsVerdict:
    """Ask which parts match, and about variables and relationship of those that do; then match one to one.

    Args:
        judge: Whom to ask.
        pair: The whole hypotheses.
        whole: Their contexts.
        compared: The answers about their variables and relationship: those of the only pair, if there is but one.

    Returns:
        No parts if an extraction is undecided.
    """
    if isinstance(whole.gold, Undecided) or isinstance(whole.predicted, Undecided):
        undecided = tuple(answer for answer in (whole.gold, whole.predicted) if isinstance(answer, Undecided))
        return PartsVerdict((), (), undecided, ())
    gold, predicted = parts(whole.gold, pair.gold_hypothesis), parts(whole.predicted, pair.predicted_hypothesis)
    if len(gold) == len(predicted) == 1:
        return _one_to_one(gold[0], predicted[0], whole, compared)
    places = list(product(range(len(gold)), range(len(predicted))))
    answers = await at_once(*(_match(judge, pair, gold[g], predicted[p], f"{g + 1}, {p + 1}") for g, p in places))
    unmatched = tuple(answer for answer in answers if isinstance(answer, Undecided))
    if unmatched:
        return PartsVerdict(gold, predicted, unmatched, ())
    edges = [place for place, answer in zip(places, answers, strict=True) if answer]
    found = await at_once(
        *(_compared(judge, pair, gold[g], predicted[p], f"{g + 1}, {p + 1}") for g, p in edges),
    )
    scores = {edge: matched.score for edge, matched in zip(edges, found, strict=True)}
    decided = {edge: score for edge, score in scores.items() if score is not None}
    if len(decided) < len(edges):
        return PartsVerdict(gold, predicted, (), tuple(found))
    chosen = set(maximum_matching(decided, len(gold), len(predicted)))
    return PartsVerdict(
        gold, predicted, (), tuple(matched for edge, matched in zip(edges, found, strict=True) if edge in chosen)
    )


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


def _one_to_one(
    gold: Part,
    predicted: Part,
    whole: ContextVerdict,
    compared: tuple[Variables | Undecided | None, Relationship | Undecided | None],
) -> PartsVerdict:
    """The parts are the whole hypotheses, about which everything has been asked."""
    undecided = (whole.match,) if isinstance(whole.match, Undecided) else ()
    shared, relation = compared
    if not isinstance(whole.match, Match) or not whole.match.match or shared is None or relation is None:
        return PartsVerdict((gold,), (predicted,), undecided, ())
    return PartsVerdict((gold,), (predicted,), (), (Matched(gold, predicted, shared, relation),))


async def _match(judge: Judge, pair: Comparison, gold: Part, predicted: Part, place: str) -> bool | Undecided:
    if identical(gold.context, predicted.context):
        return True
    asked = matching(
        replace(pair, gold_hypothesis=gold.text, predicted_hypothesis=predicted.text),
        gold_context=gold.context,
        predicted_context=predicted.context,
    )
    answer = await judge.ask(replace(asked, name=f"{asked.name} of parts {place}"))
    return answer if isinstance(answer, Undecided) else answer.match


async def _compared(judge: Judge, pair: Comparison, gold: Part, predicted: Part, place: str) -> Matched:
    parted = replace(pair, gold_hypothesis=gold.text, predicted_hypothesis=predicted.text)
    shared, relation = variables.question(parted), relationship.question(parted)
    answers = await at_once(
        judge.ask(replace(shared, name=f"{shared.name} of parts {place}")),
        judge.ask(replace(relation, name=f"{relation.name} of parts {place}")),
    )
    return Matched(gold, predicted, *answers)
