"""The order of a table's rows, which a column such as an index, a year or a group of rows often shows."""

from collections.abc import Sequence
from contextlib import suppress
from math import isnan
from statistics import StatisticsError, correlation
from typing import TypeVar

Value = TypeVar("Value", float, str)

_LEAST_CORRELATION = 0.5
"""Between the ranks of neighbouring rows. It is near 0 in a column whose rows are in random order."""


def ordering_column(columns: Sequence[Sequence[object]]) -> int | None:
    """Find the column by which the rows of a table are ordered: sorted, or with equal values next to each other.

    Args:
        columns: The values of each column, as texts or numbers. All columns are of one length.

    Returns:
        Position of the column in which the ranks of neighbouring rows correlate most, the first one if several do;
        None if they correlate by less than 0.5 in all columns.
    """
    correlations = [_correlation_of_neighbours(_ranks(values)) for values in columns]
    highest = max(correlations, default=0.0)
    return correlations.index(highest) if highest >= _LEAST_CORRELATION else None


def _correlation_of_neighbours(ranks: Sequence[int]) -> float:
    with suppress(StatisticsError):  # fewer than three rows, or one value
        return correlation(ranks[:-1], ranks[1:])
    return 0.0


def _ranks(values: Sequence[object]) -> list[int]:
    """Rank the values of a column. If any is a number, all values that are not share the last rank.

    A column without numbers is ranked as texts.
    """
    texts = [str(value) for value in values]
    numbers = [_as_number(text) for text in texts]
    if any(number is not None for number in numbers):
        return _dense_ranks([float("inf") if number is None else number for number in numbers])
    return _dense_ranks(texts)


def _dense_ranks(values: Sequence[Value]) -> list[int]:
    """Ranks from 0, without gaps: equal values have the same one."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [ranks[value] for value in values]


def _as_number(text: str) -> float | None:
    """The number that a text is, with a decimal point or comma."""
    with suppress(ValueError):
        number = float(text.replace(",", "."))
        if not isnan(number):
            return number
    return None
