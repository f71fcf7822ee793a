"""Tables as readers see them: headings and cells as texts, with each interval in one cell."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import pandas as pd

from inspect_discoverybench.report.means import IF_0, IF_1

MISSING = "–"

FORMATS = {
    r"kappa$": ".2f",
    r"\bp$": ".3f",
    r"USD per": ".4f",
    r"tokens per|^difficulty$|^tree_level$": ".0f",
    r"HMS|× 100|average$|low$|high$|study$|in %|per sample|trial$|^corrected": ".1f",
}
"""Format specifications of numbers by pattern of the column. The first one that matches applies."""

LOW, HIGH = " low", " high"
"""Endings of two columns that are the ends of an interval."""


@dataclass(frozen=True)
class Column:
    """A column of texts; numbers are aligned to the right."""

    heading: str
    cells: list[str]
    is_numeric: bool


@dataclass(frozen=True)
class ShownTable:
    """A table with a title, which is empty if there is only one benchmark or none."""

    title: str
    columns: list[Column] = field(default_factory=list)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells of each row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))


def shown_tables(table: pd.DataFrame, titles: Mapping[str, str]) -> list[ShownTable]:
    """One table for each benchmark, or one without a title if the rows are not of benchmarks.

    Args:
        table: The numbers.
        titles: Title of each benchmark; empty for one table of all rows.
    """
    if table.empty:
        return []
    if not titles or "benchmark" not in table:
        return [_shown("", table)]
    by_benchmark = table.groupby("benchmark", sort=False)
    return [_shown(titles[str(name)], rows.drop(columns="benchmark")) for name, rows in by_benchmark]


def _shown(title: str, table: pd.DataFrame) -> ShownTable:
    shown = ShownTable(title)
    for name in table:
        column = table[name]
        heading = str(name)
        if heading.endswith(LOW):
            high = table[heading.removesuffix(LOW) + HIGH]
            shown.columns.append(_interval(f"95 % CI, {heading.removesuffix(LOW)}", column, high))
        elif heading == IF_0:
            if column.notna().any():
                shown.columns.append(_interval("HMS, missing as 0 to 1", column, table[IF_1]))
        elif not heading.endswith(HIGH) and heading != IF_1:
            shown.columns.append(_column(heading, column))
    return shown


def _interval(heading: str, low: "pd.Series[float]", high: "pd.Series[float]") -> Column:
    cells = []
    for ends in zip(low, high, strict=True):
        is_known = all(end == end for end in ends)  # not NaN
        cells.append(f"{ends[0]:.1f} to {ends[1]:.1f}" if is_known else MISSING)
    return Column(heading, cells, is_numeric=True)


def _column(name: str, values: "pd.Series[Any]") -> Column:
    specifications = [spec for pattern, spec in FORMATS.items() if re.search(pattern, name)]
    specification = specifications[0] if specifications else None
    cells = [cell_text(value, specification) for value in values]
    is_numeric = any(isinstance(value, Real) and not isinstance(value, bool) for value in values.dropna())
    return Column(name.replace("_", " "), cells, is_numeric)


def cell_text(value: object, specification: str | None = None) -> str:
    """The text of a cell. Without a format, integers are written in full, and other numbers with three digits."""
    if value is None or value is pd.NA or value != value:  # NaN
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return format(value, specification or ",")
    if isinstance(value, Real):
        return format(value, specification or ".3g")
    return str(value)
