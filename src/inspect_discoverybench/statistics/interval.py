"""Confidence intervals over clusters. docs/statistics.md has their measured coverage."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from inspect_discoverybench.statistics.clusters import Bounds, ClusterMean, Values, cluster_mean

SIGNIFICANCE_LEVEL = 0.05
"""Intervals have the complementary level, 95 %."""

ADDITIONAL_CLUSTERS = 4
"""Agresti and Caffo (2000) add four observations: where most values are 0, few clusters may show any variation."""

SMALLEST_VARIANCE = 1e-20
"""A smaller one is that of equal values with rounding errors."""


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval.

    Attributes:
        low: Lower end; NaN for a single cluster.
        high: Upper end.
        p_value: Two-sided p-value for a mean of 0; 1 for a single cluster.
    """

    low: float
    high: float
    p_value: float


def wilson_interval(values: Values, clusters: Sequence[Hashable]) -> tuple[float, float]:
    """Wilson's 95 % interval for a mean of values in [0, 1]; NaN for a single cluster.

    It has the effective sample size of complex surveys: the number of independent values of 0 and 1 whose mean has the
    same variance (Korn and Graubard 1998; Franco, Little, Louis and Slud 2019), as if there were four more clusters.
    Without any variance, it is the number of clusters.

    Args:
        values: One value per task; at least one.
        clusters: The cluster of each task.
    """
    result = cluster_mean(values, clusters)
    if math.isnan(result.variance):
        return math.nan, math.nan
    mean = result.mean
    binary_variance = mean * (1 - mean)
    size = result.clusters
    if result.variance > SMALLEST_VARIANCE:
        # The values of additional clusters are 0 or 1 and have this mean, so each has the variance of a binary value.
        additional = ADDITIONAL_CLUSTERS / result.clusters**2
        per_value = result.variance / binary_variance + additional
        size = min(result.values, 1 / per_value)

    # The ends are the means from which this one is as far away as the quantile of t allows.
    quantile = t_quantile(result.clusters)
    ratio = quantile**2 / size
    scale = 1 + ratio
    center = mean + ratio / 2
    squared = ratio * binary_variance + ratio**2 / 4
    half_width = math.sqrt(squared)
    low = (center - half_width) / scale
    high = (center + half_width) / scale
    # Rounding errors must not move an end past the mean.
    low = min(mean, low)
    high = max(mean, high)
    return max(0.0, low), min(1.0, high)


def t_interval(bounds: Bounds, clusters: Sequence[Hashable], comparisons: int = 1) -> Interval:
    """Student's t interval over clusters, for a mean of values in [−1, 1].

    Args:
        bounds: The lowest and highest possible value of every task, which are equal if all are known.
        clusters: The cluster of each task.
        comparisons: Number of intervals that are read together, for which this one is adjusted (Bonferroni).
    """
    lowest_values, highest_values = bounds
    lowest = cluster_mean(lowest_values, clusters)
    highest = cluster_mean(highest_values, clusters)
    if math.isnan(lowest.variance):
        return Interval(math.nan, math.nan, p_value=1.0)

    quantile = t_quantile(lowest.clusters, comparisons)
    below = quantile * standard_error(lowest)
    above = quantile * standard_error(highest)
    low = lowest.mean - below
    high = highest.mean + above
    if lowest.mean <= 0 <= highest.mean:
        return Interval(low, high, p_value=1.0)
    nearest_to_zero = lowest if lowest.mean > 0 else highest
    p_value = comparisons * _p_value(nearest_to_zero)
    return Interval(low, high, p_value=min(1.0, p_value))


def t_quantile(clusters: float, comparisons: int = 1) -> float:
    """The quantile of Student's t for a two-sided 95 % interval over an effective number of clusters."""
    tail = SIGNIFICANCE_LEVEL / comparisons / 2
    degrees = clusters - 1
    return float(stdtrit(degrees, 1 - tail))


def standard_error(result: ClusterMean) -> float:
    """Standard error of a mean of values in [−1, 1], as if there were four more clusters with values of ±1/2."""
    squares = ADDITIONAL_CLUSTERS * 0.5**2
    additional = squares / result.clusters**2
    return math.sqrt(result.variance + additional)


def _p_value(result: ClusterMean) -> float:
    statistic = result.mean / standard_error(result)
    degrees = result.clusters - 1
    tail = stdtr(degrees, -abs(statistic))
    return 2 * float(tail)
