"""Means of values in clusters, such as the tasks that share a gold hypothesis or a study.

Values of one cluster may depend on each other; clusters are independent. Clusters of different sizes count as an
effective number of clusters of equal size. The degrees of freedom are one less than this number.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from inspect_discoverybench.errors.exceptions import InvalidArgument

Values = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class ClusterMean:
    """A mean of values in clusters.

    Attributes:
        mean: The mean.
        variance: Cluster-robust variance of the mean; NaN for a single cluster.
        effective_clusters: Effective number of clusters.
        count: Number of values.
    """

    mean: float
    variance: float
    effective_clusters: float
    count: int


def cluster_mean(values: Values, clusters: Sequence[Hashable]) -> ClusterMean:
    """Compute the mean of at least one value."""
    count = len(values)
    mean = math.fsum(values) / count
    sizes = sum_by_cluster(np.ones(count), clusters)
    totals = sum_by_cluster(values, clusters)
    deviations = totals - mean * sizes
    effective_clusters = effective_number(sizes)
    return ClusterMean(
        mean=mean,
        variance=cluster_variance(deviations / count, effective_clusters),
        effective_clusters=effective_clusters,
        count=count,
    )


def sum_by_cluster(values: Values, clusters: Sequence[Hashable]) -> np.ndarray:
    """Sum of the values of each cluster, in the order in which clusters first occur."""
    numbers: dict[Hashable, int] = {}
    for cluster in clusters:
        numbers.setdefault(cluster, len(numbers))
    number_of_each_value = [numbers[cluster] for cluster in clusters]
    return np.bincount(number_of_each_value, weights=values)


def effective_number(weights: np.ndarray) -> float:
    """The number of equal weights that give a mean of the same precision (Kish 1965, section 11.7)."""
    sum_of_squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / sum_of_squares


def cluster_variance(deviations: np.ndarray, effective_clusters: float) -> float:
    """Cluster-robust variance of a mean; NaN for a single cluster.

    Args:
        deviations: What each cluster contributes to the deviation of the mean. For a plain mean, this is the sum of
            (value − mean) / n over the values of the cluster, where n is the number of all values.
        effective_clusters: The effective number of the clusters. The degrees of freedom are one less.
    """
    if len(deviations) < 2:
        return math.nan
    sum_of_squares = float(deviations @ deviations)
    return sum_of_squares * effective_clusters / (effective_clusters - 1)


def check_scores(scores: Values, clusters: Sequence[Hashable]) -> None:
    """Refuse scores that are not numbers in [0, 1].

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    count = len(scores)
    if count != len(clusters):
        raise InvalidArgument(f"Each score needs a cluster, got {count} scores and {len(clusters)} clusters.")
    if count == 0:
        raise InvalidArgument("At least one score is required, got none.")
    for score in scores:
        # NaN is refused, too, because no comparison with NaN is true.
        if not 0 <= score <= 1:
            raise InvalidArgument(f"Each score must be a number from 0 to 1, got {score}.")
