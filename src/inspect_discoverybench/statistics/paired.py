"""Paired comparison of two systems on the same tasks, with clusters.

The interval is a studentized bootstrap over clusters, because percentile and BCa intervals are too narrow for few
clusters. The test flips the signs of whole clusters. docs/statistics.md has the measured coverage, size and power.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import brentq
from statsmodels.stats.power import TTestPower

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.statistics.clusters import Clustered, clustered, resampled_counts

SIGNIFICANCE_LEVEL = 0.05
TARGET_POWER = 0.8
RESAMPLES = 2000
PERMUTATIONS = 9999
NORMAL_QUANTILE = 1.959963984540054
TOLERANCE = 1e-10
"""Sums that differ by no more than this are equal. Sums of decimal fractions have rounding errors."""
PSEUDO_TASKS = 2
PSEUDO_SQUARES = 0.35
"""The variance of the mean is computed with two additional tasks, whose differences have the sum 0 and this sum of
squares, similar to Agresti and Min (2005). Without them, the interval would be too narrow if few differences are not 0,
and a single point if none are."""

EXACT_TEST = "sign-flip test over clusters (exact)"
SAMPLED_TEST = f"sign-flip test over clusters ({PERMUTATIONS} permutations)"


@dataclass(frozen=True)
class PairedDifference:
    """The difference of two systems' mean scores on common tasks: the first minus the second.

    Attributes:
        difference: Mean difference.
        low: Lower end of its 95 % confidence interval.
        high: Upper end of the interval.
        p_value: Two-sided p-value. Null hypothesis: the differences of each cluster are symmetric about 0.
        test: Name of the test.
        wins: Number of tasks on which the first system scores higher.
        losses: Number of tasks on which it scores lower.
        ties: Number of tasks with equal scores.
        smallest_detectable: Difference that is detected with power 0.8 at level 0.05; NaN for fewer than three
            clusters.
        tasks: Number of common tasks.
        clusters: Number of their clusters.
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


