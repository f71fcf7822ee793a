"""Scores of which some are missing, and what their mean could be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # numpy takes a tenth of a second, and the scorer imports this module
    from inspect_discoverybench.statistics.clusters import Values


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
        """The known scores, and this score for each missing one."""
        return self.known + [score] * self.missing

    def mean_if_missing(self, score: float) -> float:
        """Mean of the known scores, and of this score for each missing one."""
        return fmean(self.filled(score))


class Bounds(NamedTuple):
    """The lowest and the highest possible value of every task. They differ where samples are unscored."""

    lowest: "Values"
    highest: "Values"


def bounds(tasks: Sequence[PartialScores]) -> Bounds:
    """The lowest and the highest mean that each task could have had."""
    return Bounds(
        lowest=[task.mean_if_missing(0) for task in tasks],
        highest=[task.mean_if_missing(1) for task in tasks],
    )
