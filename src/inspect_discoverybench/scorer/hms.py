"""The hypothesis match score (HMS): pure arithmetic (paper §4.3). All scores are in [0, 1]."""

from dataclasses import dataclass
from enum import StrEnum


class RelationshipAnswer(StrEnum):
    """The options for the relationship (paper, Listing 4)."""

    SIMILAR = "A"
    MORE_GENERAL = "B"
    DIFFERENT = "C"


RELATIONSHIP_SCORES = {
    RelationshipAnswer.SIMILAR: 1.0,
    RelationshipAnswer.MORE_GENERAL: 0.5,
    RelationshipAnswer.DIFFERENT: 0.0,
}


@dataclass(frozen=True)
class FacetScores:
    """Facet scores of a predicted hypothesis.

    Attributes:
        context: 1 if the contexts match, else 0.
        variables: F1 of the predicted variables.
        relationship: 1 if the relationships are very similar, 0.5 if the predicted one is more general, else 0.
    """

    context: float
    variables: float
    relationship: float

    @property
    def hms(self) -> float:
        """Context × variables × relationship."""
        return self.context * self.variables * self.relationship

    def values(self) -> dict[str, float]:
        """The four score keys."""
        return {
            "hms": self.hms,
            "context": self.context,
            "variables": self.variables,
            "relationship": self.relationship,
        }


NO_SUBMISSION = FacetScores(context=0.0, variables=0.0, relationship=0.0)


@dataclass(frozen=True)
class PartScores:
    """Scores of two hypotheses from their sub-hypotheses ("parts"), matched one to one by context.

    Attributes:
        gold: Number of gold parts, at least 1.
        predicted: Number of predicted parts, at least 1.
        matched: Variables × relationship of each matched pair of parts.
    """

    gold: int
    predicted: int
    matched: tuple[float, ...]

    @property
    def context_recall(self) -> float:
        """Share of the gold parts that are matched."""
        return len(self.matched) / self.gold

    @property
    def context_f1(self) -> float:
        """Harmonic mean of the shares of gold and of predicted parts that are matched."""
        return 2 * len(self.matched) / (self.gold + self.predicted)

    @property
    def hms_recall(self) -> float:
        """Context recall × the sum of the matched pairs' scores / the number of predicted parts."""
        return self.context_recall * sum(self.matched) / self.predicted

    @property
    def hms_f1(self) -> float:
        """Context F1 × the mean score of the matched pairs; 0 if none match."""
        return self.context_f1 * sum(self.matched) / len(self.matched) if self.matched else 0.0

    def values(self) -> dict[str, float]:
        """The four additional score keys."""
        return {
            "hms_recall": self.hms_recall,
            "hms_f1": self.hms_f1,
            "context_recall": self.context_recall,
            "context_f1": self.context_f1,
        }


NO_PARTS = PartScores(gold=1, predicted=1, matched=())


def f1(size_gold: int, size_predicted: int, intersection: int) -> float:
    """F1 of the predicted variables: the harmonic mean of their precision and recall; 0 if none are shared.

    Raises:
        ValueError: `size_gold` is 0, or the intersection is negative or larger than either size.
    """
    if size_gold < 1 or not 0 <= intersection <= min(size_gold, size_predicted):
        raise ValueError(
            f"invalid counts: {intersection} shared variables of {size_gold} gold and {size_predicted} predicted"
        )
    # 2pr / (p + r) with p = i / sizeB and r = i / sizeA
    return 2 * intersection / (size_gold + size_predicted)
