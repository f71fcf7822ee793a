"""How often each of several systems is first."""

from collections.abc import Hashable, Sequence

import numpy as np

from inspect_discoverybench.statistics.clusters import check_scores, sum_by_cluster

DRAWS = 2000

ROUNDING = 1e-12
"""Means that differ by no more are tied."""


def first_shares(scores: np.ndarray, clusters: Sequence[Hashable]) -> list[float]:
    """How often each system has the highest mean when the clusters are resampled.

    Args:
        scores: Scores in [0, 1], systems × tasks.
        clusters: The cluster of each task.

    Returns:
        Share of draws for each system. Tied systems share a draw. The sum is 1.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    by_system = []
    for system in scores:
        check_scores(system, clusters)
        by_cluster = sum_by_cluster(system, clusters)
        by_system.append(by_cluster)
    totals = np.array(by_system)
    ones = np.ones(len(clusters))
    sizes = sum_by_cluster(ones, clusters)
    # The order of tasks must not matter, although the seed is fixed.
    order = np.lexsort((*totals, sizes))
    sizes = sizes[order]
    totals = totals[:, order]

    count = len(sizes)
    random = np.random.default_rng(0)
    chances = [1 / count] * count
    draws = random.multinomial(count, chances, size=DRAWS)
    drawn_tasks = draws @ sizes
    drawn_totals = totals @ draws.T
    means = drawn_totals / drawn_tasks
    highest = means.max(axis=0)
    is_first = means >= highest - ROUNDING
    tied = is_first.sum(axis=0)
    by_draw = is_first / tied
    shares = by_draw.mean(axis=1)
    return [float(share) for share in shares]
