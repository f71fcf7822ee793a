"""Aggregates: means of HMS over tasks with their intervals and counts, one row per group of tasks."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.competitors import best, competes
from inspect_discoverybench.report.configurations import VALUES, by_task
from inspect_discoverybench.report.losses import FACETS
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.statistics.mean import estimate_mean

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

KEYS = ("benchmark", "configuration")
"""Columns that identify a configuration of a benchmark. Each aggregate has them."""

HMS = "HMS × 100"
LOW, HIGH = "low", "high"
IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

COUNTS = tuple(outcome.value for outcome in Outcome)
"""Columns that count samples by outcome."""

COSTS = ("cost", "judge_cost")

USAGE = ("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms", "last_trial_hms")

FORMATS = dict.fromkeys((HMS, LOW, HIGH, IF_0, IF_1), ".1f")
"""Formats of the columns of every aggregate."""


def task_table(samples: "pd.DataFrame") -> "pd.DataFrame":
    """One row per benchmark, configuration and task; epochs are averaged.

    Facets and trials include only scored samples, so that all means are over the same samples. Columns are those of the
    frame of samples, `last_trial_hms` (HMS of samples with trials), `samples`, the counts of outcomes, `competes`
    (whether the task's configuration is a competitor), and `is_best` (whether it has the highest mean HMS of its
    benchmark's competitors; true for all that are tied). `HMS if missing 0` and `HMS if missing 1` are in [0, 1] here.

    Args:
        samples: Labelled samples with the scores of one judge.
    """
    outcomes = {outcome: (samples.outcome == outcome).astype(int) for outcome in COUNTS}
    is_scored = samples.hms.notna()
    has_trials = samples.best_trial_hms.notna()
    frame = samples.assign(
        **{facet: samples[facet].where(is_scored) for facet in FACETS},
        best_trial_hms=samples.best_trial_hms.where(is_scored),
        last_trial_hms=samples.hms.where(has_trials),
        gold_hypothesis=samples.gold_hypothesis.fillna(samples.id),
        samples=1,
        **{IF_0: samples.hms.fillna(0), IF_1: samples.hms.fillna(1)},
        **outcomes,
    )
    tasks = by_task(frame, [*VALUES, *USAGE, IF_0, IF_1])
    counts = frame.groupby([*KEYS, "id"], sort=False)[["samples", *outcomes]].sum()
    tasks = tasks.drop(columns=list(counts.columns)).join(counts, on=[*KEYS, "id"])
    priced_samples = frame.groupby([*KEYS, "id"], sort=False)[[*COSTS]].count()
    for cost in COSTS:
        tasks[cost] = tasks[cost].where(priced_samples[cost].to_numpy() == tasks.samples.to_numpy())
    tasks = tasks.assign(competes=competes(tasks, samples))
    return tasks.assign(is_best=_is_best(tasks))


def aggregate(tasks: "pd.DataFrame", by: Sequence[str] = ()) -> "pd.DataFrame":
    """HMS × 100 of each configuration and group, with its 95 % interval and counts.

    `tasks` and `gold hypotheses` count only what the mean includes: tasks without a scored epoch are left out. If
    any sample of a row has no score, the row has the bounds of the mean.

    Args:
        tasks: The table of tasks.
        by: Columns that form groups. Tasks without a value are left out.
    """
    import pandas as pd

    keys: list[Hashable] = [*KEYS, *by]
    groups = tasks.groupby(keys, sort=False, observed=True)
    counts = groups[["samples", *COUNTS]].sum()
    values, clusters = tasks.hms.to_numpy(), pd.factorize(tasks.gold_hypothesis)[0]
    indices = groups.indices
    rows = [_estimate(values[indices[name]], clusters[indices[name]]) for name in counts.index]
    table = pd.DataFrame(rows, columns=[HMS, LOW, HIGH], index=counts.index)
    missing = counts[Outcome.UNSCORED] + counts[Outcome.ERROR]
    bounds = (100 * groups[[IF_0, IF_1]].mean()).where(missing > 0, axis=0)
    golds = tasks.gold_hypothesis.where(tasks.hms.notna()).groupby([tasks[key] for key in keys], observed=True)
    sizes = pd.DataFrame({"tasks": groups.hms.count(), "gold hypotheses": golds.nunique()})
    table = table.join(bounds).join(sizes).join(counts).reset_index()
    return table.drop(columns=[IF_0, IF_1]) if table[IF_0].isna().all() else table


def estimate(tasks: "pd.DataFrame", value: str = "hms", name: str = HMS, prefix: str = "") -> dict[Hashable, Any]:
    """Mean of a value × 100 with its interval; NaN if no task has a value.

    Args:
        tasks: Rows of the table of tasks.
        value: Column in [0, 1].
        name: Name of the mean.
        prefix: Prefix of the names of the interval's endpoints.
    """
    numbers = _estimate(tasks[value].to_numpy(), tasks.gold_hypothesis.to_numpy())
    return dict(zip((name, f"{prefix}{LOW}", f"{prefix}{HIGH}"), numbers, strict=True))


def usage(tasks: "pd.DataFrame", names: Mapping[str, str]) -> "pd.DataFrame":
    """Mean usage per sample of each configuration; columns that no log has are left out.

    If any cost is unknown, the mean cost is unknown too: a mean of the known costs alone would be biased.

    Args:
        tasks: The table of tasks.
        names: Names of the means by column of the table of tasks.
    """
    groups = tasks.groupby([*KEYS], sort=False)[[*names]]
    means = groups.mean().where(groups.count().eq(groups.size(), axis=0) | [name not in COSTS for name in names])
    return means.rename(columns=names).dropna(axis="columns", how="all").reset_index()


def best_rows(table: "pd.DataFrame", tasks: "pd.DataFrame") -> "pd.DataFrame":
    """Rows of an aggregate that belong to the best configuration of each benchmark; the first one if several are tied.

    Args:
        table: The aggregate.
        tasks: The table of tasks.
    """
    keys: list[Hashable] = [*KEYS]
    return table.merge(tasks.loc[tasks.is_best, keys].drop_duplicates("benchmark"), on=keys)


def _estimate(values: "np.ndarray", clusters: "np.ndarray") -> tuple[float, float, float]:
    scored = values == values  # false for NaN
    if not scored.any():
        return math.nan, math.nan, math.nan
    # Rounding errors can push a mean above 1.
    result = estimate_mean(values[scored].clip(0, 1).tolist(), clusters[scored].tolist())
    return 100 * result.mean, 100 * result.low, 100 * result.high


def _is_best(tasks: "pd.DataFrame") -> "list[bool]":
    marked = {
        (benchmark, configuration)
        for benchmark, rows in tasks[tasks.competes].groupby("benchmark")
        for configuration in best(rows.groupby("configuration").hms.mean())
    }
    return [name in marked for name in zip(tasks.benchmark, tasks.configuration, strict=True)]
