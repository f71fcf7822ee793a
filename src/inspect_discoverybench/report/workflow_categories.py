"""HMS by workflow category of DB-REAL (paper, Figure 6)."""

from typing import TYPE_CHECKING

from inspect_discoverybench.report.groups import Grouping, group_section
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

GROUPING = Grouping(
    "workflow_category",
    "workflow_category",
    "HMS by workflow category",
    "HMS × 100 by category of the gold workflow, in decreasing number of tasks (paper, Figure 6). A task counts in "
    "each of its categories.",
)


def category_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS by workflow category; None if no task has tags.

    Args:
        tasks: The table of tasks.
    """
    by_category = tasks.explode(GROUPING.column, ignore_index=True)
    by_category = by_category[by_category[GROUPING.column].notna()]
    return None if by_category.empty else group_section(by_category, GROUPING, by_size=True)
