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
    values = (mean.mean, mean.low, mean.high)
    return {name: 100 * value for name, value in zip(names, values, strict=True)}


def count_columns(tasks: Sequence[Task]) -> Row:
    """The bounds of mean HMS × 100 if samples are missing, and counts."""
    scores = [task.score() for task in tasks]
    outcomes: Counter[Outcome] = Counter()
    for task in tasks:
        outcomes.update(result.score.outcome for result in task.results)

    row: Row = {IF_0: math.nan, IF_1: math.nan}
    if any(score.missing for score in scores):
        lowest, highest = bounds(scores)
        row[IF_0] = 100 * fmean(lowest)
        row[IF_1] = 100 * fmean(highest)
    row["tasks"] = len([score for score in scores if score.scored])
    for outcome in Outcome:
        row[outcome.value] = outcomes[outcome]
    row["gold hypotheses"] = len({task.cluster for task in tasks})
    return row
