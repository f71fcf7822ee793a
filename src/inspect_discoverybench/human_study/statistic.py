"""The rows that `discoverybench agree votes` prints for votes and for labels.

The functions here compute a share and Fleiss' kappa.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from inspect_discoverybench.statistics.interval import mean_interval
from inspect_discoverybench.statistics.partial_scores import Bounds


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
    statistic = replace(statistic, value=fmean(values))
    # All values are known, so each is its own lowest and highest possible value.
    interval = mean_interval(Bounds(lowest=values, highest=values), clusters)
    if math.isnan(interval.low):  # all values are in one cluster
        return statistic
    return replace(statistic, low=interval.low, high=interval.high)


def kappa(
    name: str,
    table: Sequence[Sequence[int]],
    clusters: Sequence[Hashable],
    paper: float | None = None,
) -> Statistic:
    """Fleiss' kappa: agreement among annotators beyond chance (Fleiss 1971).

    Items may have different numbers of votes. Then each item has the same weight, in the agreement and in the agreement
    by chance, as in Gwet's "Handbook of Inter-Rater Reliability" (2014). The interval covers the uncertainty of the
    agreement. The agreement by chance counts as if it were known exactly.

    Args:
        name: Name of the row.
        table: The number of votes for each choice, by item. Items with fewer than two votes are left out.
        clusters: The cluster of each item.
        paper: The paper's value.
    """
    rows = []
    clusters_of_rows = []
    for row, cluster in zip(table, clusters, strict=True):
        if sum(row) > 1:
            rows.append(row)
            clusters_of_rows.append(cluster)
    undefined = Statistic(name, len(rows), paper=paper)
    if not rows:
        return replace(undefined, note="not defined: nothing has votes from two annotators")

    votes = np.array(rows)
    sizes = votes.sum(axis=1)
    share_of_choices = (votes / sizes[:, np.newaxis]).mean(axis=0)
    by_chance = float(share_of_choices @ share_of_choices)  # the probability that votes on two random items are equal
    if by_chance == 1:
        return replace(undefined, note="not defined: all votes are the same choice")

    pairs_of_votes = sizes * (sizes - 1)
    pairs_of_equal_votes = (votes * (votes - 1)).sum(axis=1)
    agreement = pairs_of_equal_votes / pairs_of_votes
    note = f"annotators agree in {agreement.mean():.1%}"
    observed = share(name, agreement.tolist(), clusters_of_rows, paper, note)
    return replace(
        observed,
        value=_beyond_chance(observed.value, by_chance),
        low=_beyond_chance(observed.low, by_chance),
        high=_beyond_chance(observed.high, by_chance),
    )


def _beyond_chance(agreement: float | None, by_chance: float) -> float | None:
    """Kappa from the observed agreement and the agreement by chance; None if there is no observed agreement."""
    if agreement is None:
        return None
    # Kappa is at least -1. If `agreement` is the lower end of an interval, the quotient can be below -1, because
    # `by_chance` is computed from the actual votes.
    return max(-1.0, (agreement - by_chance) / (1 - by_chance))
