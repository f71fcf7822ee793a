"""Means over tasks with their intervals and counts, as columns of tables."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.results.task import Task, bounds
from inspect_discoverybench.statistics.mean import Estimate


class Interval(NamedTuple):
    """Columns of a value and of the endpoints of its interval; all the same without an interval."""

    value: str
    low: str
    high: str


HMS = "HMS × 100"

LOW, HIGH = "these tasks low", "these tasks high"
"""Endpoints of 95 % intervals on these tasks."""

HMS_INTERVAL = Interval(HMS, LOW, HIGH)

IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

Row = dict[str, object]
"""A row of a table: values by column."""


def interval_columns(mean: Estimate | None, columns: Interval = HMS_INTERVAL) -> Row:
    """A mean × 100 and its interval in these columns; NaN without one."""
    if mean is None:
        return dict.fromkeys(columns, math.nan)
    return {
        columns.value: 100 * mean.mean,
        columns.low: 100 * mean.low,
        columns.high: 100 * mean.high,
    }


def missing_columns(tasks: Sequence[Task]) -> Row:
    """The bounds of mean HMS × 100; NaN if no samples are missing."""
    scores = [task.score() for task in tasks]
    if not any(score.missing for score in scores):
        return {IF_0: math.nan, IF_1: math.nan}
    lowest, highest = bounds(scores)
    return {IF_0: 100 * fmean(lowest), IF_1: 100 * fmean(highest)}


def count_columns(tasks: Sequence[Task]) -> Row:
    """The bounds of mean HMS × 100 if samples are missing, and counts."""
    scored = [task for task in tasks if task.score().scored]
    clusters = {task.cluster for task in tasks}
    outcomes: Counter[str] = Counter()
    for task in tasks:
        outcomes.update(result.score.outcome for result in task.results)
    counts = {outcome.value: outcomes[outcome] for outcome in Outcome}
    return {
        **missing_columns(tasks),
        "tasks": len(scored),
        "gold hypotheses": len(clusters),
        **counts,
    }