def compare_paired(
    a: Sequence[float], b: Sequence[float], clusters: Sequence[Hashable], seed: int = 0
) -> PairedDifference:
    """Compare two systems on the same tasks.

    Args:
        a: Scores of the first system in [0, 1], one per task.
        b: Scores of the second system for the same tasks.
        clusters: The cluster of each task.
        seed: Random seed of the bootstrap and of the sampled permutations.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    if len(a) != len(b):
        raise InvalidArgument(f"A paired comparison needs the same tasks, got {len(a)} and {len(b)} scores.")
    first, second = clustered(a, clusters), clustered(b, clusters)
    # Sums of decimal fractions such as 0.1 + 0.2 - 0.3 must be ties.
    differences = Clustered(np.round(first.values - second.values, 12), first.index, first.sizes)
    low, high = _interval(differences, seed)
    p_value, test = _sign_flip_test(differences, seed)
    return PairedDifference(
        difference=differences.mean,
        low=low,
        high=high,
        p_value=p_value,
        test=test,
        wins=int((differences.values > 0).sum()),
        losses=int((differences.values < 0).sum()),
        ties=int((differences.values == 0).sum()),
        smallest_detectable=_smallest_detectable(differences),
        tasks=differences.tasks,
        clusters=differences.clusters,
    )


def _pseudo_variance(differences: Clustered, means: np.ndarray | float) -> np.ndarray | float:
    """Variance that the two pseudo tasks add, for each mean. It grows with the size of clusters."""
    shrinkage = PSEUDO_TASKS * differences.tasks / (differences.tasks + PSEUDO_TASKS)
    squares = PSEUDO_SQUARES + shrinkage * means**2
    return squares * (differences.average_size + 1) / 2 / differences.tasks**2


def _standard_error(differences: Clustered) -> float:
    return math.sqrt(differences.variance + float(_pseudo_variance(differences, differences.mean)))


def _interval(differences: Clustered, seed: int) -> tuple[float, float]:
    """The studentized bootstrap interval. It is never narrower than the normal interval."""
    if differences.clusters < 2:
        return -1.0, 1.0
    statistics = _resampled_statistics(differences, seed)
    lower, upper = np.quantile(statistics, (SIGNIFICANCE_LEVEL / 2, 1 - SIGNIFICANCE_LEVEL / 2))
    error = _standard_error(differences)
    return (
        max(-1.0, differences.mean - max(float(upper), NORMAL_QUANTILE) * error),
        min(1.0, differences.mean - min(float(lower), -NORMAL_QUANTILE) * error),
    )


def _resampled_statistics(differences: Clustered, seed: int) -> np.ndarray:
    """The t statistic of each bootstrap resample of clusters."""
    count, totals, sizes = differences.clusters, differences.totals, differences.sizes
    # For a given seed, the order of clusters must not matter.
    order = np.lexsort((totals, sizes))
    totals, sizes = totals[order], sizes[order]
    draws = resampled_counts(count, RESAMPLES, np.random.default_rng(seed))
    tasks = draws @ sizes
    means = (draws @ totals) / tasks
    squares = draws @ totals**2 - 2 * means * (draws @ (totals * sizes)) + means**2 * (draws @ sizes**2)
    variances = np.maximum(squares, 0) / tasks**2 * count / (count - 1)
    errors = np.sqrt(variances + _pseudo_variance(differences, means))
    statistics: np.ndarray = (means - differences.mean) / errors
    return statistics


def _sign_flip_test(differences: Clustered, seed: int) -> tuple[float, str]:
    """The two-sided sign-flip test of the sums of clusters. It is exact if few clusters have a difference."""
    observed = abs(math.fsum(differences.totals))
    # Flipped at random, a sum and its absolute value have the same distribution. The order must not matter for a seed.
    totals = np.sort(np.abs(differences.totals))
    totals = totals[totals > TOLERANCE]
    count = len(totals)
    is_exact = 2**count <= PERMUTATIONS
    if is_exact:
        flips = np.arange(2**count)[:, None] >> np.arange(count) & 1
    else:
        flips = np.random.default_rng(seed).integers(2, size=(PERMUTATIONS, count), dtype=np.int8)
    sums = (1 - 2.0 * flips) @ totals
    extreme = int((np.abs(sums) >= observed - TOLERANCE).sum())
    if is_exact:
        return extreme / 2**count, EXACT_TEST
    # The observed signs count as one more permutation, so that the test is valid for any number of them.
    return (extreme + 1) / (PERMUTATIONS + 1), SAMPLED_TEST


def _smallest_detectable(differences: Clustered) -> float:
    """Power of the paired t-test with clusters as units and the observed variance."""
    clusters = differences.clusters
    if clusters < 3:
        return math.nan
    return smallest_effect_size(clusters) * _standard_error(differences) * math.sqrt(clusters)


@cache
def smallest_effect_size(units: int) -> float:
    """The effect size that the paired t-test detects with power 0.8 at level 0.05.

    Args:
        units: Number of independent differences.

    Returns:
        Mean difference divided by the standard deviation of the differences; NaN for fewer than two units.
    """
    if units < 2:
        return math.nan

    def missing_power(effect_size: float) -> float:
        # Ignores significant differences of the wrong sign, whose probability is below 1e-4 at this power. SciPy gives
        # NaN for some of them, so `solve_power` fails for some numbers of units.
        one_sided = TTestPower().power(effect_size, units, SIGNIFICANCE_LEVEL / 2, alternative="larger")
        return float(one_sided) - TARGET_POWER

    # No larger than necessary: SciPy also gives NaN for some effects that are too large for the number of units.
    upper = 3 / math.sqrt(units)
    while missing_power(upper) < 0:
        upper *= 2
    return float(brentq(missing_power, 0.0, upper))
