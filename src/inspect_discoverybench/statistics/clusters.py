"""Values that are grouped into clusters, such as the tasks that share a gold hypothesis.

Where the clusters are studies, a mean says something about new studies like these. Its interval is that of the
cluster-robust t, extended by the interval on these tasks: new studies are not more certain than the ones that were
measured. docs/statistics.md has the measured coverage.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy.special import stdtr, stdtrit

from inspect_discoverybench.errors.exceptions import InvalidArgument


@dataclass(frozen=True)
class Clustered:
    """Values with the index of their cluster. The order of tasks and the names of clusters have no effect.

    Attributes:
        values: One value per task.
        index: Index of each task's cluster, 0 … number of clusters − 1.
        sizes: Number of tasks in each cluster.
    """

    values: np.ndarray
    index: np.ndarray
    sizes: np.ndarray

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
    def totals(self) -> np.ndarray:
        """Sum of the values of each cluster."""
        return self.sum_by_cluster(self.values)

    @property
    def variance(self) -> float:
        """Cluster-robust variance of the mean of at least two clusters, with the factor C / (C − 1)."""
        deviations = self.totals - self.mean * self.sizes
        return float(deviations @ deviations) / self.tasks**2 * self.clusters / (self.clusters - 1)

    def robust_error(self) -> tuple[float, float]:
        """Standard error of the mean for few clusters of different sizes, and its degrees of freedom.

        They are CR2 and Satterthwaite's (Bell and McCaffrey 2002), in closed form for a model that has only a mean
        (Pustejovsky and Tipton 2018). For clusters of equal size, they are those of the usual t of the clusters' means.
        """
        shares = self.sizes / self.tasks
        residuals = (self.totals - self.mean * self.sizes) / self.tasks
        leverages = shares**2 / (1 - shares)
        degrees = 1 / float((shares**2).sum() + leverages.sum() ** 2 - (leverages**2).sum())
        return math.sqrt(float((residuals**2 / (1 - shares)).sum())), degrees

    def sum_by_cluster(self, values: np.ndarray) -> np.ndarray:
        """Sum of other values of the same tasks for each cluster."""
        return np.bincount(self.index, weights=values, minlength=self.clusters)


def clustered(scores: Sequence[float], clusters: Sequence[Hashable]) -> Clustered:
    """Check scores and group them by cluster.

    Args:
        scores: One score in [0, 1] per task.
        clusters: The cluster of each task.

    Raises:
        InvalidArgument: There are no scores, a score is not in [0, 1], or the lengths differ.
    """
    if len(scores) != len(clusters):
        raise InvalidArgument(f"Each score needs a cluster, got {len(scores)} scores and {len(clusters)} clusters.")
    if not len(scores):
        raise InvalidArgument("At least one score is required, got none.")
    for score in scores:
        if not 0 <= score <= 1:  # also false for NaN
            raise InvalidArgument(f"Each score must be a number from 0 to 1, got {score}.")
    return grouped(scores, clusters)


def grouped(values: Sequence[float] | np.ndarray, clusters: Sequence[Hashable]) -> Clustered:
    """Group values by cluster, one of each per task."""
    numbers: dict[Hashable, int] = {}
    index = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    return Clustered(np.asarray(values, dtype=float), index, np.bincount(index).astype(float))


def t_interval(mean: float, error: float, degrees: float) -> tuple[float, float, float]:
    """The endpoints of the 95 % interval with Student's t, and the two-sided p-value for a mean of 0.

    Args:
        mean: The mean.
        error: Its standard error.
        degrees: Degrees of freedom.
    """
    half_width = float(stdtrit(degrees, 0.975)) * error
    p_value = 2 * float(stdtr(degrees, -abs(mean) / error)) if error > 0 else float(mean == 0)
    return mean - half_width, mean + half_width, p_value


@dataclass(frozen=True)
class NewStudies:
    """A mean on new studies like these.

    Attributes:
        low: Lower end of its 95 % confidence interval.
        high: Upper end.
        p_value: Two-sided p-value of a difference of 0, at least that on these tasks; NaN for a mean of scores.
        macro_average: Mean of the studies' means.
        lowest: Lowest mean over tasks if one study is left out.
        highest: Highest mean over tasks if one study is left out.
        studies: Number of studies.
    """

    low: float
    high: float
    p_value: float
    macro_average: float
    lowest: float
    highest: float
    studies: int


def on_new_studies(
    values: Sequence[float] | np.ndarray,
    studies: Sequence[Hashable] | None,
    on_these_tasks: tuple[float, float, float],
    lowest: float = 0.0,
) -> NewStudies | None:
    """Generalize a mean to new studies.

    Args:
        values: One score or difference per task.
        studies: The study of each task; None, NaN or NA if it is not known.
        on_these_tasks: The endpoints of the interval on these tasks and the p-value.
        lowest: Lowest possible value: 0 for scores, −1 for differences. The highest is 1.

    Returns:
        None if there are fewer than two studies, a study is not known, or there is no interval on these tasks.
    """
    if studies is None:  # as in the metrics of a log, which do not need pandas
        return None
    from pandas import isna

    low, high, p_value = on_these_tasks
    if isna([*studies]).any() or len(set(studies)) < 2 or math.isnan(low):
        return None
    tasks = grouped(values, studies)
    error, degrees = tasks.robust_error()
    # The means of a few studies may be equal by chance, but new tasks of the same studies would vary as well.
    ends = t_interval(tasks.mean, max(error, (high - low) / (2 * NormalDist().inv_cdf(0.975))), degrees)
    others = (tasks.totals.sum() - tasks.totals) / (tasks.tasks - tasks.sizes)
    return NewStudies(
        low=max(lowest, min(low, ends[0])),
        high=min(1.0, max(high, ends[1])),
        p_value=max(p_value, ends[2]),
        macro_average=float((tasks.totals / tasks.sizes).mean()),
        lowest=float(others.min()),
        highest=float(others.max()),
        studies=tasks.clusters,
    )
