"""The program that draws the rows of a tree and measures its tasks. It runs only in the sandbox's session.

It uses numpy alone: expressions are elementwise, so pandas would give the same values, and takes longer to import. The
host sends this file followed by a call of `draw`, and reads the JSON that it prints. Random numbers come
from one stream per column and purpose, so the same tree and seed give the same bytes, whatever other columns there are.
"""

import hashlib
import json
import platform
import resource
import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

warnings.simplefilter("ignore")  # a warning would stand in the output of `draw`
MEMORY_BYTES = 4 * 2**30
FUNCTIONS = "where minimum maximum clip abs log log1p exp sqrt square tanh sin cos"
# Limits of computed values: minimum share of finite ones, maximum share of the most common one, and minimum share of
# those within the range that the author gave.
MIN_FINITE, MAX_TOP, MIN_INSIDE = 0.98, 0.95, 0.5
DISTURBED = 0.4  # share of computed values that are disturbed
# The generic fit: minimum number of rows, penalties of which the best one is used, and scale of products of columns.
MIN_ROWS, PENALTIES, INTERACTIONS = 40, (0.001, 0.01, 0.1), 0.25
# Effects: the number of values of a column; the minimum variation, rank correlation and explained variance of an
# interaction; the minimum share of rows of which a statement is true; the shares of rows below the bounds of groups;
# the minimum share of the change in one step; the minimum correlation with a function.
GRID, MIN_INTERACTION, MIN_EXPLAINED, MIN_AGREEMENT = 9, 0.4, 0.16, 0.9
FIFTHS, CUTS, MIN_STEP, MIN_FIT = (0.2, 0.4, 0.6, 0.8), np.linspace(0.1, 0.9, 17), 0.9, 0.9995

Array: TypeAlias = Any  # np.ndarray: of floats, booleans, or strings for a category
Spec = Mapping[str, Any]  # a column or node of the tree, as JSON


class ObservedColumn(NamedTuple):
    """A column after noise: its values, which of them are not missing, and their format in the data file."""

    values: Array
    there: Array
    form: str


Columns = Mapping[str, ObservedColumn]


def stream(*key: object) -> np.random.Generator:
    """The random numbers for a key."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def follow(spec: Spec, source: Array, seed: str) -> Array:
    """Sample a column that is correlated with a column of a tree, and with others only through it."""
    random, strength, rows = stream(seed, spec["name"], "values"), spec.get("strength", 0.7), len(source)
    codes = source if source.dtype.kind == "f" else np.unique(source, return_inverse=True)[1]
    score = ranks(np.nan_to_num(codes.astype(float))) * np.sqrt(12) / rows
    share = (ranks(strength * score + np.sqrt(1 - strength**2) * random.standard_normal(rows)) - 0.5) / rows
    if spec["type"] == "category":
        return np.array(spec["values"])[(share * len(spec["values"])).astype(int)]
    if spec["type"] == "boolean":
        return share > 0.5
    values = spec["low"] + (spec["high"] - spec["low"]) * share
    return np.round(values, decimals(spec, values))


def sample(spec: Spec, rows: int, seed: str) -> Array:
    """Sample a leaf or distractor by its type (paper, appendix C)."""
    random = stream(seed, spec["name"], "values")
    if spec["type"] == "category":
        return np.array(spec["values"])[random.integers(0, len(spec["values"]), rows)]
    if spec["type"] == "boolean":
        return random.random(rows) < 0.5
    low = spec["low"]
    if spec.get("distribution") == "sequence":
        return low + np.arange(rows, dtype=float)
    width = spec["high"] - low
    match spec.get("distribution", "uniform"):
        case "normal":
            values = np.clip(low + width / 2 + width / 6 * random.standard_normal(rows), low, spec["high"])
        case "skewed":
            values = low + width * random.beta(2, 5, rows)
        case _ if spec["type"] == "integer":
            values = random.integers(int(low), int(spec["high"]) + 1, rows).astype(float)
        case _:
            values = low + width * random.random(rows)
    return np.round(values, decimals(spec, values))


def decimals(spec: Spec, values: Array) -> int:
    """Number of decimals of a numeric column: four significant digits of its standard deviation."""
    if spec["type"] == "integer":
        return 0
    if spec.get("decimals") is not None:
        return int(spec["decimals"])
    deviation = float(np.nanstd(values))
    return int(np.clip(3 - np.floor(np.log10(deviation)), 0, 8)) if deviation > 0 else 3


class Values(np.ndarray):
    """A column in an expression: an array with pandas' `isin`."""

    def isin(self, levels: Sequence[object]) -> Array:
        """Whether each value is one of the levels."""
        return np.isin(self, np.array(levels))


