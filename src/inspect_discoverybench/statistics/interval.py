"""Confidence intervals for means over clusters. docs/statistics.md has their measured coverage."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scipy.special import betaincinv, stdtrit

from inspect_discoverybench.statistics.clusters import ClusterMean, cluster_mean
from inspect_discoverybench.statistics.partial_scores import Bounds

SIGNIFICANCE_LEVEL = 0.05
"""Intervals have the complementary level, 95 %."""

ADDITIONAL_CLUSTERS = 0.5
"""Agresti and Caffo (2000) add observations: where most values are equal, few clusters may show any variation."""


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval.

    Attributes:
        low: Lower end; NaN for a single cluster.
        high: Upper end.
        p_value: Two-sided p-value for a mean of 0; 1 for a single cluster, and NaN where nothing is tested.
    """

    low: float
    high: float
    p_value: float = math.nan


def mean_interval(bounds: Bounds, clusters: Sequence[Hashable]) -> Interval:
    """Clopper and Pearson's interval for a mean of values in [0, 1].

    It has the effective sample size of complex surveys (Korn and Graubard 1998): the number of independent values of 0
    and 1 whose mean has the same variance. This number is at least the number of clusters, and at most the number of
    values.

    Args:
        bounds: The lowest and highest possible value of every task, which are equal if all are known.
        clusters: The cluster of each task.
    """
    lowest = cluster_mean(bounds.lowest, clusters)
    highest = cluster_mean(bounds.highest, clusters)
    if math.isnan(lowest.variance):
        return Interval(math.nan, math.nan)

    tail = SIGNIFICANCE_LEVEL / 2
    return Interval(
        low=interval_of(lowest, tail, unseen=tail, max_size=lowest.values).low,
        high=interval_of(highest, tail, unseen=tail, max_size=highest.values).high,
    )


def interval_of(result: ClusterMean, tail: float, unseen: float, max_size: float) -> Interval:
    """Clopper and Pearson's interval for a mean of values in [0, 1], wide enough for values that no cluster shows.

    Args:
        result: The mean, of at least two clusters.
        tail: Probability beyond each end.
        unseen: Probability that no cluster shows a value of 0 or 1, if these are as frequent as the interval allows.
        max_size: The largest effective sample size.
    """
    with_unseen_values = _interval_with_unseen_values(result, unseen)
    if not 0 < result.mean < 1:
        return with_unseen_values

    binomial = _clopper_pearson(result, tail, max_size)
    return Interval(
        low=min(with_unseen_values.low, binomial.low),
        high=max(with_unseen_values.high, binomial.high),
    )


def _interval_with_unseen_values(result: ClusterMean, unseen: float) -> Interval:
    """The interval if some values are all 0 or all 1, and no cluster shows one of them.

    So many values may be unseen that this has the probability `unseen`.
    """
    share_of_seen_values = unseen ** (1 / result.clusters)
    return Interval(
        low=share_of_seen_values * result.mean,  # the unseen values are 0
        high=1 - share_of_seen_values * (1 - result.mean),  # the unseen values are 1
    )


def _clopper_pearson(result: ClusterMean, tail: float, max_size: float) -> Interval:
    """The interval for as many values of 0 and 1 as have the same variance: the effective sample size."""
    mean = result.mean
    size = mean * (1 - mean) / variance(result, lowest=0)
    # The variance is largest where all values of a cluster are 0 or all are 1. The size is then the number of clusters.
    size = min(max_size, max(result.clusters, size))
    successes = size * mean
    failures = size * (1 - mean)
    return Interval(
        low=float(betaincinv(successes, failures + 1, tail)),
        high=float(betaincinv(successes + 1, failures, 1 - tail)),
    )


def variance(result: ClusterMean, lowest: float) -> float:
    """Variance of a mean of values from `lowest` to 1; NaN for a single cluster.

    It is as if the additional clusters had the lowest or the highest value, with equal chances.
    """
    # The mean of the squared distances to the two values.
    squared_distance = ((result.mean - lowest) ** 2 + (1 - result.mean) ** 2) / 2
    additional = ADDITIONAL_CLUSTERS * squared_distance
    return result.variance + additional / result.clusters**2


def t_quantile(clusters: float, comparisons: int = 1) -> float:
    """The quantile of Student's t for a two-sided 95 % interval over an effective number of clusters."""
    tail = SIGNIFICANCE_LEVEL / comparisons / 2
    return float(stdtrit(clusters - 1, 1 - tail))
