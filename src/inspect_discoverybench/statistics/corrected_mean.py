"""The mean score corrected for the judge's errors: the difference estimator of double sampling.

The estimate is the judged mean plus the mean error of the judge, which labelled tasks show (Cochran 1977, chapter 12).
Angelopoulos et al. (2023) call it prediction-powered inference. docs/statistics.md has the measured coverage.
"""

import math
from collections.abc import Hashable, Sequence
from itertools import compress

import numpy as np

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import (
    Values,
    check_scores,
    cluster_variance,
    effective_number,
    sum_by_cluster,
)
from inspect_discoverybench.statistics.interval import t_quantile
from inspect_discoverybench.statistics.mean import Estimate

ADDITIONAL_ERROR = 0.5
"""Error of the labelled cluster that is added to the variance. If the judge is right on most tasks, a few labels may
show no error, and the variance would be too small. The coverage in docs/statistics.md was measured with this value."""


def corrected_mean(
    judged: Values, true: Values, clusters: Sequence[Hashable], probabilities: Values, weights: Values
) -> Estimate:
    """Estimate the mean true score from the judge's scores of all tasks and the true scores of some.

    The variance is cluster-robust: judged scores and errors of one cluster may depend on each other.

    Args:
        judged: The judge's score of every task in [0, 1].
        true: The true score of every labelled task, and NaN for the others. Labelled tasks must be drawn at random, and
            belong to at least two clusters.
        clusters: The cluster of every task.
        probabilities: For each task, the probability with which it was drawn to be labelled: the number of labelled
            tasks in its stratum divided by the number of tasks in the stratum. 0 means that the judge's score needs no
            label, because it is right. The true score of such a task must be NaN.
        weights: The weight of each task in the mean.

    Raises:
        InvalidArgument: A score is not in [0, 1], the lengths differ, a labelled task has no positive probability, or
            the labelled tasks belong to fewer than two clusters.
    """
    check_scores(judged, clusters)
    scores = np.asarray(judged, float)
    labels = np.asarray(true, float)
    is_labelled = ~np.isnan(labels)
    labelled_clusters = list(compress(clusters, is_labelled))
    number_of_labelled_clusters = len(set(labelled_clusters))
    if number_of_labelled_clusters < 2:
        raise InvalidArgument(f"The tasks of at least two clusters need labels, got {number_of_labelled_clusters}.")
    check_scores(labels[is_labelled], labelled_clusters)

    shares = np.asarray(weights) / np.sum(weights)
    represented_shares = _represented_shares(shares, np.asarray(probabilities), is_labelled)
    errors = np.where(is_labelled, labels - scores, 0.0)
    judged_mean = float(shares @ scores)
    mean_error = float(represented_shares @ errors)
    mean = min(1.0, max(0.0, judged_mean + mean_error))

    # What each task contributes to the deviation of the estimate, to first order.
    score_deviations = shares * (scores - judged_mean)
    error_deviations = represented_shares * (errors - mean_error)
    deviations = sum_by_cluster(score_deviations + error_deviations, clusters)

    labelled_shares = represented_shares[is_labelled]
    effective_clusters = effective_number(sum_by_cluster(labelled_shares, labelled_clusters))
    # The standard error includes one additional labelled cluster, whose share is the mean share of the others.
    additional_share = float(labelled_shares.sum()) / effective_clusters
    additional_deviation = ADDITIONAL_ERROR * additional_share
    variance = cluster_variance(deviations, effective_clusters)
    standard_error = math.hypot(math.sqrt(variance), additional_deviation)  # the root of the sum of both variances
    half_width = t_quantile(effective_clusters) * standard_error
    return Estimate(
        mean=mean,
        low=max(0.0, mean - half_width),
        high=min(1.0, mean + half_width),
        tasks=len(scores),
        clusters=len(set(clusters)),
    )


def _represented_shares(shares: np.ndarray, probabilities: np.ndarray, is_labelled: np.ndarray) -> np.ndarray:
    """The weight of each task in the mean error. The weights add up to 1.

    A labelled task stands for itself and for tasks that were not drawn, so its weight is its own share divided by its
    probability. A task with the probability 0 needs no label. It has the weight of its own share, because its error is
    known to be 0. The error of all other tasks is unknown, and their weight is 0.
    """
    lowest = probabilities[is_labelled].min()
    if lowest <= 0:
        raise InvalidArgument(f"The probability of being labelled must be above 0, got {lowest}.")
    needs_no_label = probabilities == 0
    represented = np.where(needs_no_label, shares, 0.0)
    represented[is_labelled] = shares[is_labelled] / probabilities[is_labelled]
    normalized: np.ndarray = represented / represented.sum()
    return normalized
