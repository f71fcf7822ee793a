"""Paired differences between two series of scores."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.charts import IntervalColumns, differences
from inspect_discoverybench.report.figures import Chart, stack
from inspect_discoverybench.statistics.paired import compare_paired

if TYPE_CHECKING:
    import pandas as pd

DIFFERENCE = "difference × 100"
INTERVAL = IntervalColumns(DIFFERENCE, "low", "high", f"{DIFFERENCE}, 95 % interval")


def difference(
    before: "pd.Series[float]", after: "pd.Series[float]", clusters: "pd.Series[str]", names: tuple[str, str]
) -> dict[Hashable, Any] | None:
    """Compare the scores of common tasks; None if there are none.

    Args:
        before: First scores in [0, 1] by task.
        after: Second scores by task. The difference is `after` minus `before`.
        clusters: Cluster by task.
        names: Names of the two series.
    """
    import pandas as pd

    both = pd.DataFrame({"before": before, "after": after, "cluster": clusters}).dropna()
    if both.empty:
        return None
    result = compare_paired(both.after.clip(0, 1).tolist(), both.before.clip(0, 1).tolist(), both.cluster.tolist())
    return {
        "tasks": result.tasks,
        mean_column(names[0]): 100 * both.before.mean(),
        mean_column(names[1]): 100 * both.after.mean(),
        DIFFERENCE: 100 * result.difference,
        "low": 100 * result.low,
        "high": 100 * result.high,
        "p": result.p_value,
        "wins": result.wins,
        "losses": result.losses,
        "ties": result.ties,
    }


def mean_column(name: str) -> str:
    """Name of the column with one of the means."""
    return f"{name} HMS × 100"


def formats(names: tuple[str, str]) -> dict[str, str]:
    """Formats of the columns of a difference."""
    return {
        **dict.fromkeys((mean_column(names[0]), mean_column(names[1]), DIFFERENCE, "low", "high"), ".1f"),
        "p": ".3f",
    }


def difference_chart(table: "pd.DataFrame", row: "pd.Series[str]", names: tuple[str, str]) -> Chart | None:
    """One panel for each benchmark.

    Args:
        table: Rows of `difference` with a column `benchmark`.
        row: Label of each row.
        names: Names of the two means.
    """
    return stack(
        {
            str(benchmark): differences(rows, "row", mean_column(names[0]), mean_column(names[1]), INTERVAL)
            for benchmark, rows in table.assign(row=row).groupby("benchmark", sort=False)
        }
    )
