"""Paired comparison of systems on the same tasks, with clusters.

Interval and test are those of the cluster-robust t. With fewer than 25 tasks, a difference must also be significant by
an exact test, which flips the signs of whole clusters. docs/statistics.md has the measured coverage and false alarms.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtrinc, stdtrit
from statsmodels.stats.multitest import multipletests

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import (
    Clustered,
    NewStudies,
    clustered,
    grouped,
    on_new_studies,
    t_interval,
)

SIGNIFICANCE_LEVEL = 0.05
TARGET_POWER = 0.8
TOLERANCE = 1e-10
"""Sums that differ by no more than this are equal. Sums of decimal fractions have rounding errors."""
MIN_TASKS = 25
"""Number of tasks from which the t-test decides alone."""
MIN_CLUSTERS = 6
"""Number of clusters from which there is an interval. With fewer, the exact test cannot be significant."""
PSEUDO_SQUARES, MAX_PSEUDO_SQUARES = 1 / 64, 0.5
"""Sum of the squares of two additional tasks that count in the variance, similar to Agresti and Min (2005): for each
task, and at most, which is that of the differences 1/2 and −1/2. Without them, the interval would be too narrow if few
differences are not 0 or if they are skewed, and a single point if all are 0."""

EXACT_TEST = "exact sign-flip test over clusters"
T_TEST = "paired t-test over clusters"


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two systems' mean scores on common tasks: the first minus the second.

    Attributes:
        difference: Mean difference.
        low: Lower end of its 95 % confidence interval on these tasks; NaN for fewer than six clusters.
        high: Upper end of the interval, which contains 0 exactly if the p-value is at least 0.05.
        p_value: Two-sided p-value on these tasks. With fewer than 25 tasks, it is the larger one of two tests.
        test: Name of the test that it is from.
        wins: Number of tasks on which the first system scores higher.
        losses: Number of tasks on which it scores lower.
        ties: Number of tasks with equal scores.
        smallest_detectable: Difference that the t-test detects with power 0.8 at level 0.05; NaN for fewer than 25
            tasks.
        tasks: Number of common tasks.
        clusters: Number of their clusters.
        new_studies: The difference on new studies like these; None if it cannot be estimated.
    """

    difference: float
    low: float
    high: float
    p_value: float
    test: str
    wins: int
    losses: int
    ties: int
    smallest_detectable: float
    tasks: int
    clusters: int
    new_studies: NewStudies | None


def compare_paired(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable],
    studies: Sequence[Hashable] | None = None,
) -> PairedDifference:
    """Compare two systems on the same tasks.

    Args:
        a: Scores of the first system in [0, 1], one per task.
        b: Scores of the second system for the same tasks.
        clusters: The cluster of each task.
        studies: The study of each task, None if it is not known; needed for `new_studies`.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    if len(a) != len(b):
        raise InvalidArgument(f"A paired comparison needs the same tasks, got {len(a)} and {len(b)} scores.")
    # Sums of decimal fractions such as 0.1 + 0.2 - 0.3 must be ties.
    values = np.round(clustered(a, clusters).values - clustered(b, clusters).values, 12)
    differences = grouped(values, clusters)
    is_few = differences.tasks < MIN_TASKS or differences.clusters < MIN_CLUSTERS
    p_values = {EXACT_TEST: _sign_flip_test(differences)} if is_few else {}
    low = high = detectable = math.nan
    if differences.clusters >= MIN_CLUSTERS:
        error, degrees = differences.robust_error()
        error = math.sqrt(error**2 + min(MAX_PSEUDO_SQUARES, differences.tasks * PSEUDO_SQUARES) / differences.tasks**2)
        low, high, p_values[T_TEST] = t_interval(differences.mean, error, degrees)
        detectable = math.nan if is_few else _detectable_ratio(degrees) * error
    test, p_value = max(p_values.items(), key=lambda item: item[1])
    if p_value >= SIGNIFICANCE_LEVEL:  # the interval must not contradict the exact test
        low, high = min(low, 0.0), max(high, 0.0)
    return PairedDifference(
        difference=differences.mean,
        low=max(low, -1.0),
        high=min(high, 1.0),
        p_value=p_value,
        test=test,
        wins=int((values > 0).sum()),
        losses=int((values < 0).sum()),
        ties=int((values == 0).sum()),
        smallest_detectable=detectable,
        tasks=differences.tasks,
        clusters=differences.clusters,
        new_studies=on_new_studies(values, studies, (low, high, p_value), lowest=-1.0),
    )


def _sign_flip_test(differences: Clustered) -> float:
    """The p-value of the exact two-sided sign-flip test of the sums of clusters."""
    sums = np.zeros(1)
    for total in differences.totals:
        if abs(total) > TOLERANCE:
            sums = np.concatenate([sums + total, sums - total])
    return float((np.abs(sums) >= abs(math.fsum(differences.totals)) - TOLERANCE).mean())


def _detectable_ratio(degrees: float) -> float:
    """The difference, as a multiple of its standard error, that a t-test detects with power 0.8 at level 0.05."""
    return float(nctdtrinc(degrees, 1 - TARGET_POWER, stdtrit(degrees, 1 - SIGNIFICANCE_LEVEL / 2)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple comparisons (Holm 1979).

    Args:
        p_values: The p-values.

    Returns:
        The adjusted p-values in the same order.
    """
    return [float(value) for value in multipletests(p_values, method="holm")[1]] if len(p_values) else []


def first_shares(scores: np.ndarray, clusters: Sequence[Hashable], seed: int = 0) -> list[float]:
    """How often each system has the highest mean when the clusters are resampled.

    Args:
        scores: Scores in [0, 1], systems × tasks.
        clusters: The cluster of each task.
        seed: Random seed of the bootstrap.

    Returns:
        Share of draws for each system. Tied systems share a draw. The sum is 1.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    systems = [clustered(row.tolist(), clusters) for row in scores]
    totals = np.array([system.totals for system in systems])
    sizes, count = systems[0].sizes, systems[0].clusters
    order = np.lexsort((*totals, sizes))  # the order of clusters must not matter for a given seed
    draws = np.random.default_rng(seed).multinomial(count, [1 / count] * count, size=2000)
    means = (draws @ totals[:, order].T) / (draws @ sizes[order])[:, None]
    is_first = means >= means.max(axis=1, keepdims=True) - 1e-12
    shares = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares / math.fsum(shares)]
