"""The order of a table's rows, which a column such as an index, a year or a group of rows often shows.

A placebo does not permute this column (`placebo.py`).
"""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import isnan
from typing import TypeVar

Value = TypeVar("Value", float, str)

_LEAST_CORRELATION = Fraction(1, 2)
"""Smallest correlation between the ranks of neighbouring rows at which a column counts as ordered.

In a column whose rows are in random order, this correlation is near 0."""


def ordering_column(columns: Sequence[Sequence[object]]) -> int | None:
    """Find the column by which the rows of a table are ordered: sorted, or with equal values next to each other.

    Args:
        columns: The values of each column, as texts or numbers. All columns are of one length.

    Returns:
        Position of the column in which the ranks of neighbouring rows correlate most; the first one if several are
        equal. None if the correlation is below 0.5 in all columns. Also None for a table with one column: a placebo
        that does not permute this column would be equal to the data.
    """
    if len(columns) < 2:
        return None
    squared_correlations = [_squared_correlation_of_neighbours(_ranks(values)) for values in columns]
    highest = max(squared_correlations)
    if highest < _LEAST_CORRELATION**2:
        return None
    return squared_correlations.index(highest)


def _squared_correlation_of_neighbours(ranks: Sequence[int]) -> Fraction:
    """The square of Pearson's correlation of each rank with the next one; 0 if they do not correlate positively.

    The square is an exact fraction. The correlation is a root, which a float would round. Rounding could then decide
    between columns with equal correlations, such as a column and its negative.
    """
    before, after = ranks[:-1], ranks[1:]
    count, sum_before, sum_after = len(before), sum(before), sum(after)
    # The covariance and the variances are multiplied by `count**2`, so they are whole numbers. The factor cancels.
    covariance = count * sum(x * y for x, y in zip(before, after, strict=True)) - sum_before * sum_after
    variance_before = count * sum(x * x for x in before) - sum_before**2
    variance_after = count * sum(y * y for y in after) - sum_after**2
    # The correlation is not defined if `before` or `after` has no variance, as with fewer than three rows.
    if covariance <= 0 or not variance_before or not variance_after:
        return Fraction(0)
    return Fraction(covariance**2, variance_before * variance_after)


def _ranks(values: Sequence[object]) -> list[int]:
    """Rank the values of a column.

    If at least half of the filled values are numbers, the numbers are ranked as such. All other values, such as blank
    ones, share the last rank. If fewer are numbers, all values are ranked as texts.
    """
    texts = [str(value) for value in values]
    numbers = [_as_number(text) for text in texts]
    filled_count = sum(bool(text.strip()) for text in texts)
    number_count = sum(number is not None for number in numbers)
    if number_count >= filled_count / 2:
        return _dense_ranks([float("inf") if number is None else number for number in numbers])
    return _dense_ranks(texts)


def _dense_ranks(values: Sequence[Value]) -> list[int]:
    """Ranks from 0, without gaps: equal values have the same one."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [ranks[value] for value in values]


def _as_number(text: str) -> float | None:
    """The number that a text is, with a decimal point or comma; None if it is no number, or NaN."""
    with suppress(ValueError):
        number = float(text.replace(",", "."))
        if not isnan(number):
            return number
    return None
