"""The effect of domain knowledge as a hint (paper §5.3)."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import KEYS
from inspect_discoverybench.report.configurations import DETAILS
from inspect_discoverybench.report.differences import difference, difference_chart, formats
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

HINT = "domain_knowledge"

NAMES = ("without", "with")

ARCHAEOLOGY = ("archaeology", "humanities")
"""Domains of the archaeology tasks. The released metadata call the domain humanities."""


def hint_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS with and without domain knowledge; None if no configuration ran with both.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    parts = tasks.hints.fillna("").str.split(", ")
    frame = tasks.assign(
        is_hinted=parts.map(lambda names: HINT in names),
        hints=parts.map(lambda names: ", ".join(name for name in names if name != HINT)),
    )
    keys: list[Any] = ["benchmark", "agent", "model", *DETAILS]
    frame = frame.fillna(dict.fromkeys(keys, ""))
    rows = [row for _, group in frame.groupby(keys, sort=False) for row in _rows(group)]
    if not rows:
        return None
    table = pd.DataFrame(rows)
    return Section(
        name="domain_knowledge",
        title="With and without domain knowledge",
        text=(
            "HMS × 100 with and without the background of the study in the task text, paired by task, for the "
            "archaeology tasks and for all tasks. In the paper (§5.3), DataVoyager with GPT-4p scored 9.9 without and "
            "25.4 with domain knowledge on the archaeology tasks."
        ),
        table=table,
        filters=KEYS,
        chart=difference_chart(table, table["task set"] + " · " + table.configuration, NAMES),
        formats=formats(NAMES),
    )


def _rows(group: "pd.DataFrame") -> list[dict[Hashable, Any]]:
    rows = []
    for name, tasks in (("archaeology", group[group.domain.isin(ARCHAEOLOGY)]), ("all", group)):
        without, hinted = (tasks[tasks.is_hinted == is_hinted].set_index("id") for is_hinted in (False, True))
        if compared := difference(without.hms, hinted.hms, hinted.gold_hypothesis, NAMES):
            key: dict[Hashable, Any] = {
                "benchmark": hinted.benchmark.iloc[0],
                "configuration": hinted.configuration.iloc[0],
            }
            rows.append({**key, "task set": name, **compared})
    return rows
