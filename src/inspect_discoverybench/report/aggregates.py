"""Aggregates: means of HMS over tasks with their intervals and counts, one row per group of tasks."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.configurations import VALUES, by_task
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.statistics.mean import estimate_mean, needs_bounds

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("benchmark", "configuration")
"""Columns that identify a configuration of a benchmark. Each aggregate has them."""

HMS = "HMS × 100"
LOW, HIGH = "low", "high"
IF_0, IF_1 = "HMS if missing 0", "HMS if missing 1"
"""Bounds of HMS × 100: missing samples count as 0 and as 1."""

COUNTS = {
    Outcome.SCORED: "scored",
    Outcome.UNSCORED: "unscored",
    Outcome.NO_SUBMISSION: "no submission",
    Outcome.LIMIT: "limit",
    Outcome.ERROR: "errors",
}

USAGE = ("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms")

FORMATS = dict.fromkeys((HMS, LOW, HIGH, IF_0, IF_1), ".1f")
"""Formats of the columns of every aggregate."""


def task_table(samples: "pd.DataFrame") -> "pd.DataFrame":
    """One row per benchmark, configuration and task; epochs are averaged.

    Columns are those of the frame of samples, and `samples` and the counts of outcomes. `HMS if missing 0` and
    `HMS if missing 1` are in [0, 1] here.

    Args:
        samples: Labelled samples with the scores of one judge.
    """
    outcomes = {name: (samples.outcome == outcome).astype(int) for outcome, name in COUNTS.items()}
    frame = samples.assign(
        gold_hypothesis=samples.gold_hypothesis.fillna(samples.id),
        **{IF_0: samples.hms.fillna(0), IF_1: samples.hms.fillna(1), "samples": 1},
        **outcomes,
    )
    tasks = by_task(frame, [*VALUES, *USAGE, IF_0, IF_1])
    counts = frame.groupby([*KEYS, "id"], sort=False)[["samples", *outcomes]].sum()
    return tasks.drop(columns=list(counts.columns)).join(counts, on=[*KEYS, "id"])


def aggregate(tasks: "pd.DataFrame", by: Sequence[str] = ()) -> "pd.DataFrame":
    """HMS × 100 of each configuration and group, with its 95 % interval and counts.

    Tasks without a scored epoch are left out of the mean and counted. If more than 1 % of the samples of a row have no
    score, the table has the bounds of the mean.

    Args:
        tasks: The table of tasks.
        by: Columns that form groups. Tasks without a value are left out.
    """
    import pandas as pd

    keys: list[Hashable] = [*KEYS, *by]
    rows: list[dict[Hashable, Any]] = [
        {**dict(zip(keys, names, strict=True)), **_row(group)} for names, group in tasks.groupby(keys, sort=False)
    ]
    columns: list[Any] = [*keys, HMS, LOW, HIGH, IF_0, IF_1, "tasks", "gold hypotheses", "samples", *COUNTS.values()]
    table = pd.DataFrame(rows, columns=columns)
    return table.drop(columns=[IF_0, IF_1]) if table[IF_0].isna().all() else table


def estimate(tasks: "pd.DataFrame", value: str = "hms", name: str = HMS, prefix: str = "") -> dict[Hashable, Any]:
    """Mean of a value × 100 with its interval; NaN if no task has a value.

    Args:
        tasks: Rows of the table of tasks.
        value: Column in [0, 1].
        name: Name of the mean.
        prefix: Prefix of the names of the ends of the interval.
    """
    known = tasks[tasks[value].notna()]
    if known.empty:
        return {name: float("nan"), f"{prefix}{LOW}": float("nan"), f"{prefix}{HIGH}": float("nan")}
    # Rounding in sums can exceed 1.
    result = estimate_mean(known[value].clip(0, 1).tolist(), known.gold_hypothesis.tolist())
    return {name: 100 * result.mean, f"{prefix}{LOW}": 100 * result.low, f"{prefix}{HIGH}": 100 * result.high}


def best_configurations(table: "pd.DataFrame", tasks: "pd.DataFrame") -> "pd.Series[bool]":
    """Whether a row of an aggregate is the best configuration of its benchmark that is not an oracle.

    Args:
        table: The aggregate.
        tasks: The table of tasks.
    """
    oracles = set(tasks[tasks.is_oracle].configuration)
    scores = table[HMS].where(~table.configuration.isin(oracles))
    return (scores == scores.groupby(table.benchmark).transform("max")).astype(bool)


def best_rows(table: "pd.DataFrame", tasks: "pd.DataFrame") -> "pd.DataFrame":
    """Rows of an aggregate by group that belong to the best configuration of each benchmark.

    Args:
        table: The aggregate by group.
        tasks: The table of tasks, from which the best configurations are determined. Of equal ones, the first is used.
    """
    overall = aggregate(tasks)
    best = overall[best_configurations(overall, tasks)].drop_duplicates("benchmark")
    return table.merge(best[list(KEYS)], on=list(KEYS))


def _row(tasks: "pd.DataFrame") -> dict[Hashable, Any]:
    counts = {name: int(tasks[name].sum()) for name in COUNTS.values()}
    missing = counts["unscored"] + counts["errors"]
    total = int(tasks["samples"].sum())
    is_bounded = needs_bounds(total - missing, missing)
    return {
        **estimate(tasks),
        IF_0: 100 * tasks[IF_0].mean() if is_bounded else float("nan"),
        IF_1: 100 * tasks[IF_1].mean() if is_bounded else float("nan"),
        "tasks": len(tasks),
        "gold hypotheses": tasks.gold_hypothesis.nunique(),
        "samples": total,
        **counts,
    }
