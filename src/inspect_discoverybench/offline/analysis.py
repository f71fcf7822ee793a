"""The program that `discoverybench/baseline` runs in its Python session. It uses only the standard library."""

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from statistics import StatisticsError, correlation, linear_regression
from typing import NamedTuple

SUFFIXES = (".csv", ".tsv", ".txt")
MAX_COLUMNS = 8
MIN_NUMBERS = 10

Table = Mapping[str, Sequence[float]]  # NaN in place of values that are not numbers


def read_table(path: Path) -> Table:
    """Read the columns of numbers of a delimited file with a header."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = file.readline()
        file.seek(0)
        delimiter = max(",\t;", key=header.count)
        reader = csv.DictReader(file, delimiter=delimiter)
        names = reader.fieldnames or ()
        rows = list(reader)

    table = {}
    for name in names:
        values = [number(row[name]) for row in rows]
        numbers = [value for value in values if math.isfinite(value)]
        if len(numbers) >= MIN_NUMBERS:
            table[name] = values
    return table


def number(text: str | None) -> float:
    """Parse a number; NaN if the text is not a number, or the cell is missing."""
    try:
        return float(text or "")
    except ValueError:
        return math.nan


class Line(NamedTuple):
    """A line through two columns: its R², and a hypothesis about it.

    `max` compares lines by R², and lines with the same R² by the texts of their statements.
    """

    r_squared: float
    statement: str


def fit_line(table: Table, x: str, y: str) -> Line | None:
    """Fit a line, unless there are too few rows, a column is constant, or the columns are not correlated."""
    xs = []
    ys = []
    for x_value, y_value in zip(table[x], table[y], strict=True):
        if math.isfinite(x_value + y_value):
            xs.append(x_value)
            ys.append(y_value)

    try:
        r_squared = correlation(xs, ys) ** 2
        slope = linear_regression(xs, ys).slope
    except StatisticsError:
        return None
    if r_squared == 0:
        return None
    verb = "increases" if slope > 0 else "decreases"
    fit = f"n = {len(xs)}, R2 = {r_squared:.2f}"
    return Line(r_squared, f"{y} {verb} linearly with {x}, by {abs(slope):.3g} per unit ({fit})")


def discover(goal: str) -> None:
    """Print a hypothesis about the strongest linear relationship among the columns that the goal names."""
    lines = []
    for table in TABLES:
        # A goal seldom has the whole name of a column: "flowering area" stands for `flowering_hectares`. So the first
        # four letters are enough.
        names = [name for name in table if name[:4].casefold() in goal.casefold()]
        if len(names) < 2:
            names = list(table)
        # The data do not tell which of two columns depends on the other, so a line is fitted in both directions. Both
        # lines have the same R². `max` prefers the line whose statement is later in the alphabet.
        for x, y in permutations(names[:MAX_COLUMNS], 2):
            line = fit_line(table, x, y)
            if line is not None:
                lines.append(line)

    if not lines:
        print("There is no table with two columns of numbers.")
        return
    statement = max(lines).statement
    # Many goals begin with their context: "Among the hives, how does …?"
    context, comma, _ = goal.partition(", ")
    if comma:
        statement = f"{context}, {statement}"
    print(f"Hypothesis: {statement}.")


# An unclosed quote must not prevent reading the other files.
csv.field_size_limit(10**9)
PATHS = [path for path in sorted(Path().iterdir()) if path.suffix in SUFFIXES]
TABLES = [read_table(path) for path in PATHS]
