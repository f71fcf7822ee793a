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


def f1(size_gold: int, size_predicted: int, intersection: int) -> float:
    """Harmonic mean of precision and recall of the predicted variables; 0 without a common one.

    Raises:
        ValueError: A size is below 1, or the intersection is negative or larger than a size.
    """
    if min(size_gold, size_predicted) < 1 or not 0 <= intersection <= min(size_gold, size_predicted):
        raise ValueError(f"{intersection} common variables of {size_gold} and {size_predicted}")
    # 2pr / (p + r) with p = i / sizeB and r = i / sizeA
    return 2 * intersection / (size_gold + size_predicted)
