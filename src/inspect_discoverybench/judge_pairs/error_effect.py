"""What the errors of a judge do to the mean of a system, and to the difference of two systems.

Predictions are of two kinds: those that solve their task, and those with the right variables but for one, a more
general relationship and another context, which score 0. A wrong verdict is the next one: no match of contexts instead
of a match, A instead of B, one variable more or less.
"""

from dataclasses import dataclass

F1_STEP = 1 / 3
"""Of F1, by one of three variables."""

RELATIONSHIP_STEP = 1 / 2

FAILED_F1 = 2 / 3
FAILED_RELATIONSHIP = 1 / 2


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
    context_errors = 1 - accuracy.context
    variables_errors = (1 - accuracy.variables) * F1_STEP
    relationship_errors = (1 - accuracy.relationship) * RELATIONSHIP_STEP
    solved = accuracy.context * (1 - variables_errors) * (1 - relationship_errors)
    # Errors of the other two facets in both directions cancel out.
    failed = context_errors * FAILED_F1 * FAILED_RELATIONSHIP
    return true_mean * solved + (1 - true_mean) * failed
