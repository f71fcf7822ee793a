"""Facets against each other (paper, Figure 4 right), and where scores are lost."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import KEYS, estimate
from inspect_discoverybench.report.charts import IntervalColumns, bars, scatter
from inspect_discoverybench.report.figures import Chart, stack
from inspect_discoverybench.report.losses import FACETS, STAGES
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

COLORS = dict(
    zip(
        STAGES,
        ("#D0D0D0", "#9A9A9A", "#D55E00", "#E69F00", "#E8D44D", "#CC79A7", "#56B4E9", "#3A8FC9"),
        strict=True,
    )
)


def facet_section(tasks: "pd.DataFrame") -> Section:
    """Mean of each facet for every configuration.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    rows: list[dict[Hashable, Any]] = [
        {
            **dict(zip(KEYS, names, strict=True)),
            "agent": group.agent.iloc[0],
            "model": group.model.iloc[0],
            **{
                column: value
                for facet in FACETS
                for column, value in estimate(group, facet, f"{facet} × 100", f"{facet} ").items()
            },
            "tasks": int(group.hms.notna().sum()),
        }
        for names, group in tasks.groupby(list(KEYS), sort=False)
    ]
    table = pd.DataFrame(rows)
    text = (
        "Mean of each facet with its 95 % interval, one point per agent and model. Facets are judged independently, so "
        "points along the diagonal mean that agents that find the context also find the variables and the relationship."
    )
    if (tasks.hms.notna() & tasks[list(FACETS)].isna().any(axis=1)).any():
        text += " A facet that was not judged is left out of its mean."
    return Section(
        name="facets",
        title="Context, variables and relationship",
        text=text,
        table=table,
        filters=KEYS,
        chart=_facet_chart(table),
        formats={str(column): ".1f" for column in table if str(column).startswith(FACETS)},
    )


def loss_section(samples: "pd.DataFrame") -> Section:
    """Share of samples by the first facet that fails.

    Args:
        samples: Labelled samples with the scores of one judge.
    """
    import pandas as pd

    counts = samples[[*KEYS, "lost_at"]].value_counts(sort=False).rename("samples").reset_index()
    totals = counts.groupby(list(KEYS)).samples.transform("sum")
    table = counts.assign(**{"share in %": 100 * counts.samples / totals})
    table["lost_at"] = pd.Categorical(table.lost_at, STAGES)
    order = samples.groupby(list(KEYS)).agg(_oracle=("is_oracle", "first"), _hms=("hms", "mean"))
    table = table.join(order, on=list(KEYS)).sort_values(
        ["benchmark", "_oracle", "_hms", "configuration", "lost_at"], ascending=[True, True, False, True, True]
    )
    table = table.drop(columns=["_oracle", "_hms"]).astype({"lost_at": object}).reset_index(drop=True)
    return Section(
        name="losses",
        title="Where scores are lost",
        text=(
            "Share of samples by the first facet that is 0, in the order context, variables, relationship. The "
            "remaining samples have a partial score (no facet is 0, but HMS is below 1) or the full score."
        ),
        table=table,
        filters=(*KEYS, "lost_at"),
        chart=_loss_chart(table),
        formats={"share in %": ".1f"},
    )


def _facet_chart(table: "pd.DataFrame") -> Chart | None:
    import altair as alt

    context, variables, relationship = (
        IntervalColumns(f"{facet} × 100", f"{facet} low", f"{facet} high", f"{facet} × 100") for facet in FACETS
    )
    complete = table.dropna(subset=[f"{facet} × 100" for facet in FACETS])
    panels: dict[str, Chart] = {}
    for benchmark, rows in complete.groupby("benchmark", sort=False):
        left, right = (
            scatter(rows, x, y, color="agent", shape="model")
            for x, y in ((context, variables), (variables, relationship))
        )
        panels[str(benchmark)] = alt.hconcat(left, right, spacing=30)
    return stack(panels)


def _loss_chart(table: "pd.DataFrame") -> Chart | None:
    used = {stage: color for stage, color in COLORS.items() if stage in set(table.lost_at)}
    return stack(
        {
            str(benchmark): bars(rows, "configuration", "lost_at", "share in %", used, "share of samples in %")
            for benchmark, rows in table.groupby("benchmark", sort=False)
        }
    )
