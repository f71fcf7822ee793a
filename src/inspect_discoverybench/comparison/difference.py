"""The difference of two systems in a score, on the tasks that both have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from statistics import fmean
from typing import TypeVar

from inspect_discoverybench.results.task import Task, TaskScore, bounds
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired

K = TypeVar("K")


@dataclass(frozen=True)
class KeyDifference:
    """The difference in one key of the score.

    Attributes:
        key: The key; empty if the score is a single number.
        baseline: Mean of the baseline over the tasks that both scored.
        candidate: Mean of the candidate over the same tasks.
        paired: The difference, candidate minus baseline. Its interval covers what missing scores could be.
        missing: Number of samples of the common tasks without a score, in all epochs of both systems.
        worst: The difference on all common tasks if missing scores were 0 for the candidate and 1 for the baseline.
        best: The difference if they were 1 for the candidate and 0 for the baseline.
        failures_lowest: The difference on the tasks that the baseline scored, if the candidate's missing scores were 0.
    """

    key: str
    baseline: Estimate
    candidate: Estimate
    paired: PairedDifference
    missing: int
    worst: float
    best: float
    failures_lowest: float


def key_difference(
    baseline: Mapping[K, Task], candidate: Mapping[K, Task], key: str = "hms", comparisons: int = 1
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
    both = []
    gate = []
    for a, b in zip(first, second, strict=True):
        is_scored = bool(a.scored and b.scored)
        both.append(is_scored)
        if a.scored:
            lowest = b.mean_if_missing(0)
            gate.append(lowest - a.mean)
    if not any(both):
        return None

    missing = sum(score.missing for score in first + second)
    first_bounds = bounds(first)
    second_bounds = bounds(second)
    possible = (second_bounds, first_bounds) if missing else None
    paired = compare_paired(
        [score.mean for score in second],
        [score.mean for score in first],
        [task.cluster for task in tasks],
        [task.sample.study for task in tasks],
        possible,
        comparisons,
    )
    return KeyDifference(
        key=key,
        baseline=_mean(tasks, first, both),
        candidate=_mean(tasks, second, both),
        paired=paired,
        missing=missing,
        worst=fmean(second_bounds.lowest) - fmean(first_bounds.highest),
        best=fmean(second_bounds.highest) - fmean(first_bounds.lowest),
        failures_lowest=fmean(gate),
    )


def _mean(tasks: Sequence[Task], scores: Sequence[TaskScore], is_counted: Sequence[bool]) -> Estimate:
    """The mean over the tasks that count."""
    counted = list(compress(tasks, is_counted))
    return estimate_mean(
        [score.mean for score in compress(scores, is_counted)],
        [task.cluster for task in counted],
        [task.sample.study for task in counted],
    )
