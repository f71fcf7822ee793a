"""Skill of predictions on fresh rows."""

import math
from collections import Counter
from collections.abc import Sequence

Value = float | bool | str


def relative_skill(
    true: Sequence[Value],
    predicted: Sequence[Value],
    gold: Sequence[Value],
    *,
    numeric: bool,
    level_stated: bool = True,
) -> float:
    """Skill between the best constant (0) and the gold expression (1), clipped.

    The loss is the sum of squared errors for numbers, and the number of errors for labels.

    Args:
        true: Values of the target.
        predicted: Predictions.
        gold: The values of the gold expression.
        numeric: Whether the target is a number, as opposed to a label.
        level_stated: Whether the hypothesis states the level of the target. If not, the mean of numeric predictions is
            shifted to the mean of the target, which the best constant also knows.

    Returns:
        0 to 1; NaN if the gold expression is not better than a constant.
    """
    if not numeric:
        labels, guesses, golds = ([_label(value) for value in values] for values in (true, predicted, gold))
        constant = float(len(labels) - max(Counter(labels).values()))
        losses = [float(sum(a != b for a, b in zip(labels, values, strict=True))) for values in (guesses, golds)]
        return _between(constant, *losses)
    values, guessed, exact = ([float(value) for value in numbers] for numbers in (true, predicted, gold))
    mean = math.fsum(values) / len(values)
    if not level_stated:
        shift = mean - math.fsum(guessed) / len(guessed)
        guessed = [value + shift for value in guessed]
    return _between(_squares(values, [mean] * len(values)), _squares(values, guessed), _squares(values, exact))


def _between(constant: float, predicted: float, gold: float) -> float:
    if not gold < constant:
        return math.nan
    return min(1.0, max(0.0, (constant - predicted) / (constant - gold)))


def _squares(true: Sequence[float], predicted: Sequence[float]) -> float:
    # `error * error`, because `error ** 2` raises an error if the result is too large for a float.
    errors = (a - b for a, b in zip(true, predicted, strict=True))
    return sum(error * error for error in errors)


def _label(value: Value) -> str:
    """A label as text; numbers are read as booleans, because predictions of a boolean column may be probabilities."""
    return value if isinstance(value, str) else str(value > 0.5)
