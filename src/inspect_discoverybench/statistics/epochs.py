"""The mean, the best and the worst of several epochs of each task."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from operator import mul

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.partial_scores import Bounds, PartialScores


@dataclass(frozen=True)
class AcrossEpochs:
    """Expected scores of k epochs of each task, averaged over tasks.

    The three estimates are over the same tasks: `worst.mean <= mean.mean <= best.mean`. With scores of 0 and 1, `best`
    is pass@k (Chen et al. 2021) and `worst` is pass^k (Yao et al. 2024).

    Attributes:
        mean: The mean score of an epoch, which is the same for every k.
        best: The highest score among k epochs.
        worst: The lowest score among k epochs.
    """

    mean: Estimate
    best: Estimate
    worst: Estimate


def across_epochs(tasks: Sequence[PartialScores], clusters: Sequence[Hashable], size: int) -> AcrossEpochs | None:
    """Estimate the mean, the best and the worst score among `size` epochs of each task.

    The best score of a task is the mean of the best scores of all subsets of `size` epochs. The worst score is the mean
    of their worst scores. Neither is biased, whatever the number of epochs is. If a task has fewer scored epochs than
    `size`, the best and the worst of its scored epochs count. The intervals cover every score from 0 to 1 that unscored
    epochs could have had.

    Args:
        tasks: The score of every epoch in [0, 1] for each task; NaN where an epoch is unscored.
        clusters: The cluster of each task, such as its gold hypothesis.
        size: Number of epochs, from 1 to the smallest number of epochs of a task.

    Returns:
        None if no epoch is scored.

    Raises:
        InvalidArgument: The size is below 1, a task has fewer epochs, scores are not in [0, 1], or the lengths differ.
    """
    fewest = min((len(task.values) for task in tasks), default=0)
    if not 1 <= size <= fewest:
        raise InvalidArgument(f"The size must be from 1 to the smallest number of epochs, {fewest}, got {size}.")
    if not any(task.known for task in tasks):
        return None

    def estimate(expected_score: Callable[[Sequence[float], int], float], epochs: int) -> Estimate:
        """Estimate the mean of what `expected_best` or `expected_worst` gives for this number of epochs."""
        return estimate_mean(
            [expected_score(task.known, epochs) for task in tasks],
            clusters,
            possible=Bounds(
                lowest=[expected_score(task.filled(0), epochs) for task in tasks],
                highest=[expected_score(task.filled(1), epochs) for task in tasks],
            ),
        )

    return AcrossEpochs(
        mean=estimate(expected_best, 1),  # the best of one epoch is its score
        best=estimate(expected_best, size),
        worst=estimate(expected_worst, size),
    )


def expected_best(scores: Sequence[float], size: int) -> float:
    """Expected highest score of a random subset of this size, or of all scores if they are fewer; NaN if none."""
    return _expected_last(sorted(scores), size)


def expected_worst(scores: Sequence[float], size: int) -> float:
    """Expected lowest score of a random subset of this size, or of all scores if they are fewer; NaN if none."""
    return _expected_last(sorted(scores, reverse=True), size)


def _expected_last(ordered: Sequence[float], size: int) -> float:
    """Expected last score of a random subset that keeps the order."""
    if not ordered:
        return math.nan
    size = min(size, len(ordered))
    # A score is the last one of a subset if all other scores of the subset come before it. How many such subsets there
    # are depends on the number of scores before it.
    subsets_by_last_score = [math.comb(before, size - 1) for before in range(len(ordered))]
    total = math.fsum(map(mul, ordered, subsets_by_last_score))
    # Numbers of subsets above 2**53 are rounded, so the quotient of perfect scores could be just above 1.
    return min(total / math.comb(len(ordered), size), max(ordered))
