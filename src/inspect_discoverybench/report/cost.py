"""Cost, tokens and time against HMS, with the Pareto front."""

from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import FORMATS, HIGH, HMS, KEYS, LOW, aggregate, usage
from inspect_discoverybench.report.charts import IntervalColumns, front, scatter
from inspect_discoverybench.report.competitors import RULE
from inspect_discoverybench.report.figures import Chart, stack
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"cost": "USD per sample", "tokens": "tokens per sample", "seconds": "seconds per sample"}
"""Measures with a Pareto front, by column of the frame of samples."""

OTHERS = {
    "judge_cost": "judge USD per sample",
    "judge_tokens": "judge tokens per sample",
    "cells": "cells per sample",
}

LOGARITHMIC_RATIO = 5
"""A measure has a logarithmic axis if its largest value is more than this many times its smallest."""


def cost_section(tasks: "pd.DataFrame") -> Section:
    """The usage of each configuration, and the Pareto front of usage and HMS.

    Args:
        tasks: The table of tasks.
    """
    table = _table(tasks)
    measures = [name for name in MEASURES.values() if name in table]
    return Section(
        name="cost",
        title="Cost against HMS",
        text=(
            "Mean usage per sample, without the judge, against HMS × 100. The Pareto front (dashed) connects the "
            "competitors that no other competitor dominates, either with at least the same HMS at a lower usage or "
            f"with a higher HMS at the same usage. {RULE} "
            + (
                ""
                if MEASURES["cost"] in measures
                else "No log records costs; Inspect records them only for models with known prices."
            )
        ).strip(),
        table=table.drop(columns=["agent", "model"]),
        filters=KEYS,
        chart=_chart(table, measures),
        formats={
            **{column: FORMATS[column] for column in (HMS, LOW, HIGH)},
            **{name: ".0f" if "tokens" in name else ".4f" if "USD" in name else ".1f" for name in _names()},
        },
    )


def is_on_front(costs: "pd.Series[float]", scores: "pd.Series[float]") -> "pd.Series[bool]":
    """Whether no other row has a lower cost and at least the score, or the same cost and a higher score.

    Args:
        costs: Costs; rows without one are not on the front.
        scores: Scores; rows without one are not on the front.
    """
    import pandas as pd

    beaten = [
        bool((((costs < cost) & (scores >= score)) | ((costs <= cost) & (scores > score))).any())
        for cost, score in zip(costs, scores, strict=True)
    ]
    return costs.notna() & scores.notna() & ~pd.Series(beaten, index=costs.index, dtype=bool)


def _table(tasks: "pd.DataFrame") -> "pd.DataFrame":
    keys: list[Any] = [*KEYS]
    table = aggregate(tasks)[[*keys, HMS, LOW, HIGH]]
    names = _names()
    first = tasks.groupby(keys, sort=False)[["agent", "model", "competes"]].first()
    table = table.merge(usage(tasks, {**MEASURES, **OTHERS}), on=keys).join(first, on=keys)
    for name in [name for name in MEASURES.values() if name in table]:
        on_front = [
            is_on_front(rows[name], rows[HMS]) for _, rows in table[table.competes].groupby("benchmark", sort=False)
        ]
        marks = {row: "yes" for rows in on_front for row, is_on in rows.items() if is_on}
        table[_front_column(name)] = [marks.get(row, "") for row in table.index]
    ordered = [column for column in names if column in table]
    fronts = [_front_column(name) for name in MEASURES.values() if name in table]
    table = table.sort_values(["benchmark", HMS], ascending=[True, False], kind="stable").reset_index(drop=True)
    return table[[*keys, HMS, LOW, HIGH, *ordered, *fronts, "agent", "model"]]


def _names() -> list[str]:
    return [*MEASURES.values(), *OTHERS.values()]


def _front_column(name: str) -> str:
    return f"Pareto front ({name.removesuffix(' per sample')})"


def _chart(table: "pd.DataFrame", measures: list[str]) -> Chart | None:
    import altair as alt

    panels: dict[str, Chart] = {}
    for benchmark, rows in table.groupby("benchmark", sort=False):
        plots = [plot for name in measures if (plot := _plot(rows.dropna(subset=[name, HMS]), name)) is not None]
        if plots:
            panels[str(benchmark)] = alt.hconcat(*plots, spacing=24)
    return stack(panels)


def _plot(rows: "pd.DataFrame", name: str) -> Chart | None:
    import altair as alt

    if rows.empty:
        return None
    y = IntervalColumns(HMS, LOW, HIGH, HMS)
    smallest, largest = rows[name].min(), rows[name].max()
    is_logarithmic = smallest > 0 and largest / smallest > LOGARITHMIC_RATIO
    points = scatter(rows, IntervalColumns(name, name, name, name), y, "agent", "model", is_logarithmic)
    line = front(rows[rows[_front_column(name)] == "yes"], name, y, is_logarithmic)
    return alt.LayerChart(layer=[line, points])
