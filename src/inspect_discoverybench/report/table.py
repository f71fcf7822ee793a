"""Tables as readers see them: headings and cells as texts.

Both ends of an interval are in one cell: that of the mean, or if the table has no mean, a cell of their own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from inspect_discoverybench.report.means import HIGHEST, HMS_INTERVAL, LOWEST

MISSING = "–"

LOW_SUFFIX, HIGH_SUFFIX = " low", " high"
"""Suffixes of the names of two columns: the low and the high end of an interval."""

TIMES_100_SUFFIX = " × 100"
"""Suffix of the names of columns of means and differences. A value in them is marked if samples are missing."""

IN_CONFIGURATION = ["agent", "model"]
"""Columns that are not shown beside the name of the configuration."""

MIN_TASKS = 3
"""Smallest number of tasks of a group that has an interval on the page. The interval of one or two tasks goes from
nearly 0 to nearly 100."""


@dataclass(frozen=True)
class ShownTable:
    """A table of texts.

    Attributes:
        title: Its title; may be empty.
        columns: Cells by heading.
        numeric: Headings of columns of numbers, which are aligned to the right.
        notes: Sentences about columns that are left out, because they say the same of every row.
    """

    title: str
    columns: dict[str, list[str]] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)
    notes: Sequence[str] = ()

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
    return [_shown_table(title, rows) for title, rows in _by_benchmark(table, titles)]


def means_by_group(table: pd.DataFrame, titles: Mapping[str, str], column: str) -> list[ShownTable]:
    """One table for each benchmark: configurations by groups. A cell has the mean, its interval and the tasks.

    Args:
        table: The numbers, one row per configuration and group.
        titles: Title of each benchmark.
        column: Column of the groups.
    """
    tables = []
    for title, rows in _by_benchmark(table, titles):
        means = _with_asterisks(_cells(rows, HMS_INTERVAL.value), rows)
        intervals = _intervals(_cells(rows, HMS_INTERVAL.low), _cells(rows, HMS_INTERVAL.high))
        cells = [
            _group_cell(mean, interval, size) for mean, interval, size in zip(means, intervals, rows.tasks, strict=True)
        ]
        groups = list(dict.fromkeys(rows[column].map(_label)))
        tables.append(_crossed(title, rows, column, groups, cells))
    return tables


def shares_by_value(
    table: pd.DataFrame, titles: Mapping[str, str], column: str, share: str, order: Collection[str]
) -> list[ShownTable]:
    """One table for each benchmark: configurations by the values of a column. A cell has a share.

    Args:
        table: The numbers, one row per configuration and value.
        titles: Title of each benchmark.
        column: Column of the values.
        share: Column of the shares.
        order: All values, in the order in which they are shown.
    """
    tables = []
    for title, rows in _by_benchmark(table, titles):
        occurring = set(rows[column])
        values = [value for value in order if value in occurring]
        tables.append(_crossed(title, rows, column, values, _cells(rows, share)))
    return tables


def _by_benchmark(table: pd.DataFrame, titles: Mapping[str, str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The title and the rows of each benchmark; all rows under an empty title if there are no titles."""
    if table.empty:
        return
    if not titles:
        yield "", table
        return
    for benchmark, rows in table.groupby("benchmark", sort=False):
        yield titles[str(benchmark)], rows.drop(columns="benchmark")


def _group_cell(mean: str, interval: str, tasks: int) -> str:
    """A mean on one line, and its interval and tasks on another. With few tasks, the interval is left out."""
    if tasks >= MIN_TASKS and MISSING not in interval:
        return f"{mean}\n{interval}, n {tasks}"
    count = "1 task" if tasks == 1 else f"{tasks} tasks"
    return f"{mean}\n{count}"


def _crossed(title: str, rows: pd.DataFrame, column: str, groups: Sequence[str], cells: Sequence[str]) -> ShownTable:
    """A table of configurations by groups.

    The configurations or the groups are the columns, whichever are fewer: a page is higher than it is wide.

    Args:
        title: Title of the table.
        rows: The numbers, one row per configuration and group.
        column: Column of the groups.
        groups: The groups in their order.
        cells: The text of each row's cell.
    """
    configurations = list(dict.fromkeys(rows.configuration))
    text_of: dict[tuple[str, str], str] = {}
    for configuration, group, text in zip(rows.configuration, rows[column].map(_label), cells, strict=True):
        text_of[configuration, group] = text

    columns: dict[str, list[str]] = {}
    if len(groups) <= len(configurations):
        for group in groups:
            columns[group] = [text_of.get((configuration, group), MISSING) for configuration in configurations]
        return ShownTable(title, {"configuration": configurations, **columns}, numeric=set(columns))

    for configuration in configurations:
        columns[configuration] = [text_of.get((configuration, group), MISSING) for group in groups]
    heading = column.replace("_", " ")
    return ShownTable(title, {heading: list(groups), **columns}, numeric=set(columns))


