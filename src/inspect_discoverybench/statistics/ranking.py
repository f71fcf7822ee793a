"""Ranking of more than two systems."""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from statsmodels.stats.multitest import multipletests

from inspect_discoverybench.statistics.clusters import clustered, resampled_counts

RESAMPLES = 2000


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
    draws = resampled_counts(count, RESAMPLES, np.random.default_rng(seed))
    means = (draws @ totals[:, order].T) / (draws @ sizes[order])[:, None]
    is_first = means >= means.max(axis=1, keepdims=True) - 1e-12
    shares = (is_first / is_first.sum(axis=1, keepdims=True)).mean(axis=0)
    return [float(share) for share in shares / math.fsum(shares)]
