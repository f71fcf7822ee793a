"""A task of a system: the results of one sample in all its epochs, and their score."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean

TaskId = tuple[str, str]
"""Name of Inspect's task, and id of the sample."""


@dataclass(frozen=True)
class TaskScore:
    """A score by epoch; NaN where the sample has none."""

    epochs: Sequence[float]

    @property
    def scored(self) -> list[float]:
        """The scores of the epochs that have one."""
        return [value for value in self.epochs if not math.isnan(value)]

    @property
    def missing(self) -> int:
        """Number of epochs without a score."""
        return len(self.epochs) - len(self.scored)

    @property
    def mean(self) -> float:
        """Mean over the epochs with a score; NaN if there is none."""
        scored = self.scored
        return fmean(scored) if scored else math.nan

    def mean_if_missing(self, value: float) -> float:
        """Mean over all epochs, if those without a score had this one."""
        missing = [value] * self.missing
        return fmean(self.scored + missing)


@dataclass(frozen=True)
class Task:
    """The results of one sample, one per epoch; there is at least one."""

    results: Sequence[Result]

    @property
    def sample(self) -> SampleRecord:
        """The sample in the first epoch, with the goal and its properties."""
        return self.results[0].sample

    @property
    def cluster(self) -> str:
        """What its score depends on together with those of other tasks: the gold hypothesis, or else its own id."""
        return self.sample.gold_hypothesis or self.sample.id

    def score(self, key: str = "hms") -> TaskScore:
        """The score of each epoch."""
        return TaskScore([result.score.value(key) for result in self.results])


def tasks_of(results: Iterable[Result]) -> dict[TaskId, Task]:
    """The tasks of one system."""
    epochs: dict[TaskId, list[Result]] = {}
    for result in results:
        key = (result.run.task, result.sample.id)
        epochs.setdefault(key, []).append(result)
    return {key: Task(rows) for key, rows in epochs.items()}


def bounds(scores: Sequence[TaskScore]) -> tuple[list[float], list[float]]:
    """The lowest and the highest mean that each task could have had, where epochs have no score."""
    lowest = [score.mean_if_missing(0) for score in scores]
    highest = [score.mean_if_missing(1) for score in scores]
    return lowest, highest


def mean_score(tasks: Sequence[Task], key: str = "hms") -> Estimate | None:
    """The mean of a score, with an interval that covers what missing scores could be; None if no task is scored."""
    scores = [task.score(key) for task in tasks]
    if not any(score.scored for score in scores):
        return None
    return estimate_mean(
        [score.mean for score in scores],
        [task.cluster for task in tasks],
        [task.sample.study for task in tasks],
        bounds(scores),
    )
