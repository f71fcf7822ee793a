"""The hypothesis match score: pure arithmetic (paper §4.3). Every number is in [0, 1]."""

from dataclasses import dataclass
from enum import StrEnum


class Relation(StrEnum):
    """The judge's answer about the relationship (paper, Listing 4)."""

    SIMILAR = "A"
    MORE_GENERAL = "B"
    DIFFERENT = "C"


RELATION_SCORES = {Relation.SIMILAR: 1.0, Relation.MORE_GENERAL: 0.5, Relation.DIFFERENT: 0.0}


@dataclass(frozen=True)
class FacetScores:
    """Scores of the three facets of one predicted hypothesis.

    Attributes:
        context: 1 if the contexts match, else 0.
        variables: F1 of the variables.
        relationship: 1 if the relations are the same, 0.5 if the predicted one is more general, else 0.
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
    """Scores of two hypotheses taken apart into sub-hypotheses, which are matched one to one by their contexts.

    Attributes:
        gold: Number of gold parts, at least 1.
        predicted: Number of predicted parts, at least 1.
        matched: Variables × relationship of each matched pair.
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
        """Harmonic mean of that share and the share of the predicted parts that are matched."""
        return 2 * len(self.matched) / (self.gold + self.predicted)

    @property
    def hms_recall(self) -> float:
        """Context recall × the matched pairs' scores, summed and divided by the number of predicted parts."""
        return self.context_recall * sum(self.matched) / self.predicted

    @property
    def hms_f1(self) -> float:
        """Context F1 × the mean of the matched pairs' scores."""
        return self.context_f1 * sum(self.matched) / len(self.matched) if self.matched else 0.0

    def values(self) -> dict[str, float]:
        """The four score keys that stand beside those of the product."""
        return {
            "hms_recall": self.hms_recall,
            "hms_f1": self.hms_f1,
            "context_recall": self.context_recall,
            "context_f1": self.context_f1,
        }


NO_PARTS = PartScores(gold=1, predicted=1, matched=())


def f1(size_gold: int, size_predicted: int, intersection: int) -> float:
    """Harmonic mean of precision and recall of the predicted variables; 0 without a common one.

    Raises:
        ValueError: The gold hypothesis has no variable, or the intersection is negative or larger than a size.
    """
    if size_gold < 1 or not 0 <= intersection <= min(size_gold, size_predicted):
        raise ValueError(f"{intersection} common variables of {size_gold} and {size_predicted}")
    # 2pr / (p + r) with p = i / sizeB and r = i / sizeA
    return 2 * intersection / (size_gold + size_predicted)