def compute(expression: str, columns: Mapping[str, Array]) -> Array:
    """Evaluate an expression that has passed the allow-list on the host."""
    numpy = SimpleNamespace(**{name: getattr(np, name) for name in FUNCTIONS.split()})
    # Labels are numpy's strings, which cannot be multiplied. With Python's, `df['label'] * 10**9` fills the memory.
    frame = {name: values.view(Values) for name, values in columns.items()}
    names = {"__builtins__": {}, "df": frame, "np": numpy, "int": int, "float": float}
    values = np.asarray(eval(compile(expression, "expression", "eval"), names))
    rows = len(next(iter(columns.values())))
    return values if values.shape == (rows,) else np.full(rows, values)


def typed(spec: Spec, values: Array) -> Array:
    """Convert computed values to the type of their node; a `ValueError` says why they do not fit."""
    if spec["type"] == "category":
        if others := sorted({str(value) for value in values} - set(spec["values"])):
            raise ValueError(f"the value {others[0]!r} is not one of {', '.join(spec['values'])}")
        return values.astype(str)
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    if finite.mean() < MIN_FINITE:
        raise ValueError(f"{1 - finite.mean():.0%} of the values are not finite (division by zero, log, overflow)")
    if spec["type"] == "boolean":
        return numbers > 0.5
    low, high = spec.get("low"), spec.get("high")
    if low is not None and high is not None:
        inside = (np.abs(numbers - (low + high) / 2) <= 0.55 * (high - low)).mean()
        if inside < MIN_INSIDE:
            raise ValueError(f"only {inside:.0%} of the values are between {low:g} and {high:g}")
    return np.where(finite, numbers, np.nan)


def draw_columns(request: Spec) -> Columns:
    """Draw all columns bottom up. Inner nodes follow from the exact values of their children.

    Raises:
        ValueError: An expression fails.
    """
    columns: dict[str, ObservedColumn] = {}
    exact: dict[str, Array] = {}
    seed, settings = request["seed"], request["settings"]

    def visit(node: Spec) -> Array:
        name = node["name"]
        if node.get("children"):
            frame = {child["name"]: visit(child) for child in node["children"]}
            try:
                values = typed(node, compute(node["expression"], frame))
            except Exception as error:  # whatever an author's expression raises is sent back
                raise ValueError(f"the expression of {name} failed: {type(error).__name__}: {error}"[:400]) from error
            if (top := np.unique(values, return_counts=True)[1].max() / len(values)) >= MAX_TOP:
                raise ValueError(f"one value of {name} fills {top:.0%} of the rows; the result must vary")
            values = disturb(node, values, settings, seed)
        elif node.get("follows"):
            values = follow(node, exact[node["follows"]], seed)
        else:
            values = sample(node, settings["rows"], seed)
        exact[name], columns[name] = values, observe(node, values, settings, seed)
        return values

    for node in (*request["tree"]["roots"], *request["tree"].get("distractors", ())):
        visit(node)
    return columns


def disturb(node: Spec, values: Array, settings: Spec, seed: str) -> Array:
    """Add influences outside the tree to some values of a computed number. The nodes above follow from the sum."""
    if values.dtype.kind != "f" or node.get("noise") is not None:
        return values
    random = stream(seed, node["name"], "disturbance")
    normal, where = random.standard_normal(len(values)), random.random(len(values)) < DISTURBED
    return values + settings["disturbance"] * np.nanstd(values) * normal * where


