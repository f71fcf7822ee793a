"""The program that `discoverybench/baseline` runs in its Python session. It uses only the standard library."""

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from statistics import StatisticsError, correlation, linear_regression

SUFFIXES = (".csv", ".tsv", ".txt")
MAX_COLUMNS = 8
MIN_NUMBERS = 10

Table = Mapping[str, Sequence[float]]  # what is no number is NaN


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
        count = sum(map(math.isfinite, values))
        if count >= MIN_NUMBERS:
            table[name] = values
    return table


def number(text: str | None) -> float:
    """Parse a number; NaN if the text is none."""
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def line(table: Table, x: str, y: str) -> tuple[float, str]:
    """The share of variance that a line through two columns explains, and a hypothesis about it."""
    xs = []
    ys = []
    pairs = zip(table[x], table[y], strict=True)
    for a, b in pairs:
        if math.isfinite(a + b):
            xs.append(a)
            ys.append(b)

    try:
        share = correlation(xs, ys) ** 2
        slope = linear_regression(xs, ys).slope
    except StatisticsError:  # too few rows, or a constant
        return 0.0, ""

    count = len(xs)
    verb = "increases" if slope > 0 else "decreases"
    fit = f"n = {count}, R2 = {share:.2f}"
    return share, f"{y} {verb} linearly with {x}, by {abs(slope):.3g} per unit ({fit})"


def discover(goal: str) -> None:
    """Print a hypothesis about the strongest linear relationship among the columns that the goal names."""
    best = (0.0, "")
    lower_goal = goal.casefold()
    for table in TABLES:
        # A goal names a column by the first four letters of its name.
        names = [name for name in table if name[:4].casefold() in lower_goal]
        if len(names) < 2:
            names = list(table)
        pairs = permutations(names[:MAX_COLUMNS], 2)
        for x, y in pairs:
            candidate = line(table, x, y)
            best = max(best, candidate)

    share, statement = best
    if not share:
        print("There is no table with two columns of numbers.")
        return
    # Many goals begin with their context: "Among the hives, how does …?"
    context, comma, _ = goal.partition(", ")
    if comma:
        statement = f"{context}, {statement}"
    print(f"Hypothesis: {statement}.")


# An unclosed quote must not prevent reading the other files.
csv.field_size_limit(10**9)
PATHS = sorted(Path().iterdir())
TABLES = [read_table(path) for path in PATHS if path.suffix in SUFFIXES]
