"""The mean of clustered scores and its 95 % confidence interval.

The interval is Wilson's score interval with an effective sample size, as for proportions in complex surveys (Korn and
Graubard 1998; Franco, Little, Louis and Slud 2019). The effective sample size is the number of tasks divided by the
design effect: the cluster-robust variance of the mean relative to that of independent values of 0 and 1. With few
clusters the measured design effect is unreliable, so it is averaged with a typical one. docs/statistics.md has the
measured coverage.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from inspect_discoverybench.statistics.clusters import Clustered, NewStudies, clustered, on_new_studies

TYPICAL_CORRELATION = 0.3
"""Correlation of the scores of two tasks of one cluster."""
TYPICAL_DISPERSION = 0.8
"""Variance of HMS relative to values of 0 and 1 with the same mean. It is below 1 because of partial scores."""
TYPICAL_WEIGHT = 16
"""Weight of the typical design effect, as a number of clusters."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval.

    Attributes:
        mean: The mean over tasks.
        low: Lower end of the interval on these tasks; NaN for a single task.
        high: Upper end of the interval.
        tasks: Number of tasks, after averaging epochs.
        clusters: Number of clusters.
        new_studies: The mean on new studies like these; None if it was not estimated.
    """

    mean: float
    low: float
    high: float
    tasks: int
    clusters: int
    new_studies: NewStudies | None = None


def estimate_mean(
    values: Sequence[float], clusters: Sequence[Hashable], studies: Sequence[Hashable] | None = None
) -> Estimate:
    """Estimate the mean of scores in [0, 1].

    The interval contains the mean, stays within [0, 1], and is never a single point, even if all scores are equal. A
    single task has none.

    Args:
        values: One score per task.
        clusters: The cluster of each task, such as its gold hypothesis.
        studies: The study of each task, None if it is not known; needed for `new_studies`.

    Raises:
        InvalidArgument: There are no values, a value is not in [0, 1], or the lengths differ.
    """
    scores = clustered(values, clusters)
    design_effect, degrees = _design_effect(scores)
    low, high = wilson(scores.mean, scores.tasks / design_effect, degrees) if scores.tasks > 1 else (math.nan, math.nan)
    new_studies = on_new_studies(values, studies, (low, high, math.nan))
    return Estimate(scores.mean, low, high, scores.tasks, scores.clusters, new_studies)


def wilson(mean: float, sample_size: float, degrees: float) -> tuple[float, float]:
    """Wilson's 95 % interval for a mean in [0, 1], with Student's t instead of the normal quantile.

    Args:
        mean: The mean.
        sample_size: Effective sample size.
        degrees: Degrees of freedom.
    """
    ratio = float(stdtrit(degrees, 0.975)) ** 2 / sample_size
    center = (mean + ratio / 2) / (1 + ratio)
    half_width = math.sqrt(ratio * mean * (1 - mean) + ratio**2 / 4) / (1 + ratio)
    # Rounding errors must not move an endpoint past the mean.
    return max(0.0, min(mean, center - half_width)), min(1.0, max(mean, center + half_width))


def bounds(values: Sequence[float], unscored_count: int) -> tuple[float, float]:
    """The mean if every unscored sample had scored 0, and if every one had scored 1.

    Args:
        values: Scores of the scored samples in [0, 1].
        unscored_count: Number of unscored samples. There is at least one sample.
    """
    total, samples = math.fsum(values), len(values) + unscored_count
    return total / samples, min(1.0, (total + unscored_count) / samples)


def _design_effect(scores: Clustered) -> tuple[float, float]:
    """The design effect, and the degrees of freedom of its estimate.

    The typical design effect counts as `TYPICAL_WEIGHT` clusters. Near a mean of 0 or 1, where few clusters show any
    variation, the measured one counts less.
    """
    # Kish's m, the size of the cluster of a task, averaged over tasks: 1 for independent tasks.
    average_size = float(scores.sizes @ scores.sizes) / scores.tasks
    typical = TYPICAL_DISPERSION * (1 + (average_size - 1) * TYPICAL_CORRELATION)
    binary_variance = scores.mean * (1 - scores.mean)
    if scores.clusters < 2 or binary_variance <= 0:
        return typical, TYPICAL_WEIGHT
    measured = scores.tasks * scores.variance / binary_variance
    weight = scores.clusters * 4 * binary_variance
    degrees = weight + TYPICAL_WEIGHT
    return (weight * measured + TYPICAL_WEIGHT * typical) / degrees, degrees
