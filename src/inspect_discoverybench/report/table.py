"""Tables as readers see them: headings and cells as texts, with each interval in one cell."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from inspect_discoverybench.report.means import HIGHEST, LOWEST

MISSING = "–"

LOW, HIGH = " low", " high"
"""Ends of the names of two columns that are the ends of an interval."""

PERCENT = " × 100"
"""End of the names of columns of means and differences, which are marked if samples are missing."""

IN_CONFIGURATION = ["agent", "model"]
"""Columns that are not shown beside the name of the configuration."""


@dataclass(frozen=True)
class ShownTable:
    """A table of texts.

    Attributes:
        title: Its title; may be empty.
        columns: Cells by heading.
        numeric: Headings of columns of numbers, which are aligned to the right.
    """

    title: str
    columns: dict[str, list[str]] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of each row."""
        return list(zip(*self.columns.values(), strict=True))


def shown_tables(table: pd.DataFrame, titles: Mapping[str, str]) -> list[ShownTable]:
    """One table for each benchmark, or one without a title.

    Args:
        table: The numbers.
        titles: Title of each benchmark; empty for one table of all rows.
    """
    if table.empty:
        return []
    if not titles:
        return [_shown("", table)]
    tables = []
    for benchmark, rows in table.groupby("benchmark", sort=False):
        title = titles[str(benchmark)]
        shown = _shown(title, rows.drop(columns="benchmark"))
        tables.append(shown)
    return tables


def _shown(title: str, table: pd.DataFrame) -> ShownTable:
    shown = ShownTable(title)
    if "configuration" in table:
        table = table.drop(columns=IN_CONFIGURATION, errors="ignore")
    numbers = table.select_dtypes("number")
    for column in table:
        name = str(column)
        if name.endswith(HIGH) or name == HIGHEST:
            continue
        heading = name.replace("_", " ")
        cells = _cells(table, name)
        if name.endswith(PERCENT) and LOWEST in table:
            cells = _marked(cells, _cells(table, LOWEST))
        elif name.endswith(LOW):
            interval = name.removesuffix(LOW)
            heading = f"95 % CI, {interval}"
            cells = _intervals(cells, _cells(table, interval + HIGH))
        elif name == LOWEST:
            heading = "possible range"
            cells = _intervals(cells, _cells(table, HIGHEST))
        if set(cells) == {MISSING}:
            continue

        shown.columns[heading] = cells
        if name in numbers:
            shown.numeric.add(heading)
    return shown


def _cells(table: pd.DataFrame, column: str) -> list[str]:
    """The texts of a column."""
    decimals = _decimals(column)
    return [_text(value, decimals) for value in table[column]]


def _decimals(column: str) -> int:
    """Number of decimals of fractions."""
    if "USD" in column:
        return 4
    return 0 if "tokens" in column else 1


def _text(value: Any, decimals: int) -> str:
    if pd.isna(value):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:z,.{decimals}f}"
    return str(value)


def _marked(means: list[str], lowest: list[str]) -> list[str]:
    """Means with a mark if samples are missing, so that there is a lowest possible value."""
    marked = []
    for mean, low in zip(means, lowest, strict=True):
        mark = "" if MISSING in (mean, low) else "*"
        marked.append(mean + mark)
    return marked


def _intervals(lows: list[str], highs: list[str]) -> list[str]:
    intervals = []
    for low, high in zip(lows, highs, strict=True):
        interval = f"{low} to {high}"
        intervals.append(MISSING if low == MISSING else interval)
    return intervals
