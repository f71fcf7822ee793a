"""The program that `discoverybench/baseline` runs in its Python session. It uses only the standard library."""

import csv
import math
import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from statistics import StatisticsError, correlation, linear_regression

MAX_COLUMNS = 8
MIN_NUMBERS = 10

Table = Mapping[str, Sequence[float]]  # missing values are NaN


def read_table(path: Path) -> Table:
    """Read the columns of numbers of a delimited file with a header."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        header = file.readline()
        delimiter = max(",\t;", key=header.count)
        file.seek(0)
        rows = list(csv.DictReader(file, delimiter=delimiter))
    print(f"{path.name}: {len(rows)} rows of {header.strip()}"[:1_000])

    table = {}
    for name in rows[0] if rows else ():
        values = [number(row[name]) for row in rows]
        if sum(map(math.isfinite, values)) >= MIN_NUMBERS:
            table[name] = values
    return table


def number(text: str | None) -> float:
    """Parse a number; NaN if the text is none."""
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def is_named(column: str, goal: str) -> bool:
    """Whether a goal names a column: the first word of its name, by four letters."""
    return re.search(rf"\b{re.escape(column[:4])}", goal, re.IGNORECASE) is not None


def line(table: Table, x: str, y: str) -> tuple[float, str]:
    """The share of variance that a line through two columns explains, and a hypothesis about it."""
    xs: list[float] = []
    ys: list[float] = []
    for a, b in zip(table[x], table[y], strict=True):
        if math.isfinite(a + b):
            xs.append(a)
            ys.append(b)
    try:
        share = correlation(xs, ys) ** 2
        slope = linear_regression(xs, ys).slope
    except StatisticsError:  # too few rows, or a constant
        return 0.0, ""

    verb = "increases" if slope > 0 else "decreases"
    fit = f"n = {len(xs)}, R2 = {share:.2f}"
    return share, f"{y} {verb} linearly with {x}, by {abs(slope):.3g} per unit ({fit})"


def discover(goal: str) -> None:
    """Print a hypothesis about the strongest linear relationship among the columns that the goal names."""
    lines = [(0.0, "")]
    for table in TABLES:
        named = [name for name in table if is_named(name, goal)]
        chosen = named if len(named) > 1 else list(table)
        lines += [line(table, x, y) for x, y in permutations(chosen[:MAX_COLUMNS], 2)]

    share, statement = max(lines)
    if not share:
        print("There is no table with two columns of numbers.")
        return
    # Many goals begin with their context: "Among the hives, how does …?"
    context = re.match(r"[^,?]*, ", goal)
    print(f"Hypothesis: {context[0] if context else ''}{statement}.")


csv.field_size_limit(10**9)  # an unclosed quote must not prevent reading the other files
TABLES = [read_table(path) for path in sorted(Path().iterdir()) if path.suffix in (".csv", ".tsv", ".txt")]
