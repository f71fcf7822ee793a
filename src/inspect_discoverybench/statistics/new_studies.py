"""What a mean says about new studies like the ones that were measured."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from scipy.special import stdtr

from inspect_discoverybench.statistics.clusters import (
    ClusterMean,
    cluster_mean,
    effective_number,
    sum_by_cluster,
)
from inspect_discoverybench.statistics.interval import Interval, t_quantile
from inspect_discoverybench.statistics.partial_scores import Bounds

MIN_STUDIES = 8
"""Smallest effective number of studies for which an interval is given. With fewer, it would span more than 60 points of
100, whatever the scores."""

ADDITIONAL_STUDIES = 4
"""Number of studies that are added to a variance. A few studies may all have the same mean by chance, and the variance
would then be 0. Agresti and Caffo (2000) add four observations for the same reason: two successes (1) and two failures
(0), each of which deviates by 1/2 from their mean."""


@dataclass(frozen=True)
class NewStudies:
    """A mean on new studies like these.

    Attributes:
        low: Lower end of its 95 % confidence interval; NaN for fewer than eight effective studies (`MIN_STUDIES`).
        high: Upper end.
        p_value: Two-sided p-value for a difference of 0; 1 for too few studies. It has no meaning for a mean of scores.
        lowest: Lowest mean over tasks if one study is left out.
        highest: Highest mean over tasks if one study is left out.
        studies: Number of studies with scores. The interval also counts studies whose tasks are all unscored.
    """

    low: float
    high: float
    p_value: float
    lowest: float
    highest: float
    studies: int


def on_new_studies(
    values: np.ndarray,
    bounds: Bounds,
    studies: Sequence[Hashable] | None,
    on_these_tasks: Interval,
    lowest_possible: float,
    comparisons: int = 1,
) -> NewStudies | None:
    """Generalize a mean to new studies. The interval on new studies contains the interval on the measured tasks.

    Args:
        values: One score or difference per task; NaN where it is unscored.
        bounds: The lowest and highest possible value of every task.
        studies: The study of each task, None if it is not known.
        on_these_tasks: The interval on the measured tasks.
        lowest_possible: The lowest possible mean: 0 for scores, −1 for differences. The highest is 1.
        comparisons: Number of intervals that are read together, for which this one is adjusted (Bonferroni).

    Returns:
        None if a study is not known, or fewer than two have scores.
    """
    if studies is None or None in set(studies):
        return None
    is_scored = ~np.isnan(values)
    scored = values[is_scored]
    scored_studies = list(compress(studies, is_scored))
    if len(set(scored_studies)) < 2:
        return None

    interval = Interval(math.nan, math.nan, p_value=1.0)  # stays if there are too few studies
    # All tasks count, even unscored ones, because the interval covers what their scores could be.
    tasks_per_study = sum_by_cluster(np.ones(len(studies)), studies)
    if effective_number(tasks_per_study) >= MIN_STUDIES:
        over_studies = _t_interval(bounds, studies, comparisons)
        # A statement about new studies must not be more certain than one about the measured tasks. But if the studies
        # happen to have similar means, the t interval is narrower than the interval on the measured tasks. So the lower
        # one of the two low ends is taken, the higher one of the two high ends, and the larger p-value.
        interval = Interval(
            low=max(lowest_possible, min(on_these_tasks.low, over_studies.low)),
            high=min(1.0, max(on_these_tasks.high, over_studies.high)),
            p_value=max(on_these_tasks.p_value, over_studies.p_value),
        )

    totals = sum_by_cluster(scored, scored_studies)
    sizes = sum_by_cluster(np.ones(len(scored)), scored_studies)
    means_without_one_study = (totals.sum() - totals) / (sizes.sum() - sizes)
    return NewStudies(
        low=interval.low,
        high=interval.high,
        p_value=interval.p_value,
        lowest=float(means_without_one_study.min()),
        highest=float(means_without_one_study.max()),
        studies=len(sizes),
    )


def _t_interval(bounds: Bounds, studies: Sequence[Hashable], comparisons: int) -> Interval:
    """Student's t interval over studies, for a mean of values in [−1, 1]."""
    lowest = cluster_mean(bounds.lowest, studies)
    highest = cluster_mean(bounds.highest, studies)
    # Both means are over the same studies, and so they have the same degrees of freedom.
    quantile = t_quantile(lowest.effective_clusters, comparisons)
    low = lowest.mean - quantile * _standard_error(lowest)
    high = highest.mean + quantile * _standard_error(highest)
    # With some of the possible values, the mean is 0, so the p-value is 1.
    if lowest.mean <= 0 <= highest.mean:
        return Interval(low, high, p_value=1.0)

    nearest_to_zero = lowest if lowest.mean > 0 else highest
    statistic = nearest_to_zero.mean / _standard_error(nearest_to_zero)
    tail = float(stdtr(nearest_to_zero.effective_clusters - 1, -abs(statistic)))
    return Interval(low, high, p_value=min(1.0, comparisons * 2 * tail))


def _standard_error(result: ClusterMean) -> float:
    """Standard error of a mean, as if there were four more studies, each of which deviates from the mean by 1/2.

    They add to the variance only: the mean and the number of studies stay those of the measured studies.
    """
    # A study shifts the mean by its deviation divided by the number of studies, and adds the square of this shift to
    # the variance.
    additional_variance = ADDITIONAL_STUDIES * 0.5**2 / result.effective_clusters**2
    return math.sqrt(result.variance + additional_variance)
