"""What the errors of a judge do to the mean of a system, and to the difference of two systems.

Predictions are assumed to be of two kinds. Those that solve their task score 1. The others fail: they have two of three
variables right, a more general relationship (B), and another context, so they score 0.

A wrong verdict is assumed to be a neighbour of the right one: no match of contexts instead of a match, the next letter
of the relationship, or one variable more or less.
"""

from dataclasses import dataclass

F1_STEP = 1 / 3
"""How much a wrong verdict on one of three variables changes F1."""

RELATIONSHIP_STEP = 1 / 2
"""How much the neighbouring letter changes the score of the relationship."""

FAILED_F1 = 2 / 3
"""F1 of a prediction that fails."""

FAILED_RELATIONSHIP = 1 / 2
"""Score of the relationship of a prediction that fails."""


@dataclass(frozen=True)
class Accuracy:
    """How often the verdicts on each facet are right."""

    context: float
    variables: float
    relationship: float


def judged_mean(true_mean: float, accuracy: Accuracy) -> float:
    """Mean HMS by a judge with independent errors.

    Args:
        true_mean: Mean HMS by a judge without errors, in [0, 1].
        accuracy: The judge's accuracy.
    """
    # A prediction that solves its task scores 1, so a wrong verdict on it is too low.
    mean_f1 = 1 - (1 - accuracy.variables) * F1_STEP
    mean_relationship = 1 - (1 - accuracy.relationship) * RELATIONSHIP_STEP
    mean_if_solved = accuracy.context * mean_f1 * mean_relationship
    # A failed prediction scores above 0 only if its context is wrongly judged to match. Its other two facets may be
    # judged too high or too low. These errors cancel out in the mean.
    mean_if_failed = (1 - accuracy.context) * FAILED_F1 * FAILED_RELATIONSHIP
    return true_mean * mean_if_solved + (1 - true_mean) * mean_if_failed
