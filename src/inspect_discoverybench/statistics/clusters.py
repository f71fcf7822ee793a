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


def clustered(
    values: Sequence[float], clusters: Sequence[Hashable], low: float = 0.0, high: float = 1.0, name: str = "value"
) -> Clustered:
    """Check values and group them by cluster.

    Args:
        values: One value per task.
        clusters: The cluster of each task.
        low: Smallest possible value.
        high: Largest possible value.
        name: What a value is, for error messages.

    Raises:
        InvalidArgument: There are no values, a value is not a number from `low` to `high`, or the lengths differ.
    """
    import numpy as np

    if len(values) != len(clusters):
        raise InvalidArgument(f"Each {name} needs a cluster, got {len(values)} values and {len(clusters)} clusters.")
    if not len(values):
        raise InvalidArgument(f"At least one {name} is required, got none.")
    for value in values:
        if not low <= value <= high:  # also false for NaN
            raise InvalidArgument(f"Each {name} must be a number from {low:g} to {high:g}, got {value}.")
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    return Clustered(np.asarray(values, dtype=float), index, np.bincount(index).astype(float))


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
