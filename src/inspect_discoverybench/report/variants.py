"""Easy and hard variants: the same questions on processed and on raw data (paper §4.1)."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.report.aggregates import KEYS
from inspect_discoverybench.report.differences import difference, difference_chart, formats
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("easy", "hard")


def variant_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS on hard variants compared with their easy ones; None if there are no pairs.

    Args:
        tasks: The table of tasks.
    """
    import pandas as pd

    rows: list[dict[Hashable, Any]] = []
    for names, group in tasks.groupby(list(KEYS), sort=False):
        hard = group[group.variant_of.notna()].set_index("id")
        easy = hard.variant_of.map(group.set_index("id").hms)
        if compared := difference(easy, hard.hms, hard.gold_hypothesis, NAMES):
            rows.append({**dict(zip(KEYS, names, strict=True)), **compared})
    if not rows:
        return None
    table = pd.DataFrame(rows).sort_values(["benchmark", "easy HMS × 100"], ascending=[True, False], kind="stable")
    table = table.rename(columns={"tasks": "pairs"}).reset_index(drop=True)
    return Section(
        name="variants",
        title="Easy and hard variants",
        text=(
            "The same questions asked about processed data (easy) and about the raw data from which the variables must "
            "first be derived (hard), paired by question. A negative difference means that the hard variant scores "
            "lower."
        ),
        table=table,
        filters=KEYS,
        chart=difference_chart(table, table.configuration, NAMES),
        formats=formats(NAMES),
    )
