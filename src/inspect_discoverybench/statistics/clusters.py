"""Values that are grouped into clusters, such as the tasks that share a gold hypothesis."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspect_discoverybench.errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Clustered:
    """Values with the index of their cluster. The order of tasks and the names of clusters have no effect.

    Attributes:
        values: One value per task.
        index: Index of each task's cluster, 0 … number of clusters − 1.
        sizes: Number of tasks in each cluster.
    """

    values: "np.ndarray"
    index: "np.ndarray"
    sizes: "np.ndarray"

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.values)

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def mean(self) -> float:
        """The mean over tasks."""
        return math.fsum(self.values) / self.tasks

    @property
    def average_size(self) -> float:
        """Size of the cluster of a task, averaged over tasks (Kish's m). It is 1 for independent tasks."""
        return float(self.sizes @ self.sizes) / self.tasks

    @property
    def totals(self) -> "np.ndarray":
        """Sum of the values of each cluster."""
        return self.sum_by_cluster(self.values)

    @property
    def variance(self) -> float:
        """Cluster-robust variance of the mean, with the factor C / (C − 1); NaN for a single cluster."""
        if self.clusters < 2:
            return math.nan
        deviations = self.totals - self.mean * self.sizes
        return float(deviations @ deviations) / self.tasks**2 * self.clusters / (self.clusters - 1)

    def sum_by_cluster(self, values: "np.ndarray") -> "np.ndarray":
        """Sum of other values of the same tasks for each cluster."""
        import numpy as np

        return np.bincount(self.index, weights=values, minlength=self.clusters)


def clustered(scores: Sequence[float], clusters: Sequence[Hashable]) -> Clustered:
    """Check scores and group them by cluster.

    Args:
        scores: One score in [0, 1] per task.
        clusters: The cluster of each task.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    import numpy as np

    if len(scores) != len(clusters):
        raise InvalidArgument(f"Each score needs a cluster, got {len(scores)} scores and {len(clusters)} clusters.")
    if not len(scores):
        raise InvalidArgument("At least one score is required, got none.")
    for score in scores:
        if not 0 <= score <= 1:  # also false for NaN
            raise InvalidArgument(f"Each score must be a number from 0 to 1, got {score}.")
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    return Clustered(np.asarray(scores, dtype=float), index, np.bincount(index).astype(float))


def resampled_counts(clusters: int, resamples: int, generator: "np.random.Generator") -> "np.ndarray":
    """How often each cluster is drawn in each bootstrap resample.

    Args:
        clusters: Number of clusters. A resample draws as many, with replacement.
        resamples: Number of resamples.
        generator: Random number generator.

    Returns:
        Counts, resamples × clusters.
    """
    import numpy as np

    # Equivalent to `generator.multinomial`, which takes ten times as long for 100 clusters.
    drawn = generator.integers(clusters, size=(resamples, clusters)) + clusters * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * clusters).reshape(resamples, clusters).astype(float)
