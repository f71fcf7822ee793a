"""Confidence interval and test for a mean difference over clusters. docs/statistics.md has their measured coverage."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from inspect_discoverybench.statistics.clusters import ClusterMean, Values, cluster_mean
from inspect_discoverybench.statistics.interval import SIGNIFICANCE_LEVEL, Interval, interval_of, widened_variance
from inspect_discoverybench.statistics.partial_scores import Bounds

SMALLEST_TAIL = 1e-300
"""Smallest probability that is computed. Floating-point numbers lose precision below 2.2e-308."""

MAX_SIZE_PER_TASK = 8
"""Largest effective sample size per task. Nearly equal gains have a small variance, which would give a large effective
size, although a few larger gains may decide the mean."""

UNSEEN_FACTOR = 1.8
"""The argument `probability_unseen` of `interval_of` is this multiple of its argument `tail`. The lower the factor, the
more room an interval leaves for large gains and losses that no task shows. With 2.4, an interval of 95 % covers less
than 93 % where most gains are small; with 1, it is wider than it needs to be."""


def difference_interval(bounds: Bounds, clusters: Sequence[Hashable], comparisons: int = 1) -> Interval:
    """Interval and test for a mean of differences in [−1, 1].

    A mean difference is the mean gain minus the mean loss. The ends of their intervals give those of the difference
    (Zou and Donner 2008; for proportions, Newcombe 1998). The p-value is the level at which the interval reaches 0.

    Args:
        bounds: The lowest and highest possible difference of every task, which are equal if all are known.
        clusters: The cluster of each task.
        comparisons: Number of intervals that are read together. The interval and the p-value are adjusted for this
            number (Bonferroni).
    """
    lowest = GainAndLoss.of(bounds.lowest, clusters)
    if math.isnan(lowest.variance):  # there is a single cluster
        return Interval(math.nan, math.nan, p_value=1.0)

    # `GainAndLoss` computes low ends. The high end of the interval is the low end for the negated differences, negated.
    negated_highest = GainAndLoss.of(np.negative(bounds.highest), clusters)
    tail = SIGNIFICANCE_LEVEL / comparisons / 2
    one_sided_p_value = min(lowest.one_sided_p_value(), negated_highest.one_sided_p_value())
    return Interval(
        low=lowest.low(tail),
        high=-negated_highest.low(tail),
        p_value=min(1.0, comparisons * 2 * one_sided_p_value),
    )


@dataclass(frozen=True)
class GainAndLoss:
    """A mean difference as a mean gain minus a mean loss.

    Attributes:
        gain: Mean of the differences above 0, with 0 in place of the others.
        loss: Mean size of the differences below 0, with 0 in place of the others.
        variance: Variance of the mean difference, widened as `widened_variance` does; NaN for a single cluster.
    """

    gain: ClusterMean
    loss: ClusterMean
    variance: float

    @classmethod
    def of(cls, differences: Values, clusters: Sequence[Hashable]) -> "GainAndLoss":
        """Split differences by their sign."""
        gains = np.maximum(differences, 0)
        losses = np.maximum(np.negative(differences), 0)
        mean_difference = cluster_mean(differences, clusters)
        return cls(
            gain=cluster_mean(gains, clusters),
            loss=cluster_mean(losses, clusters),
            variance=widened_variance(mean_difference, lowest=-1),
        )

    def low(self, tail: float) -> float:
        """Low end of the interval of the difference, with the probability `tail` below it (Zou and Donner 2008)."""
        probability_unseen = UNSEEN_FACTOR * tail
        max_size = MAX_SIZE_PER_TASK * self.gain.count
        gain_interval = interval_of(self.gain, tail, probability_unseen, max_size)
        loss_interval = interval_of(self.loss, tail, probability_unseen, max_size)

        # At the low end of the difference, the gain is lower than measured, and the loss is higher.
        less_gain = self.gain.mean - gain_interval.low
        more_loss = loss_interval.high - self.loss.mean
        # Two means with the standard errors a and b have a difference with the variance
        # a**2 + b**2 - 2 * correlation * a * b. Here, the two distances take the place of the standard errors.
        squared_distance = less_gain**2 + more_loss**2 - 2 * self._correlation() * less_gain * more_loss
        distance = math.sqrt(max(0.0, squared_distance))  # the square is below 0 only by rounding
        return self.gain.mean - self.loss.mean - distance

    def _correlation(self) -> float:
        """Correlation of the mean gain and the mean loss, from the variances of both and of their difference."""
        gain_variance = widened_variance(self.gain, lowest=0)
        loss_variance = widened_variance(self.loss, lowest=0)
        covariance = (gain_variance + loss_variance - self.variance) / 2
        correlation = covariance / math.sqrt(gain_variance * loss_variance)
        # All three variances are of the same clusters, including additional ones with a gain of 1 or a loss of 1. So
        # the correlation is outside [−1, 1] only by rounding.
        return min(1.0, max(-1.0, correlation))

    def one_sided_p_value(self) -> float:
        """One-sided p-value for a difference above 0: the tail of the interval whose low end is 0.

        It is at least `SMALLEST_TAIL`, and at most 1/2. A difference that is not above 0 has 1/2.
        """
        if self.low(0.5) <= 0:
            return 0.5
        if self.low(SMALLEST_TAIL) > 0:
            return SMALLEST_TAIL

        # The tail is found by its logarithm, because tails differ by hundreds of orders of magnitude.
        def low_of_log_tail(log_tail: float) -> float:
            return self.low(math.exp(log_tail))

        log_tail = brentq(low_of_log_tail, math.log(SMALLEST_TAIL), math.log(0.5))
        return math.exp(log_tail)
