"""The difference of two systems in a score, on the tasks that both have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TypeVar

from inspect_discoverybench.results.task_result import TaskResult
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.partial_scores import Bounds, PartialScores, bounds

K = TypeVar("K")


@dataclass(frozen=True)
class _Side:
    """The scores of one system on the common tasks."""

    scores: Sequence[PartialScores]

    @classmethod
    def of(cls, tasks: Iterable[TaskResult], key: str) -> "_Side":
        return cls([task.score(key) for task in tasks])

    @property
    def means(self) -> list[float]:
        """The score of each task; NaN without any."""
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
    of_baseline = _Side.of(tasks, key)
    of_candidate = _Side.of([candidate[name] for name in common], key)
    pairs = list(zip(of_baseline.scores, of_candidate.scores, strict=True))
    scored = [
        (baseline_score.mean, candidate_score.mean)
        for baseline_score, candidate_score in pairs
        if baseline_score.known and candidate_score.known
    ]
    if not scored:
        return None

    return KeyDifference(
        key=key,
        baseline=fmean(mean for mean, _ in scored),
        candidate=fmean(mean for _, mean in scored),
        paired=compare_paired(
            of_candidate.means,
            of_baseline.means,
            clusters=[task.cluster for task in tasks],
            studies=[task.sample.study for task in tasks],
            possible=(of_candidate.possible, of_baseline.possible),
            comparisons=comparisons,
        ),
        missing=of_baseline.missing + of_candidate.missing,
        worst=of_candidate.lowest - of_baseline.highest,
        best=of_candidate.highest - of_baseline.lowest,
        failures_lowest=fmean(
            candidate_score.mean_if_missing(0) - baseline_score.mean
            for baseline_score, candidate_score in pairs
            if baseline_score.known
        ),
    )
