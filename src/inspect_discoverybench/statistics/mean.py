"""The mean of scores on tasks that depend on each other if they share a gold hypothesis."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from inspect_discoverybench.statistics.clusters import Values, check_scores, cluster_mean
from inspect_discoverybench.statistics.interval import mean_interval
from inspect_discoverybench.statistics.new_studies import NewStudies, on_new_studies
from inspect_discoverybench.statistics.partial_scores import Bounds


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % confidence interval.

    Attributes:
        mean: The mean over scored tasks.
        low: Lower end of the interval on these tasks; NaN for a single cluster.
        high: Upper end of the interval.
        tasks: Number of scored tasks, after averaging epochs.
        clusters: Number of their clusters.
        new_studies: The mean on new studies like these; None if it was not estimated.
        standard_error: Cluster-robust standard error of the mean; NaN for a single cluster.
    """

    mean: float
    low: float
    high: float
    tasks: int
    clusters: int
    new_studies: NewStudies | None = None
    standard_error: float = math.nan


def estimate_mean(
    values: Values,
    clusters: Sequence[Hashable],
    studies: Sequence[Hashable] | None = None,
    possible: Bounds | None = None,
) -> Estimate:
    """Estimate the mean of scores in [0, 1].

    The interval contains the mean, stays within [0, 1], and is never a single point, even if all scores are equal.

    Args:
        values: One score per task. A task without a score has NaN, which is accepted only with `possible`.
        clusters: The cluster of each task, such as its gold hypothesis.
        studies: The study of each task, None if it is not known; needed for `new_studies`.
        possible: The lowest and the highest score that each task could have had; None if all samples are scored.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    if possible is None:
        possible = Bounds(lowest=values, highest=values)
    check_scores(possible.lowest, clusters)
    check_scores(possible.highest, clusters)
    scores = np.asarray(values, float)
    is_scored = ~np.isnan(scores)
    scored = scores[is_scored]
    scored_clusters = list(compress(clusters, is_scored))
    check_scores(scored, scored_clusters)  # refuses a mean of no scores, too

    interval = mean_interval(possible, clusters)
    mean_of_scored = cluster_mean(scored, scored_clusters)
    return Estimate(
        mean=mean_of_scored.mean,
        low=interval.low,
        high=interval.high,
        tasks=len(scored),
        clusters=len(set(scored_clusters)),
        new_studies=on_new_studies(scores, possible, studies, interval, lowest_possible=0),
        standard_error=math.sqrt(mean_of_scored.variance),
    )
