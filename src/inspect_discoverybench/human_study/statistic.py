"""A row of what `discoverybench agree votes` prints, and the statistic that votes and labels share."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inspect_discoverybench.statistics.interval import wilson_interval


@dataclass(frozen=True)
class Statistic:
    """A row. None is a number that is not defined or does not apply.

    Attributes:
        name: What is measured.
        number: Number of pairs, samples or answers that are used.
        value: The value.
        low: Lower end of its 95 % interval.
        high: Upper end.
        paper: The paper's value.
        note: What was left out, or why a number is not defined.
    """

    name: str
    number: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    paper: float | None = None
    note: str = ""


def share(
    name: str,
    values: Sequence[float],
    clusters: Sequence[Hashable],
    paper: float | None = None,
    note: str = "",
) -> Statistic:
    """The mean of values in [0, 1] with its interval, which is clustered by gold hypothesis."""
    statistic = Statistic(name, len(values), paper=paper, note=note)
    if not values:
        return statistic
    statistic = replace(statistic, value=float(np.mean(values)))
    low, high = wilson_interval(values, clusters)
    return statistic if math.isnan(low) else replace(statistic, low=low, high=high)


def kappa(
    name: str, table: Sequence[Sequence[int]], clusters: Sequence[Hashable], paper: float | None = None
) -> Statistic:
    """Fleiss' kappa: agreement among annotators beyond chance (Fleiss, Levin and Paik 2003, section 18.3).

    The interval is that of the agreement; the agreement by chance is taken as measured.

    Args:
        name: Name of the row.
        table: The number of votes for each choice, by item. Items with fewer than two votes are left out.
        clusters: The cluster of each item.
        paper: The paper's value.
    """
    several = [row for row in zip(table, clusters, strict=True) if sum(row[0]) > 1]
    if not several:
        return Statistic(name, 0, paper=paper, note="not defined: nothing has votes from two annotators")
    votes = np.array([row for row, _ in several])
    choices = votes.sum(axis=0) / votes.sum()
    by_chance = float(choices @ choices)
    if by_chance == 1:
        return Statistic(name, len(votes), paper=paper, note="not defined: all votes are the same choice")

    sizes = votes.sum(axis=1)
    equal_pairs = (votes * (votes - 1)).sum(axis=1)
    agreement = equal_pairs / (sizes * (sizes - 1))
    note = f"annotators agree in {agreement.mean():.1%}"
    observed = share(name, agreement.tolist(), [cluster for _, cluster in several], paper, note)

    def beyond_chance(value: float | None) -> float | None:
        return None if value is None else max(-1.0, (value - by_chance) / (1 - by_chance))

    return replace(
        observed,
        value=beyond_chance(observed.value),
        low=beyond_chance(observed.low),
        high=beyond_chance(observed.high),
    )
