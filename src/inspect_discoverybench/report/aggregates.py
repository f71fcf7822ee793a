"""Aggregates: means over tasks with intervals and counts, one row per group of tasks, and paired differences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from inspect_discoverybench.report.report_columns import SCORES
from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.paired import compare_paired

KEYS = ["benchmark", "configuration"]
"""Columns that identify a configuration of a benchmark. Each aggregate has them."""

HMS = "HMS × 100"
LOW, HIGH, P_VALUE = "these tasks low", "these tasks high", "these tasks p"
"""Endpoints of 95 % intervals, and p-values."""
IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

DIFFERENCE = "difference × 100"

COUNTS = [outcome.value for outcome in Outcome]
"""Columns that count samples by outcome."""

COSTS = ("cost", "judge_cost")

TRIALS = {"last_trial_hms": "last trial", "best_trial_hms": "best trial"}
"""Names of an oracle's trials by column of the table of tasks."""

USAGE = {
    "cost": "USD per sample",
    "tokens": "tokens per sample",
    "seconds": "seconds per sample",
    "judge_cost": "judge USD per sample",
    "judge_tokens": "judge tokens per sample",
    "cells": "cells per sample",
}
"""Names of mean usage by column of the frame of samples."""

MIN_COVERAGE = 0.9
"""Minimum number of scored tasks of a competitor, as a share of the largest number in its benchmark."""

ROUNDING = 1e-9


