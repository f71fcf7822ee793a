"""A task of a system: the results of one sample in all its epochs, and their score."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from inspect_discoverybench.results.result import Result


@dataclass(frozen=True)
class TaskScore:
    """The values of a score by epoch; NaN where the sample has none."""

    epochs: tuple[float, ...]

    @property
    def scored(self) -> list[float]:
        """The values of the epochs that have one."""
        return [value for value in self.epochs if not math.isnan(value)]

    @property
    def missing(self) -> int:
        """Number of epochs without a value."""
        return len(self.epochs) - len(self.scored)

    @property
    def mean(self) -> float:
        """Mean over the epochs with a value; NaN if there is none."""
        scored = self.scored
        return sum(scored) / len(scored) if scored else math.nan

    def mean_if_missing(self, value: float) -> float:
        """Mean over all epochs, if those without a value had this one."""
        total = sum(self.scored) + self.missing * value
        return total / len(self.epochs)


@dataclass(frozen=True)
class Task:
    """The results of one sample, one per epoch; there is at least one."""

    results: tuple[Result, ...]

    @property
    def id(self) -> str:
        """Id of the sample."""
        return self.results[0].sample.id

    @property
    def cluster(self) -> str:
        """What its score depends on together with those of other tasks: the gold hypothesis, or else its own id."""
        return self.results[0].sample.gold_hypothesis or self.id

    @property
    def study(self) -> str | None:
        """The study that its data are from; None if it is not known."""
        return self.results[0].sample.study

    def score(self, key: str = "hms") -> TaskScore:
        """The score of each epoch."""
        return TaskScore(tuple(result.score.value(key) for result in self.results))


def tasks_of(results: Iterable[Result]) -> dict[tuple[str, str], Task]:
    """The tasks of one system by the name of Inspect's task and the id of the sample."""
    epochs: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        epochs.setdefault((result.run.task, result.sample.id), []).append(result)
    return {key: Task(tuple(rows)) for key, rows in epochs.items()}