def observe(spec: Spec, values: Array, settings: Spec, seed: str) -> ObservedColumn:
    """Perturb the values of a column, each independently (paper, appendix C): noise, rounding, missing values."""
    if spec.get("distribution") == "sequence":
        return ObservedColumn(np.round(values), np.ones(len(values), dtype=bool), f"%.{decimals(spec, values)}f")
    random = stream(seed, spec["name"], "noise")
    normal, where, gaps = random.standard_normal(len(values)), random.random(len(values)), random.random(len(values))
    there = gaps >= (spec["missing"] if spec.get("missing") is not None else settings["missing"])
    if values.dtype.kind != "f":
        return ObservedColumn(values, there, "%s")
    usual = settings["noise_scale"] * np.nanstd(values) * (where < settings["noise_share"])
    observed = values + normal * (usual if spec.get("noise") is None else spec["noise"])
    if not spec.get("children") and spec.get("high") is not None:
        observed = np.clip(observed, spec["low"], spec["high"])
    digits = decimals(spec, values)
    observed = np.round(observed, digits) + 0.0  # no negative zero
    return ObservedColumn(observed, there & ~np.isnan(observed), f"%.{digits}f")


def features(column: ObservedColumn, rows: Array) -> Array:
    """Terms of the generic fit for one column: polynomials of the ranks of numbers, or indicators of labels."""
    values = column.values[rows]
    if values.dtype.kind != "f":
        indicators = (values[:, None] == np.unique(values)[1:]).astype(float)
        return (indicators - indicators.mean(axis=0)) / np.maximum(indicators.std(axis=0), 1e-9)
    places = (2 * ranks(values) - 1) / len(rows) - 1
    return np.polynomial.legendre.legvander(places, 3)[:, 1:] * np.sqrt([3.0, 5.0, 7.0])


def held_out(
    columns: Sequence[ObservedColumn], target: ObservedColumn, rows: Array, penalties: Sequence[float]
) -> tuple[float, Array]:
    """Fit a target without one row after the other: a ridge regression on the columns and the products of pairs.

    Returns:
        The best penalty, and the absolute error of each row in standard deviations of the target.
    """
    y = target.values[rows]
    y = y[:, None].astype(float) if y.dtype.kind == "f" else (y[:, None] == np.unique(y)).astype(float)
    y = (y - y.mean(axis=0)) / max(np.sqrt(y.var(axis=0).sum()), 1e-12)
    terms = [features(column, rows) for column in columns]
    products = (
        INTERACTIONS * (one[:, :2, None] * other[:, None, :2]).reshape(len(rows), -1)
        for one, other in combinations(terms, 2)
    )
    x = np.column_stack([np.ones(len(rows)), *terms, *products])
    errors = {}
    for penalty in penalties:
        weights = x @ np.linalg.inv(x.T @ x + penalty * len(rows) * np.eye(x.shape[1]))
        leverage = (weights * x).sum(axis=1)
        errors[penalty] = np.abs((y - weights @ (x.T @ y)) / (1 - leverage)[:, None]).sum(axis=1)
    return min(errors.items(), key=lambda item: item[1].mean())


def drop_one(part: Spec, target: str, columns: Columns) -> Mapping[str, tuple[float, float]]:
    """What held-out rows lose without each tested column: the mean, and the mean in standard errors."""
    rows = rows_of(part, target, columns)
    if len(rows) < MIN_ROWS:
        return dict.fromkeys(part["tested"], (0.0, 0.0))
    penalty, fitted = held_out([columns[name] for name in part["columns"]], columns[target], rows, PENALTIES)
    lost = {}
    for name in part["tested"]:
        others = [columns[other] for other in part["columns"] if other != name]
        loss = held_out(others, columns[target], rows, [penalty])[1] - fitted
        error = max(float(loss.std()) / len(rows) ** 0.5, 1e-9)
        lost[name] = (round(float(loss.mean()), 4), round(float(loss.mean()) / error, 2))
    return lost


