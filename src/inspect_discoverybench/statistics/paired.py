"""Paired comparison of two systems on the same tasks."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from scipy.special import ndtri

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import Values, check_scores, cluster_mean
from inspect_discoverybench.statistics.interval import SIGNIFICANCE_LEVEL, widened_variance
from inspect_discoverybench.statistics.new_studies import NewStudies, on_new_studies
from inspect_discoverybench.statistics.paired_interval import difference_interval
from inspect_discoverybench.statistics.partial_scores import Bounds

TARGET_POWER = 0.8

DECIMALS = 12
"""Differences are rounded to this number of decimals, so that 0.1 + 0.2 and 0.3 are a tie."""


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two systems' mean scores on common tasks: the first minus the second.

    Attributes:
        difference: Mean difference over the tasks that both scored.
        low: Lower end of its 95 % confidence interval on these tasks; NaN for a single cluster.
        high: Upper end. With several clusters, the interval contains 0 if and only if the p-value is at least
            0.05.
        p_value: Two-sided p-value on these tasks.
        wins: Number of tasks on which the first system scores higher.
        losses: Number of tasks on which it scores lower.
        ties: Number of tasks with equal scores.
        smallest_detectable: Difference that the test detects with power 0.8 at level 0.05; NaN for a single cluster.
        tasks: Number of tasks that both scored.
        clusters: Number of their clusters.
        new_studies: The difference on new studies like these; None if it cannot be estimated.
    """

    difference: float
    low: float
    high: float
    p_value: float
    wins: int
    losses: int
    ties: int
    smallest_detectable: float
    tasks: int
    clusters: int
    new_studies: NewStudies | None


def compare_paired(
    first: Values,
    second: Values,
    clusters: Sequence[Hashable],
    studies: Sequence[Hashable] | None = None,
    possible: tuple[Bounds, Bounds] | None = None,
    comparisons: int = 1,
) -> PairedDifference:
    """Compare two systems on the same tasks.

    Args:
        first: Scores of the first system in [0, 1], one per task. A task without a score has NaN, which is accepted
            only with `possible`.
        second: Scores of the second system for the same tasks.
        clusters: The cluster of each task.
        studies: The study of each task, None if it is not known; needed for `new_studies`.
        possible: The lowest and the highest score that each task could have had: for the first system, and for the
            second one. None if all samples are scored.
        comparisons: Number of differences that are read together. Intervals and p-values are adjusted (Bonferroni).

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], the lengths differ, or no task has a score of
            both systems.
    """
    if len(first) != len(second):
        raise InvalidArgument(f"A paired comparison needs the same tasks, got {len(first)} and {len(second)} scores.")
    if possible is None:
        possible = (Bounds(lowest=first, highest=first), Bounds(lowest=second, highest=second))
    first_bounds, second_bounds = possible
    for scores in (*first_bounds, *second_bounds):
        check_scores(scores, clusters)

    differences = _differences(first, second)
    is_scored = ~np.isnan(differences)
    scored = differences[is_scored]
    scored_clusters = list(compress(clusters, is_scored))
    if not len(scored):
        raise InvalidArgument("A paired comparison needs a task that both systems scored, got none.")

    bounds = Bounds(
        lowest=_differences(first_bounds.lowest, second_bounds.highest),
        highest=_differences(first_bounds.highest, second_bounds.lowest),
    )
    interval = difference_interval(bounds, clusters, comparisons)
    return PairedDifference(
        difference=math.fsum(scored) / len(scored),
        low=interval.low,
        high=interval.high,
        p_value=interval.p_value,
        wins=int((scored > 0).sum()),
        losses=int((scored < 0).sum()),
        ties=int((scored == 0).sum()),
        smallest_detectable=_smallest_detectable(scored, scored_clusters),
        tasks=len(scored),
        clusters=len(set(scored_clusters)),
        new_studies=on_new_studies(differences, bounds, studies, interval, lowest_possible=-1, comparisons=comparisons),
    )


def _differences(first: Values, second: Values) -> np.ndarray:
    differences: np.ndarray = np.subtract(first, second)
    return np.round(differences, DECIMALS)


def _smallest_detectable(differences: np.ndarray, clusters: Sequence[Hashable]) -> float:
    """Smallest mean difference that the test finds in 80 % of data sets with this spread of the differences."""
    detectable_standard_errors = float(ndtri(1 - SIGNIFICANCE_LEVEL / 2) + ndtri(TARGET_POWER))
    mean_difference = cluster_mean(differences, clusters)
    # The test uses the same widened variance (`GainAndLoss`). A difference of scores is at least -1.
    standard_error = math.sqrt(widened_variance(mean_difference, lowest=-1))
    return detectable_standard_errors * standard_error
