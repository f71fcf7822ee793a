"""The difference of two systems in a score, on the tasks that both have."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from inspect_discoverybench.results.task_result import TaskResult
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.partial_scores import bounds

K = TypeVar("K")


@dataclass(frozen=True)
class KeyDifference:
    """The difference in one key of the score.

    Attributes:
        key: The key, such as `hms`.
        baseline: Mean of the baseline over the tasks that both scored.
        candidate: Mean of the candidate over the same tasks.
        paired: The difference, candidate minus baseline. Its interval covers what missing scores could be.
        missing: Number of samples of the common tasks without a score, in all epochs of both systems.
        worst: The difference on all common tasks if missing scores were 0 for the candidate and 1 for the baseline.
        best: The difference if they were 1 for the candidate and 0 for the baseline.
        failures_lowest: The difference on the tasks that the baseline scored, if the candidate's missing scores were 0.
    """

    key: str
    baseline: float
    candidate: float
    paired: PairedDifference
    missing: int
    worst: float
    best: float
    failures_lowest: float


def key_difference(
    baseline: Mapping[K, TaskResult], candidate: Mapping[K, TaskResult], key: str = "hms", comparisons: int = 1
) -> KeyDifference | None:
    """Compare the common tasks of two systems; None if no task is scored by both.

    Args:
        baseline: Tasks of the baseline by what pairs them.
        candidate: Tasks of the candidate.
        key: Key of the score.
        comparisons: Number of differences that are read together. Interval and p-value are adjusted for it.
    """
    common = [name for name in baseline if name in candidate]
    tasks = [baseline[name] for name in common]
    first = [task.score(key) for task in tasks]
    second = [candidate[name].score(key) for name in common]

    first_means, second_means, failures = [], [], []
    for a, b in zip(first, second, strict=True):
        if a.known and b.known:
            first_means.append(a.mean)
            second_means.append(b.mean)
        if a.known:
            lowest = b.mean_if_missing(0)
            difference = lowest - a.mean
            failures.append(difference)
    if not first_means:
        return None

    first_bounds = bounds(first)
    second_bounds = bounds(second)
    first_lowest, first_highest = map(fmean, first_bounds)
    second_lowest, second_highest = map(fmean, second_bounds)
    first_scores = [score.mean for score in first]
    second_scores = [score.mean for score in second]
    clusters = [task.cluster for task in tasks]
    studies = [task.sample.study for task in tasks]
    possible = (second_bounds, first_bounds)
    paired = compare_paired(
        second_scores,
        first_scores,
        clusters,
        studies,
        possible,
        comparisons,
    )
    missing = [score.missing for score in first + second]
    worst = second_lowest - first_highest
    best = second_highest - first_lowest
    return KeyDifference(
        key=key,
        baseline=fmean(first_means),
        candidate=fmean(second_means),
        paired=paired,
        missing=sum(missing),
        worst=worst,
        best=best,
        failures_lowest=fmean(failures),
    )
