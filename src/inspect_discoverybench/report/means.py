"""Means over tasks with their intervals and counts, as columns of tables."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from inspect_discoverybench.results.task_result import TaskResult
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.statistics.mean import Estimate
from inspect_discoverybench.statistics.paired import PairedDifference
from inspect_discoverybench.statistics.partial_scores import bounds


class IntervalNames(NamedTuple):
    """Names of the columns of a value and of the endpoints of its interval.

    For a value without an interval, all three are the column of the value.
    """

    value: str
    low: str
    high: str

    @classmethod
    def of(cls, name: str) -> "IntervalNames":
        """The columns of a value × 100 with this name."""
        return cls(f"{name} × 100", f"{name} low", f"{name} high")


HMS = "HMS × 100"

LOW, HIGH = "these tasks low", "these tasks high"
"""Endpoints of 95 % intervals on these tasks."""

HMS_INTERVAL = IntervalNames(HMS, LOW, HIGH)

LOWEST, HIGHEST = "lowest possible", "highest possible"
"""The least and the most that HMS × 100, or a difference, could be if missing samples had scores."""

Row = dict[str, object]
"""A row of a table: values by column."""


def interval_columns(mean: Estimate | None, columns: IntervalNames = HMS_INTERVAL) -> Row:
    """A mean × 100 and its interval in these columns. Without a mean, all are NaN."""
    if mean is None:
        return dict.fromkeys(columns, math.nan)
    return {
        columns.value: 100 * mean.mean,
        columns.low: 100 * mean.low,
        columns.high: 100 * mean.high,
    }


def difference_columns(paired: PairedDifference, columns: IntervalNames) -> Row:
    """A difference × 100 and its interval in these columns."""
    return {
        columns.value: 100 * paired.difference,
        columns.low: 100 * paired.low,
        columns.high: 100 * paired.high,
    }


def mean_bound_columns(tasks: Sequence[TaskResult], key: str = "hms") -> Row:
    """The least and the most that the mean of a score could be, as `bound_columns` shows them."""
    possible = bounds([task.scores(key) for task in tasks])
    return bound_columns(fmean(possible.lowest), fmean(possible.highest))


def bound_columns(lowest: float, highest: float) -> Row:
    """The least and the most that a mean or a difference could be, × 100.

    NaN if they are equal: then no samples are missing, and both would be the mean or the difference.
    """
    if lowest == highest:
        return {LOWEST: math.nan, HIGHEST: math.nan}
    return {LOWEST: 100 * lowest, HIGHEST: 100 * highest}


def count_columns(tasks: Sequence[TaskResult], key: str = "hms") -> Row:
    """The numbers of tasks with a score, of gold hypotheses, and of samples by outcome.

    `tasks` counts the tasks with this score, and `gold hypotheses` the clusters of the mean's interval. These are the
    gold hypotheses of all tasks, because the interval also covers the scores that unscored tasks could have had.
    """
    scored = [task for task in tasks if task.scores(key).known]
    clusters = {task.cluster for task in tasks}
    outcomes: Counter[str] = Counter()
    for task in tasks:
        outcomes.update(result.score.outcome_of(key) for result in task.results)
    counts = {outcome.value: outcomes[outcome] for outcome in SampleOutcome}
    return {
        "tasks": len(scored),
        "gold hypotheses": len(clusters),
        **counts,
    }