def rows_of(part: Spec, target: str, columns: Columns) -> Array:
    """The rows of a part of the hypothesis in which nothing is missing."""
    whole = np.logical_and.reduce([columns[name].there for name in (*part["columns"], target)])
    if part["condition"]:
        whole &= compute(part["condition"], {name: column.values for name, column in columns.items()}).astype(bool)
    return np.flatnonzero(whole)


def effects(part: Spec, target: str, columns: Columns, outcome: str) -> Spec:
    """How the expression of a part depends on each of its columns, the others being as they are."""
    rows = rows_of(part, target, columns)
    frame = {name: columns[name].values[rows] for name in part["columns"]}
    return {name: effect(part["expression"], frame, name, outcome) for name in frame} if len(rows) else {}


def effect(expression: str, frame: Mapping[str, Array], name: str, outcome: str) -> Spec:
    """The effect of one column. Each row has a curve: its results at several values of the column.

    For labels, these are the two with the lowest and the highest mean result. If many rows have curves of another shape
    than the mean, the rows are split by the partner: the column that best explains how much the result changes.
    """
    values, is_number, rows = frame[name], frame[name].dtype.kind == "f", len(frame[name])
    digits = 0 if is_number and (values % 1 == 0).all() else 30  # counts have no values between whole numbers
    grid = (
        np.linspace(np.quantile(values, 0.05), np.quantile(values, 0.95), GRID).round(digits)
        if is_number
        else np.unique(values)
    )
    results = [compute(expression, {**frame, name: np.full(rows, value)}) for value in grid]
    curves = np.array([one.astype(str) == outcome if one.dtype.kind == "U" else one for one in results], float)
    there = np.isfinite(curves).all(axis=0)
    if not there.any():
        return {}
    order = np.arange(GRID) if is_number else curves[:, there].mean(axis=1).argsort()[[0, -1]]
    points, curves = grid if is_number else np.arange(2.0), curves[order][:, there]
    mean, whole = curves.mean(axis=1), np.full(curves.shape[1], "")
    change = curves[mean.argmax()] - curves[mean.argmin()]
    others = {other: values[there] for other, values in frame.items() if other != name}
    share, partner = max(((explained(change, others[other]), other) for other in others), default=(0.0, ""))
    values = others.get(partner, change)
    splits, growth = [np.char.lower(values.astype(str))], 0.0
    if values.dtype.kind == "f":
        splits = [np.where(values > cut, "high", "low") for cut in np.quantile(values, CUTS)]
        growth = np.corrcoef(ranks(np.abs(change)), ranks(values))[0, 1]
    attempts = (
        max((cases(points, curves, split, tolerant) for split in some), key=lambda attempt: attempt[0])
        for some, tolerant in (([whole], False), (splits, False), ([whole], True))
    )
    found: list[Spec] = next((found for agreement, found in attempts if agreement >= MIN_AGREEMENT), [{}])
    interacts = share >= MIN_EXPLAINED and change.std() > MIN_INTERACTION * abs(change.mean())
    trend = "grows" if growth > MIN_INTERACTION else "shrinks" if growth < -MIN_INTERACTION else "changes"
    return {
        "cases": found,
        "labels": [] if is_number else np.char.lower(grid[order].astype(str)).tolist(),
        "partner": partner,
        "interaction": trend if interacts and len(found) == 1 else "",
    }


def explained(change: Array, values: Array) -> float:
    """The share of the variance of a change that is between groups of values: labels, or fifths of numbers."""
    fifths = np.searchsorted(np.quantile(values, FIFTHS), values) if values.dtype.kind == "f" else values
    _, codes, counts = np.unique(fifths, return_inverse=True, return_counts=True)
    return float((np.bincount(codes, change) / counts)[codes].var() / max(change.var(), 1e-300))