def _label(group: Any) -> str:
    return _text(group, decimals=0)  # groups are texts, whole numbers or truth values, and have no decimals


def _shown_table(title: str, table: pd.DataFrame) -> ShownTable:
    """The table as texts. A column without values is left out, and one that is the same in all rows becomes a note."""
    columns: dict[str, list[str]] = {}
    numeric = set()
    zero_headings: list[str] = []
    same_values: list[str] = []
    if "configuration" in table:
        table = table.drop(columns=IN_CONFIGURATION, errors="ignore")
    numeric_columns = table.select_dtypes("number")
    for name in map(str, table):
        if _is_shown_in_another(name, table):
            continue
        heading, cells = _column(table, name)
        texts = set(cells)
        if texts == {MISSING}:
            continue
        if texts == {"0"}:
            zero_headings.append(heading)
        elif columns and _becomes_note(table[name], cells):  # the first column says what a row is, so it stays
            same_values.append(f"{heading} {cells[0]}")
        else:
            columns[heading] = cells
            if name in numeric_columns:
                numeric.add(heading)

    notes = []
    if same_values:
        notes.append(f"The same in all rows: {', '.join(same_values)}.")
    if zero_headings:
        notes.append(f"0 in all rows: {', '.join(zero_headings)}.")
    return ShownTable(title, columns, numeric, notes)


def _is_shown_in_another(name: str, table: pd.DataFrame) -> bool:
    """Whether the cells of another column also show the values of this one.

    The column of a mean or difference shows both ends of its interval. If the table has no such column, the column of
    the low end shows both ends. The column of the lowest possible value also shows the highest possible value.
    """
    if name.endswith(LOW_SUFFIX):
        return name.removesuffix(LOW_SUFFIX) + TIMES_100_SUFFIX in table
    return name.endswith(HIGH_SUFFIX) or name == HIGHEST


def _becomes_note(values: pd.Series, cells: Sequence[str]) -> bool:
    """Whether a note takes the place of a column: there are several rows, and all have the same text.

    Equal fractions, such as means, stay in the table, because it is a result that they are equal.

    Args:
        values: The column.
        cells: Its texts.
    """
    has_fractions = pd.api.types.is_float_dtype(values)
    return not has_fractions and len(cells) > 1 and len(set(cells)) == 1


def _column(table: pd.DataFrame, name: str) -> tuple[str, list[str]]:
    """The heading and the texts of a column. Means and differences have their interval, if any, on a second line."""
    cells = _cells(table, name)
    heading = name.replace("_", " ")
    if name.endswith(TIMES_100_SUFFIX):  # means or differences
        means = _with_asterisks(cells, table)
        stem = name.removesuffix(TIMES_100_SUFFIX)
        if stem + LOW_SUFFIX not in table:
            return heading, means
        intervals = _intervals(_cells(table, stem + LOW_SUFFIX), _cells(table, stem + HIGH_SUFFIX))
        return f"{heading}, 95 % CI", _on_two_lines(means, intervals)

    if name.endswith(LOW_SUFFIX):  # intervals without a column of means or differences
        stem = name.removesuffix(LOW_SUFFIX)
        return f"95 % CI, {stem}", _intervals(cells, _cells(table, stem + HIGH_SUFFIX))
    if name == LOWEST:
        return "possible range", _intervals(cells, _cells(table, HIGHEST))
    return heading, cells


def _cells(table: pd.DataFrame, column: str) -> list[str]:
    """The texts of a column."""
    decimals = _decimals(column)
    return [_text(value, decimals) for value in table[column]]


def _decimals(column: str) -> int:
    """Number of decimals of the fractions in a column."""
    if "USD" in column:
        return 4
    if "tokens" in column:
        return 0
    return 1


def _text(value: Any, decimals: int) -> str:
    if pd.isna(value):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:z,.{decimals}f}"  # with z, a value that is rounded to -0.0 is shown as 0.0
    return str(value)


def _with_asterisks(means: list[str], table: pd.DataFrame) -> list[str]:
    """Add an asterisk to each mean of which samples are missing. Only such means have a lowest possible value."""
    if LOWEST not in table:
        return means
    marked = []
    for mean, lowest in zip(means, table[LOWEST], strict=True):
        mark = "" if mean == MISSING or pd.isna(lowest) else "*"
        marked.append(mean + mark)
    return marked


def _intervals(lows: list[str], highs: list[str]) -> list[str]:
    return [MISSING if low == MISSING else f"{low} to {high}" for low, high in zip(lows, highs, strict=True)]


def _on_two_lines(means: list[str], intervals: list[str]) -> list[str]:
    """Means, each with its interval on a second line if it has one."""
    return [
        mean if interval == MISSING else f"{mean}\n{interval}" for mean, interval in zip(means, intervals, strict=True)
    ]
