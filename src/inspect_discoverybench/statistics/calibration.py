"""The mean score corrected for the judge's errors: the difference estimator of double sampling.

The estimate is the judged mean plus the judge's mean error on labelled tasks (Cochran 1977, chapter 12; as
prediction-powered inference in Angelopoulos et al. 2023). docs/statistics.md has the measured coverage.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import clustered, t_interval
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean

MIN_LABELLED_CLUSTERS = 10
"""With fewer, the variance of the judge's error between clusters is unreliable."""


def corrected_mean(
    judged: Sequence[float],
    true: Sequence[float],
    clusters: Sequence[Hashable],
    probabilities: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
) -> Estimate:
    """Estimate the mean true score from the judge's scores of all tasks and the true scores of some.

    The variance is cluster-robust: judged scores and errors of one cluster may depend on each other.

    Args:
        judged: The judge's score of every task in [0, 1].
        true: The true score of every labelled task, and NaN for the others. Labelled tasks must be drawn at random.
        clusters: The cluster of every task.
        probabilities: For each task, the probability with which it was drawn to be labelled: the number of labelled
            tasks in its stratum divided by the number of tasks in the stratum. None if all are equal. 0 means that
            the judge's score needs no label; such tasks do not count as labelled.
        weights: The weight of each task in the mean. None if all are equal.

    Raises:
        InvalidArgument: A score is not in [0, 1], the lengths differ, a labelled task has no positive probability, or
            fewer than 10 clusters have labels.
    """
    scores = clustered(judged, clusters)
    chances, shares = (
        np.ones(scores.tasks) if one is None else np.array(one, float) for one in (probabilities, weights)
    )
    labelled = [task for task, score in enumerate(true) if not math.isnan(score)]
    labels = estimate_mean([true[task] for task in labelled], [clusters[task] for task in labelled])
    if labels.clusters < MIN_LABELLED_CLUSTERS:
        raise InvalidArgument(
            f"A correction needs labels from at least {MIN_LABELLED_CLUSTERS} gold hypotheses, got "
            f"{labels.clusters}. Label more samples."
        )
    if not (chances[labelled] > 0).all():
        raise InvalidArgument(f"The probability of being labelled must be above 0, got {chances[labelled].min()}.")
    errors, represented = np.zeros(scores.tasks), shares * (chances == 0)
    errors[labelled] = np.asarray(true)[labelled] - scores.values[labelled]
    represented[labelled] = shares[labelled] / chances[labelled]
    shares, represented = shares / shares.sum(), represented / represented.sum()
    uncorrected, correction = float(shares @ scores.values), float(represented @ errors)
    # Each task's share in the deviation of the estimate, to first order.
    influence = shares * (scores.values - uncorrected) + represented * (errors - correction)
    variance = float((scores.sum_by_cluster(influence) ** 2).sum()) * labels.clusters / (labels.clusters - 1)
    mean = min(1.0, max(0.0, uncorrected + correction))
    if variance < 1e-24:  # the judge and all labels agree on one score, which is not certain for other tasks
        return Estimate(mean, min(mean, labels.low), max(mean, labels.high), scores.tasks, scores.clusters)
    # As for differences (`paired.py`), an additional label with an error of 1/2 counts: errors are few and skewed.
    error = math.sqrt(variance + float(represented[labelled].mean() / 2) ** 2)
    low, high, _ = t_interval(mean, error, labels.clusters - 1)
    return Estimate(mean, max(0.0, low), min(1.0, high), scores.tasks, scores.clusters)