def task_table(samples: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, configuration and task of samples with the scores of one judge; epochs are averaged.

    Scores and trials include only scored samples, so that all means are over the same samples. The benchmarks are in
    alphabetical order, their configurations in decreasing order of HMS with oracles last. Columns are those of the
    frame of samples, `last_trial_hms` (HMS of samples with trials), `samples`, the counts of outcomes, `order` (place
    of the configuration), `competes` (whether the configuration is a competitor), and `is_best` (whether it has the
    highest mean HMS of its benchmark's competitors; true for all that are tied).
    """
    is_scored = samples.hms.notna()
    frame = samples.assign(
        **{name: samples[name].where(is_scored) for name in (*SCORES, "best_trial_hms")},
        last_trial_hms=samples.hms.where(samples.best_trial_hms.notna()),
        gold_hypothesis=samples.gold_hypothesis.fillna(samples.id),
        study=samples.study.astype(object).where(samples.study.notna(), None),
        **{IF_0: 100 * samples.hms.fillna(0), IF_1: 100 * samples.hms.fillna(1)},
    )
    keys = [*KEYS, "id"]
    groups = frame.groupby(keys, sort=False)
    means = groups[[*SCORES, *USAGE, *TRIALS, IF_0, IF_1]].mean()
    sizes = groups.size()
    for cost in COSTS:
        means[cost] = means[cost].where(groups[cost].count() == sizes)
    outcomes = frame.groupby([*keys, "outcome"]).size().unstack("outcome", fill_value=0)
    counts = outcomes.reindex(means.index).reindex(columns=COUNTS, fill_value=0).assign(samples=sizes)
    first = frame.drop_duplicates(keys).set_index(keys).drop(columns=[*means, *COUNTS], errors="ignore")
    return _ranked(first.join(means).join(counts).reset_index(), samples)


def means(
    tasks: pd.DataFrame, by: Sequence[str] = KEYS, value: str = "hms", names: Sequence[str] = (HMS, LOW, HIGH)
) -> pd.DataFrame:
    """Mean of a value × 100 by group with its 95 % interval, and the numbers of tasks and gold hypotheses.

    Groups are in the order of the tasks. Tasks without a group or a value count nowhere; a group without values has no
    mean. The value is a column in [0, 1]; the names are those of the mean and of the endpoints of its interval.
    """
    rows = []
    for group, frame in tasks[[*by, value, "gold_hypothesis"]].groupby([*by], sort=False):
        scored = frame.dropna(subset=value)
        estimate = Estimate(math.nan, math.nan, math.nan, 0, 0)
        if not scored.empty:
            # Rounding errors can push a mean above 1.
            estimate = estimate_mean(scored[value].clip(0, 1).tolist(), scored.gold_hypothesis.tolist())
        rows.append(
            [*group, 100 * estimate.mean, 100 * estimate.low, 100 * estimate.high, estimate.tasks, estimate.clusters]
        )
    return pd.DataFrame(rows, columns=[*by, *names, "tasks", "gold hypotheses"])


def aggregate(tasks: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """HMS × 100 of each configuration and group, with its 95 % interval and counts.

    If any sample of a row has no score, the row has the bounds of the mean. Tasks without a group are left out.
    """
    keys = [*KEYS, *by]
    groups = tasks.groupby(keys, sort=False)
    counts = groups[["samples", *COUNTS]].sum()
    bounds = groups[[IF_0, IF_1]].mean()[counts[Outcome.UNSCORED] + counts[Outcome.ERROR] > 0]
    table = means(tasks, keys).join(bounds, on=keys).join(counts, on=keys)
    return table[[*keys, HMS, LOW, HIGH, *([] if bounds.empty else bounds), "tasks", "gold hypotheses", *counts]]


def usage(tasks: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Mean usage per sample of each configuration; what no log records is left out.

    If any cost is unknown, the mean cost is unknown too: a mean of the known costs alone would be biased.
    """
    groups = tasks.groupby(KEYS, sort=False)[[*columns]]
    is_known = groups.count().eq(groups.size(), axis=0) | [name not in COSTS for name in columns]
    return groups.mean().where(is_known).rename(columns=USAGE).dropna(axis="columns", how="all").reset_index()


def is_on_front(costs: "pd.Series[float]", scores: "pd.Series[float]", groups: "pd.Series[str]") -> "pd.Series[bool]":
    """Whether no other row of the group has a lower cost and at least the score, or the same cost and a higher score.

    Rows without a cost or without a score are not on the front.
    """
    cost, score, group = costs.to_numpy(float), scores.to_numpy(float), groups.to_numpy(str)
    lower, higher = cost < cost[:, None], score > score[:, None]
    is_better = (lower & (score >= score[:, None])) | (higher & (cost <= cost[:, None]))
    is_beaten = is_better & (group == group[:, None])
    return costs.notna() & scores.notna() & ~pd.Series(is_beaten.any(axis=1), costs.index)


def difference(
    before: "pd.Series[float]", after: "pd.Series[float]", clusters: "pd.Series[str]", names: Sequence[str]
) -> Mapping[str, Any] | None:
    """The paired difference of scores in [0, 1] by task, `after` minus `before`; None if no task has both.

    The two means have these names.
    """
    both = pd.DataFrame({"before": before, "after": after, "cluster": clusters}).dropna()
    if both.empty:
        return None
    result = compare_paired(both.after.clip(0, 1).tolist(), both.before.clip(0, 1).tolist(), both.cluster.tolist())
    return {
        "tasks": result.tasks,
        names[0]: 100 * both.before.mean(),
        names[1]: 100 * both.after.mean(),
        DIFFERENCE: 100 * result.difference,
        LOW: 100 * result.low,
        HIGH: 100 * result.high,
        P_VALUE: result.p_value,
        **{name: getattr(result, name) for name in ("wins", "losses", "ties")},
    }


def _ranked(tasks: pd.DataFrame, samples: pd.DataFrame) -> pd.DataFrame:
    """Sort the tasks by configuration, and mark competitors and the best of them.

    Means over few tasks, or by different judges, say nothing about which configuration is better.
    """
    configurations = tasks.groupby(KEYS, sort=False).agg(is_apart=("role", "any"), hms=("hms", "mean"))
    order = configurations.reset_index().sort_values(
        ["benchmark", "is_apart", "hms"], ascending=[True, True, False], kind="stable"
    )
    tasks = tasks.merge(order[KEYS].assign(order=np.arange(len(order))), on=KEYS)
    tasks = tasks.sort_values("order", kind="stable", ignore_index=True)
    names = pd.MultiIndex.from_frame(tasks[KEYS])
    counts = tasks[tasks.hms.notna() & (tasks.role == "")].groupby(KEYS).size()
    covered = counts.index[counts >= MIN_COVERAGE * counts.groupby("benchmark").transform("max")]
    judged = samples[samples.judge_record.notna() & samples.hms.notna()]
    judges = judged[pd.MultiIndex.from_frame(judged[KEYS]).isin(covered)].groupby("benchmark").judge.nunique()
    tasks["competes"] = names.isin(covered) & ~tasks.benchmark.isin(judges.index[judges > 1])
    hms = tasks[tasks.competes].groupby(KEYS).hms.mean()
    tasks["is_best"] = names.isin(hms.index[hms >= hms.groupby("benchmark").transform("max") - ROUNDING])
    return tasks
