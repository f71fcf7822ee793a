"""Workflow categories of DB-REAL (paper, Figure 6)."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from inspect_discoverybench.report.groups import Grouping, group_section
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

COLUMN = "workflow_category"


def categories(tags: str | None) -> tuple[str, ...]:
    """The categories of a task, without repetition.

    A tag that is in no category is a category of its own, in its folded form.

    Args:
        tags: Workflow tags, separated by commas.
    """
    folded = [_fold(tag) for tag in (tags or "").split(",") if tag.strip()]
    return tuple(dict.fromkeys(_spellings().get(tag, tag) for tag in folded))


def category_section(tasks: "pd.DataFrame") -> Section | None:
    """HMS by workflow category; None if no task has tags.

    Args:
        tasks: The table of tasks.
    """
    tags = tasks.workflow_tags
    names = [categories(value if isinstance(value, str) else None) for value in tags]
    by_category = tasks.assign(**{COLUMN: names}).explode(COLUMN)
    by_category = by_category[by_category[COLUMN].notna()]
    if by_category.empty:
        return None
    grouping = Grouping(
        COLUMN,
        "workflow_category",
        "HMS by workflow category",
        "HMS × 100 by category of the gold workflow, in decreasing number of tasks (paper, Figure 6). A task counts in "
        "each of its categories.",
    )
    return group_section(by_category, grouping, by_size=True)


def _fold(tag: str) -> str:
    return " ".join(tag.casefold().replace("-", " ").replace("_", " ").split())


@cache
def _spellings() -> dict[str, str]:
    """Category by folded tag."""
    text = files(__package__).joinpath("workflow_categories.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return {tag: category for category, others in table.items() for tag in (category, *others)}
