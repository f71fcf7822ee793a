"""Means over tasks with their intervals and counts, as columns of tables."""

import math
from collections import Counter
from collections.abc import Sequence

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.results.task import Task
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean

HMS = "HMS × 100"
LOW, HIGH = "these tasks low", "these tasks high"
"""Endpoints of 95 % intervals on these tasks."""

IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

USAGE = {
    "cost": "USD per sample",
    "tokens": "tokens per sample",
    "seconds": "seconds per sample",
    "judge_cost": "judge USD per sample",
    "judge_tokens": "judge tokens per sample",
    "cells": "cells per sample",
}
"""Names of mean usage by field of the sample's record."""

Row = dict[str, object]
"""A row of a table: values by column."""


def estimate(tasks: Sequence[Task], key: str = "hms") -> Estimate:
    """The mean of a score over the tasks that have it; NaN if none has."""
    scored = [(task.score(key).mean, task) for task in tasks]
    scored = [(mean, task) for mean, task in scored if not math.isnan(mean)]
    if not scored:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    values = [mean for mean, _ in scored]
    return estimate_mean(values, [task.cluster for _, task in scored], [task.study for _, task in scored])


def hms_columns(tasks: Sequence[Task]) -> Row:
    """Mean HMS × 100 with its interval, its bounds if samples are missing, and counts."""
    mean = estimate(tasks)
    row: Row = {HMS: 100 * mean.mean, LOW: 100 * mean.low, HIGH: 100 * mean.high}
    row |= bound_columns(tasks)
    row["tasks"] = mean.tasks
    row |= outcome_columns(tasks)
    row["gold hypotheses"] = mean.clusters
    return row


def bound_columns(tasks: Sequence[Task]) -> Row:
    """Mean HMS × 100 if all missing samples had scored 0, and if all had scored 1; NaN if no sample is missing."""
    scores = [task.score() for task in tasks]
    if not any(score.missing for score in scores):
        return {IF_0: math.nan, IF_1: math.nan}
    if_0 = math.fsum(score.mean_if_missing(0) for score in scores)
    if_1 = math.fsum(score.mean_if_missing(1) for score in scores)
    return {IF_0: 100 * if_0 / len(scores), IF_1: 100 * if_1 / len(scores)}


def outcome_columns(tasks: Sequence[Task]) -> Row:
    """Numbers of samples: by outcome, and all."""
    outcomes = Counter(result.score.outcome for task in tasks for result in task.results)
    row: Row = {outcome.value: outcomes[outcome] for outcome in Outcome}
    row["samples"] = outcomes.total()
    return row


def mean_usage(results: Sequence[Result], field: str) -> float:
    """Mean usage per sample; NaN if it is not recorded.

    A mean of only those samples whose cost is known would be biased, so it is unknown if any is.
    """
    values = [getattr(result.sample, field) for result in results]
    known = [value for value in values if value is not None]
    is_cost = field in ("cost", "judge_cost")
    if not known or (is_cost and len(known) < len(values)):
        return math.nan
    return math.fsum(known) / len(known)
