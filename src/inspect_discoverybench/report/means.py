"""Means over tasks with their intervals and counts, as columns of tables."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.results.task import Task, bounds, mean_score

HMS = "HMS × 100"

LOW, HIGH = "these tasks low", "these tasks high"
"""Endpoints of 95 % intervals on these tasks."""

IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

Row = dict[str, object]
"""A row of a table: values by column."""


def interval_columns(tasks: Sequence[Task], key: str, names: tuple[str, str, str]) -> Row:
    """The mean of a score × 100 and its interval under these names; NaN if no task is scored."""
    mean = mean_score(tasks, key)
    if mean is None:
        return dict.fromkeys(names, math.nan)
    value, low, high = names
    return {value: 100 * mean.mean, low: 100 * mean.low, high: 100 * mean.high}


def hms_columns(tasks: Sequence[Task]) -> Row:
    """Mean HMS × 100 with its interval, its bounds if samples are missing, and counts."""
    scores = [task.score() for task in tasks]
    missing = sum(score.missing for score in scores)
    lowest, highest = bounds(scores)
    outcomes = Counter(result.score.outcome for task in tasks for result in task.results)

    row = interval_columns(tasks, "hms", (HMS, LOW, HIGH))
    row[IF_0] = 100 * fmean(lowest) if missing else math.nan
    row[IF_1] = 100 * fmean(highest) if missing else math.nan
    row["tasks"] = sum(bool(score.scored) for score in scores)
    for outcome in Outcome:
        row[outcome.value] = outcomes[outcome]
    row["gold hypotheses"] = len({task.cluster for task in tasks})
    return row
