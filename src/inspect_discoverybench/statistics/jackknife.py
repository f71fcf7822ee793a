"""Jackknife interval for a statistic of independent rows that lies between −1 and 1, such as Fleiss' kappa."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from inspect_discoverybench.statistics.mean import wilson

Row = TypeVar("Row")

TYPICAL_WEIGHT = 6
"""Weight of the typical variance, as a number of rows."""


def jackknife_interval(
    rows: Sequence[Row], statistic: Callable[[Sequence[Row]], float | None]
) -> tuple[float, float] | None:
    """The 95 % interval of a statistic that lies between −1 and 1.

    It is Wilson's score interval for the statistic scaled to [0, 1], with the effective sample size implied by the
    jackknife variance. It is asymmetric near a bound and never a single point: if annotators agree on all
    of ten pairs, kappa can still be below 1. With few rows, the jackknife variance is unreliable, so it is averaged
    with a typical one, which is that of values at the bounds. docs/statistics.md has the measured coverage.

    Args:
        rows: Independent observations, such as the pairs of one gold hypothesis.
        statistic: Computes the statistic of some rows; None if it is not defined.

    Returns:
        The endpoints of the interval; None for fewer than two rows, or if the statistic is not defined without one of
            them.
    """
    value, count = statistic(rows), len(rows)
    if value is None or count < 2:
        return None
    others = [statistic([*rows[:left_out], *rows[left_out + 1 :]]) for left_out in range(count)]
    defined = [other for other in others if other is not None]
    if len(defined) < count:
        return None
    center = math.fsum(defined) / count
    variance = (count - 1) / count * math.fsum((other - center) ** 2 for other in defined) / 4
    share = min(1.0, max(0.0, (value + 1) / 2))
    binary, size = share * (1 - share), float(count)
    if binary > 1e-12:  # otherwise the statistic is at a bound, where the jackknife variance is 0
        size = binary * (count + TYPICAL_WEIGHT) / (count * variance + TYPICAL_WEIGHT * binary / count)
    low, high = wilson(share, size, count + TYPICAL_WEIGHT - 1)
    return 2 * low - 1, 2 * high - 1
