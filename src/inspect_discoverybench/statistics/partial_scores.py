"""Scores of which some are missing, and what their mean could be."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True)
class PartialScores:
    """The scores of a task in its epochs, or of a benchmark in its tasks; NaN where one is missing."""

    values: Sequence[float]

    @property
    def known(self) -> list[float]:
        """The scores that are not missing."""
        return [value for value in self.values if not math.isnan(value)]

    @property
    def missing(self) -> int:
        """Number of missing scores."""
        return len(self.values) - len(self.known)

    @property
    def mean(self) -> float:
        """Mean of the known scores; NaN if there is none."""
        known = self.known
        return fmean(known) if known else math.nan

    def filled(self, score: float) -> list[float]:
        """All scores if the missing ones were this one."""
        return self.known + [score] * self.missing

    def mean_if_missing(self, score: float) -> float:
        """Mean of all scores if the missing ones were this one."""
        return fmean(self.filled(score))


def bounds(tasks: Iterable[PartialScores]) -> tuple[list[float], list[float]]:
    """The lowest and the highest mean that each task could have had."""
    lowest = []
    highest = []
    for task in tasks:
        lowest.append(task.mean_if_missing(0))
        highest.append(task.mean_if_missing(1))
    return lowest, highest