def cases(points: Array, curves: Array, split: Array, tolerant: bool) -> tuple[float, list[Spec]]:
    """The cases of a split, one for each shape of the groups' mean curves, and the share of rows that go along.

    It is the lowest of the cases. Rows with a flat curve go along if `tolerant`.
    """
    flat = 1e-6 * np.ptp(curves, axis=0).max()
    groups, places = np.unique(split, return_inverse=True)
    means = np.column_stack([curves[:, places == place].mean(axis=1) for place in range(len(groups))])
    own, shared = shapes(curves, flat), shapes(means, flat)
    names = sorted({*shared.tolist()}, key=lambda name: (not name, (shared == name).sum(), name))
    mean = {name: curves[:, shared[places] == name].mean(axis=1) for name in names}
    agreeing = (own == shared[places]) | (tolerant & (own == ""))
    return min(agreeing[shared[places] == name].mean() for name in names), [
        {"where": groups[shared == name].tolist(), "shape": name, "form": form(points, curve), "size": np.ptp(curve)}
        for name, curve in mean.items()
    ]


def shapes(curves: Array, flat: float) -> Array:
    """Whether each curve rises, falls, peaks or dips; `varies` if it turns more often, and empty if it is flat."""
    first, last, low, high = curves[0], curves[-1], curves.min(axis=0), curves.max(axis=0)
    margin = 0.1 * (high - low)
    peaks, dips = high > np.maximum(first, last) + margin, low < np.minimum(first, last) - margin
    direct = np.select([peaks, dips], [2 * high - first - last, first + last - 2 * low], np.abs(last - first))
    turns = np.abs(np.diff(curves, axis=0)).sum(axis=0) > 1.3 * direct + flat
    kinds = {"": high - low <= flat, "varies": turns, "peaks": peaks, "dips": dips, "rises": last > first}
    return np.select([*kinds.values()], [*kinds], "falls")


def form(points: Array, curve: Array) -> str:
    """The form of a curve that rises or falls: a step, a function that fits it, or how it bends."""
    steps = np.abs(np.diff(curve))
    early, late = (half.sum() for half in np.array_split(steps, 2))
    functions = {
        "linear": (points, curve),
        "quadratic": (points**2, curve),
        "root": (np.sqrt(points), curve),
        "logarithmic": (np.log(points), curve),
        "cubic": (points**3, curve),
        "exponential": (points[1:], np.log(steps)),
    }
    bend = "steeper" if late > 1.3 * early else "flatter" if early > 1.3 * late else "other"
    found = [name for name, pair in functions.items() if abs(np.corrcoef(*pair)[0, 1]) > MIN_FIT]
    return "step" if steps.max() > MIN_STEP * steps.sum() else [*found, bend][0]


def ranks(values: Array) -> Array:
    """Ranks; ties have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[inverse]


def measure(task: Spec, columns: Columns) -> Spec:
    """Measure one task for its criteria, with few decimals so that rounding errors of libraries do not show."""
    name, parts = task["target"], task["parts"]
    labels, counts = np.unique(columns[name].values.astype(str), return_counts=True)
    outcome = {"f": "", "b": "True"}.get(columns[name].values.dtype.kind, str(labels[counts.argmax()]))
    return {
        "lost": [drop_one(part, name, columns) for part in parts],
        "effects": [effects(part, name, columns, outcome) for part in parts],
        "outcome": outcome,
    }


def draw(text: str) -> None:
    """Print the error of a tree; or, if there are tasks, their measures and the texts of all columns."""
    request, drawing = json.loads(text), dict[str, Any]()
    try:
        columns = draw_columns(request)
        if request["tasks"]:
            drawing = {
                "measures": [measure(task, columns) for task in request["tasks"]],
                "columns": {
                    name: [
                        form % value if is_there else "" for value, is_there in zip(values.tolist(), there, strict=True)
                    ]
                    for name, (values, there, form) in columns.items()
                },
                "versions": {"python": platform.python_version(), "numpy": np.__version__},
            }
    except (ValueError, ArithmeticError, MemoryError) as error:
        drawing = {"error": str(error) or "it needs too much memory"}
    print(json.dumps(drawing))


# Bound the address space of the session, also where the sandbox does not.
_, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(
    resource.RLIMIT_AS, (MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard), hard)
)
