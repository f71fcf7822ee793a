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
"""Number of clusters whose deviation is added to a variance. Where most values are equal, a few clusters may show no
other value, and the variance would be too small. Agresti and Caffo (2000) add observations for the same reason."""


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
    and 1 whose mean has the same variance. This number is at least the effective number of clusters, and at most the
    number of values. The interval is widened for values that no cluster shows, as `interval_of` says.

    Args:
        bounds: The lowest and highest possible value of every task, which are equal if all are known.
        clusters: The cluster of each task.
    """
    lowest = cluster_mean(bounds.lowest, clusters)
    highest = cluster_mean(bounds.highest, clusters)
    if math.isnan(lowest.variance):
        return Interval(math.nan, math.nan)

    tail = SIGNIFICANCE_LEVEL / 2
    # `probability_unseen` is equal to the tail here. In intervals of differences, it is `UNSEEN_FACTOR` times as large
    # (paired_interval.py).
    return Interval(
        low=interval_of(lowest, tail, probability_unseen=tail, max_size=lowest.count).low,
        high=interval_of(highest, tail, probability_unseen=tail, max_size=highest.count).high,
    )


def interval_of(result: ClusterMean, tail: float, probability_unseen: float, max_size: float) -> Interval:
    """Clopper and Pearson's interval for a mean of values in [0, 1], wide enough for values that no cluster shows.

    Some values may be so rare that no cluster shows them. The interval includes the mean that results if all of these
    values are 0, and the mean that results if all are 1. Their share is unknown. The larger it is, the less probable it
    is that every cluster misses them. The assumed share is the one for which this probability is `probability_unseen`.

    Args:
        result: The mean, of at least two clusters.
        tail: Probability beyond each end.
        probability_unseen: Probability that every cluster misses the rare values.
        max_size: The largest effective sample size.
    """
    with_unseen_values = _interval_with_unseen_values(result, probability_unseen)
    # Where all values are 0 or all are 1, only unseen values can move the mean, and an end of Clopper and Pearson's
    # interval is NaN.
    if not 0 < result.mean < 1:
        return with_unseen_values

    binomial = _clopper_pearson(result, tail, max_size)
    return Interval(
        low=min(with_unseen_values.low, binomial.low),
        high=max(with_unseen_values.high, binomial.high),
    )


def _interval_with_unseen_values(result: ClusterMean, probability_unseen: float) -> Interval:
    """The interval from the mean if all unseen values are 0 to the mean if all are 1.

    The probability that a cluster misses the unseen values is the share of all other values, `share_of_seen_values`.
    Clusters are independent, so the probability that all of them miss the unseen values is
    `share_of_seen_values ** effective_clusters`. The share is the one for which this is `probability_unseen`.
    """
    share_of_seen_values = probability_unseen ** (1 / result.effective_clusters)
    return Interval(
        low=share_of_seen_values * result.mean,  # the unseen values are 0
        high=1 - share_of_seen_values * (1 - result.mean),  # the unseen values are 1
    )


def _clopper_pearson(result: ClusterMean, tail: float, max_size: float) -> Interval:
    """The interval with the effective sample size: the number of values of 0 and 1 whose mean has the same variance."""
    mean = result.mean
    estimated_size = mean * (1 - mean) / widened_variance(result, lowest=0)
    # Even if all values of a cluster are equal, they are worth one independent value. So the size is at least the
    # effective number of clusters. The estimated size can be smaller, because its variance is estimated and widened.
    size = min(max_size, max(result.effective_clusters, estimated_size))
    successes = size * mean
    failures = size * (1 - mean)
    return Interval(
        low=float(betaincinv(successes, failures + 1, tail)),
        high=float(betaincinv(successes + 1, failures, 1 - tail)),
    )


def widened_variance(result: ClusterMean, lowest: float) -> float:
    """Variance of a mean of values from `lowest` to 1, with `ADDITIONAL_CLUSTERS`; NaN for a single cluster.

    Each additional cluster has the lowest or the highest possible value, with equal chances.
    """
    mean_squared_deviation = ((result.mean - lowest) ** 2 + (1 - result.mean) ** 2) / 2
    # A cluster shifts the mean by its deviation divided by the number of clusters, and adds the square of this shift to
    # the variance.
    additional_variance = ADDITIONAL_CLUSTERS * mean_squared_deviation / result.effective_clusters**2
    return result.variance + additional_variance


def t_quantile(effective_clusters: float, comparisons: int = 1) -> float:
    """The quantile of Student's t for a two-sided 95 % interval, adjusted for a number of comparisons (Bonferroni)."""
    tail = SIGNIFICANCE_LEVEL / comparisons / 2
    return float(stdtrit(effective_clusters - 1, 1 - tail))
