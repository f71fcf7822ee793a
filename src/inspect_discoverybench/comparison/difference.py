"""The difference of two systems in a score, on the tasks that both have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TypeVar

from inspect_discoverybench.results.task_result import TaskResult
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.partial_scores import Bounds, PartialScores, bounds

Id = TypeVar("Id")


@dataclass(frozen=True)
class _CommonTask:
    """A task that both systems ran, with the scores of each in its epochs."""

    cluster: str
    study: str | None
    baseline: PartialScores
    candidate: PartialScores

    @property
    def is_scored_by_both(self) -> bool:
        """Whether each system has a score in some epoch."""
        return bool(self.baseline.known and self.candidate.known)


@dataclass(frozen=True)
class _Side:
    """The scores of one system on the common tasks."""

    scores: Sequence[PartialScores]

    @property
    def means(self) -> list[float]:
        """The mean score of each task over its epochs. A task without any score has NaN."""
        return [score.mean for score in self.scores]

    @cached_property
    def possible(self) -> Bounds:
        """The lowest and the highest score that each task could have had."""
        return bounds(self.scores)

    @property
    def lowest(self) -> float:
        """The mean if all missing scores were 0."""
        return fmean(self.possible.lowest)

    @property
    def highest(self) -> float:
        """The mean if all missing scores were 1."""
        return fmean(self.possible.highest)

    @property
    def missing(self) -> int:
        """Number of missing scores."""
        return sum(score.missing for score in self.scores)


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
        best: The difference on all common tasks if missing scores were 1 for the candidate and 0 for the baseline.
        failures_lowest: The difference on the tasks that the baseline scored, if the candidate's missing scores were 0.
            `compare --fail-if-worse` checks it, too: a candidate cannot pass only because its low scores are missing.
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
    baseline: Mapping[Id, TaskResult], candidate: Mapping[Id, TaskResult], key: str = "hms", comparisons: int = 1
) -> KeyDifference | None:
    """Compare the common tasks of two systems; None if no task is scored by both.

    Args:
        baseline: Tasks of the baseline by their ids.
        candidate: Tasks of the candidate by their ids. Each task is compared with the baseline's of the same id.
        key: Key of the score.
        comparisons: Number of differences that are read together. Interval and p-value are adjusted for it.
    """
    tasks = [
        _CommonTask(
            cluster=baseline_task.cluster,
            study=baseline_task.sample.study,
            baseline=baseline_task.scores(key),
            candidate=candidate[task_id].scores(key),
        )
        for task_id, baseline_task in baseline.items()
        if task_id in candidate
    ]
    scored = [task for task in tasks if task.is_scored_by_both]
    if not scored:
        return None

    baseline_side = _Side([task.baseline for task in tasks])
    candidate_side = _Side([task.candidate for task in tasks])
    return KeyDifference(
        key=key,
        baseline=fmean(task.baseline.mean for task in scored),
        candidate=fmean(task.candidate.mean for task in scored),
        # Candidate minus baseline.
        paired=compare_paired(
            candidate_side.means,
            baseline_side.means,
            clusters=[task.cluster for task in tasks],
            studies=[task.study for task in tasks],
            possible=(candidate_side.possible, baseline_side.possible),
            comparisons=comparisons,
        ),
        missing=baseline_side.missing + candidate_side.missing,
        worst=candidate_side.lowest - baseline_side.highest,
        best=candidate_side.highest - baseline_side.lowest,
        failures_lowest=_difference_with_failures_lowest(tasks),
    )


def _difference_with_failures_lowest(tasks: Sequence[_CommonTask]) -> float:
    """The difference on the tasks that the baseline scored, if the candidate's missing scores were 0."""
    return fmean(task.candidate.mean_if_missing(0) - task.baseline.mean for task in tasks if task.baseline.known)
