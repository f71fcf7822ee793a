"""The program that `discoverybench/baseline` runs in its Python session. It uses only the standard library."""

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from statistics import correlation, linear_regression

NONE = "{x} has no significant relationship with {y}"
LINEAR = "{y} {verb} linearly with {x}, by {size:.3g} per unit"
DIFFERENCE = "{y} is {size:.3g} {change} where {x} is {level} (mean {mean:.3g}) than elsewhere (mean {intercept:.3g})"
RISING, FALLING = ("increases", "higher"), ("decreases", "lower")

Table = Mapping[str, Sequence[str]]
Form = tuple[str, list[float], dict[str, str]]  # sentence, derived variable (gaps are NaN), names


def fit(x: Sequence[float], y: Sequence[float]) -> dict[str, float]:
    """Fit a least-squares line. The p-value of its slope uses the normal approximation."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(a + b)]
    try:
        xs, ys = zip(*pairs, strict=True)
        r, (slope, intercept) = correlation(xs, ys), linear_regression(xs, ys)
    except (ValueError, OverflowError):  # too few rows, or a constant
        return {"slope": 0, "intercept": 0, "r2": 0, "p": 1, "rows": len(pairs)}
    t = r * math.sqrt((len(pairs) - 2) / max(1e-12, 1 - r * r))
    p = math.erfc(abs(t) / math.sqrt(2))
    return {"slope": slope, "intercept": intercept, "r2": r * r, "p": p, "rows": len(pairs)}


def read_table(path: Path) -> Table:
    """Read the first 1,000 rows of a delimited file with a header; return its columns."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        delimiter = max(",\t;", key=file.readline().count)
        file.seek(0)
        header, *rows = list(islice(csv.reader(file, delimiter=delimiter), 1_000)) or [[]]
    print(f"{path.name}: {len(rows)} rows of {', '.join(header)}"[:1_000])
    return dict(zip(header, zip_longest(*rows, fillvalue=""), strict=False))


def numbers(texts: Sequence[str]) -> list[float]:
    """Parse texts as numbers; return an empty list if fewer than ten or fewer than half of them are numbers."""
    is_number = re.compile(r"[-+]?\d*\.?\d+(e[-+]?\d+)?", re.IGNORECASE).fullmatch
    values = [float(text) if is_number(text) else math.nan for text in texts]
    return values if sum(map(math.isfinite, values)) >= max(10, len(values) / 2) else []


def forms(table: Table) -> Iterator[Form]:
    """Generate each form of relationship as a derived variable in which the outcome is linear if the form holds."""
    for x, texts in table.items():
        if values := numbers(texts):
            yield LINEAR, values, {"x": x}
        levels = sorted({*texts} - {""})
        for level in levels[1:] if len(levels) <= 6 else ():
            yield DIFFERENCE, [float(t == level) if t else math.nan for t in texts], {"x": x, "level": level}


def named_columns(table: Table, goal: str) -> list[str]:
    """The columns that a goal names: by their first word or half of their words, compared by four letters."""
    stems = {word[:4] for word in re.findall(r"[^\W\d_]+", goal.lower())}
    matches = {name: [word[:4] in stems for word in re.findall(r"[^\W\d_]{2,}", name.lower())] for name in table}
    return [name for name, words in matches.items() if any(words[:1]) or 0 < len(words) <= 2 * sum(words)]


def discover(goal: str) -> None:
    """Print a hypothesis about the columns that the goal names. The last numeric one is the outcome."""
    table = max(TABLES, key=lambda table: (len(named_columns(table, goal)), len(table)), default={})
    chosen = named_columns(table, goal) if len(named_columns(table, goal)) > 1 else list(table)
    outcome = next((name for name in reversed(chosen) if numbers(table[name])), "")
    others = {name: table[name] for name in chosen[-6:] if name != outcome}
    y = numbers(table.get(outcome, ()))
    fits = [(fit(values, y), sentence, names) for sentence, values, names in forms(others)] if y else []
    if not fits:
        print("There is no table with two columns to compare.")
        return
    line, sentence, names = max(fits, key=lambda entry: entry[0]["r2"])
    verb, change = RISING if line["slope"] > 0 else FALLING
    facts = {**line, **names, "y": outcome, "size": abs(line["slope"]), "mean": line["intercept"] + line["slope"]}
    text = (sentence if line["p"] < 0.05 else NONE).format(**facts, verb=verb, change=change)
    context = re.findall(r"^(?:among|between|during|from|in|on) (?!what|which)[^,?]*, ", goal, re.IGNORECASE)
    p = "p < 0.001" if line["p"] < 0.001 else f"p = {line['p']:.3f}"
    print(f"Hypothesis: {''.join(context)}{text} ({p}, n = {line['rows']}, R2 = {line['r2']:.2f}).")


csv.field_size_limit(10**9)  # an unclosed quote must not prevent reading the other files
TABLES = [read_table(path) for path in sorted(Path().iterdir()) if path.suffix in (".csv", ".tsv", ".txt")]
