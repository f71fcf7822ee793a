"""The program that `discoverybench/baseline` runs in its Python session. It uses only the standard library."""

import csv
import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import StatisticsError, correlation, linear_regression

MAX_COLUMNS = 8
MIN_NUMBERS = 10

Table = Mapping[str, Sequence[float]]  # missing values are NaN


def read_table(path: Path) -> Table:
    """Read the columns of numbers of a delimited file with a header."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        first_line = file.readline()
        delimiter = max(",\t;", key=first_line.count)
        file.seek(0)
        rows = list(csv.DictReader(file, delimiter=delimiter))
    print(f"{path.name}: {len(rows)} rows of {first_line.strip()}"[:1_000])
    columns = {name: [number(row[name]) for row in rows] for name in rows[0]} if rows else {}
    return {name: values for name, values in columns.items() if sum(map(math.isfinite, values)) >= MIN_NUMBERS}


def number(text: str | None) -> float:
    """Parse a number; NaN if the text is none."""
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def is_named(column: str, goal: str) -> bool:
    """Whether a goal names a column: the first word of its name, by four letters."""
    return re.search(rf"\b{re.escape(column[:4])}", goal, re.IGNORECASE) is not None


def pair_correlation(table: Table, x: str, y: str) -> tuple[float, str]:
    """The strength of the linear relationship between two columns, and a hypothesis about it."""
    pairs = [(a, b) for a, b in zip(table[x], table[y], strict=True) if math.isfinite(a + b)]
    try:
        xs, ys = zip(*pairs, strict=True)
        r = correlation(xs, ys)
        slope = linear_regression(xs, ys).slope
    except (ValueError, StatisticsError):  # too few rows, or a constant
        return 0.0, ""
    verb = "increases" if slope > 0 else "decreases"
    sentence = f"{y} {verb} linearly with {x}, by {abs(slope):.3g} per unit (n = {len(pairs)}, R2 = {r * r:.2f})"
    return abs(r), sentence


def discover(goal: str) -> None:
    """Print a hypothesis about the strongest linear relationship among the columns that the goal names."""
    best = (0.0, "")
    for table in TABLES:
        named = [name for name in table if is_named(name, goal)]
        chosen = named if len(named) > 1 else list(table)
        for pair in combinations(chosen[:MAX_COLUMNS], 2):
            # The cause stands before the effect in most goals: "How does x affect y?"
            x, y = sorted(pair, key=lambda name: goal.lower().find(name[:4].lower()))
            best = max(best, pair_correlation(table, x, y))
    if best[1]:
        # Many goals begin with their context: "Among the hives, how does …?"
        context = re.match(r"[^,?]*, ", goal)
        print(f"Hypothesis: {context[0] if context else ''}{best[1]}.")
    else:
        print("There is no table with two columns of numbers.")


csv.field_size_limit(10**9)  # an unclosed quote must not prevent reading the other files
TABLES = [read_table(path) for path in sorted(Path().iterdir()) if path.suffix in (".csv", ".tsv", ".txt")]
