"""The mean score corrected for the judge's errors: the difference estimator of double sampling.

The estimate is the judged mean plus the judge's mean error on labelled tasks (Cochran 1977, chapter 12; as
prediction-powered inference in Angelopoulos et al. 2023). docs/statistics.md has the measured coverage.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from scipy.stats import t

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.power import SIGNIFICANCE_LEVEL

MIN_LABELLED_CLUSTERS = 10
"""With fewer, the variance of the judge's error between clusters is unreliable."""


def corrected_mean(
    judged: Sequence[float],
    labelled: Sequence[int],
    true: Sequence[float],
    clusters: Sequence[Hashable],
    probabilities: Sequence[float] | None = None,
) -> Estimate:
    """Estimate the mean true score from the judge's scores of all tasks and the true scores of some.

    The variance is cluster-robust: judged scores and errors of one cluster may depend on each other.

    Args:
        judged: The judge's score of every task in [0, 1].
        labelled: Indices of the labelled tasks. They must be drawn at random.
        true: Their true scores.
        clusters: The cluster of every task.
        probabilities: For each task, the probability with which it was drawn to be labelled, above 0: the number of
            labelled tasks in its stratum divided by the number of tasks in the stratum. None if all are equal.

    Raises:
        InvalidArgument: A score is not in [0, 1], the lengths differ, an index does not exist or is repeated, or fewer
            than 10 clusters have labels.
    """
    scores = clustered(judged, clusters, name="judged score")
    labels = _check_labels(labelled, true, clusters)
    weights = 1 / _check_probabilities(probabilities, scores.tasks)[list(labelled)]
    errors = np.asarray(true) - scores.values[list(labelled)]
    correction = float(weights @ errors / weights.sum())
    # Each task's share in the deviation of the estimate, to first order.
    influence = (scores.values - scores.mean) / scores.tasks
    influence[list(labelled)] += weights * (errors - correction) / weights.sum()
    variance = float((scores.sum_by_cluster(influence) ** 2).sum()) * labels.clusters / (labels.clusters - 1)
    mean = min(1.0, max(0.0, scores.mean + correction))
    if variance < 1e-24:  # the judge and all labels agree on one score, which is not certain for other tasks
        return Estimate(mean, min(mean, labels.low), max(mean, labels.high), scores.tasks, scores.clusters)
    half_width = float(t.ppf(1 - SIGNIFICANCE_LEVEL / 2, labels.clusters - 1)) * math.sqrt(variance)
    return Estimate(mean, max(0.0, mean - half_width), min(1.0, mean + half_width), scores.tasks, scores.clusters)


def _check_labels(labelled: Sequence[int], true: Sequence[float], clusters: Sequence[Hashable]) -> Estimate:
    """The mean of the labels alone."""
    for task in labelled:
        if not 0 <= task < len(clusters):
            raise InvalidArgument(f"A labelled task must be an index below {len(clusters)}, got {task}.")
    if len(set(labelled)) != len(labelled):
        raise InvalidArgument("A task is labelled more than once. Average its labels first.")
    labels = estimate_mean(true, [clusters[task] for task in labelled])
    if labels.clusters < MIN_LABELLED_CLUSTERS:
        raise InvalidArgument(
            f"A correction needs labels from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, got "
            f"{labels.clusters}. Label more samples."
        )
    return labels


def _check_probabilities(probabilities: Sequence[float] | None, tasks: int) -> np.ndarray:
    values = np.ones(tasks) if probabilities is None else np.asarray(probabilities, dtype=float)
    if len(values) != tasks:
        raise InvalidArgument(f"Each of {tasks} tasks needs a probability, got {len(values)}.")
    for probability in values:
        if not 0 < probability <= 1:
            raise InvalidArgument(f"A probability of being labelled must be above 0 and at most 1, got {probability}.")
    return values
