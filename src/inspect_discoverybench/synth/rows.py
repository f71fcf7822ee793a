"""The program that draws the rows of a tree and measures its tasks. It runs only in the sandbox's session.

It uses numpy alone: expressions are elementwise, so pandas would give the same values, and takes longer to import. The
host sends this file as the first cell; later cells call `draw` and read the JSON that it prints. Random numbers come
from one stream per column and purpose, so the same tree and seed give the same bytes, whatever other columns there are.
"""

import hashlib
import json
import platform
import resource
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

MEMORY_BYTES = 4 * 2**30
FUNCTIONS = "where minimum maximum clip abs log log1p exp sqrt square tanh sin cos"
MIN_FINITE = 0.98
"""Minimum share of rows in which an expression must give a finite number."""
MAX_TOP = 0.95
"""Maximum share of the most common computed value."""
MIN_INSIDE = 0.5
"""Minimum share of computed values within the range that the author gave."""
NEIGHBOURS = 5
MAX_FITTED = 500
"""Maximum number of rows of a generic fit, which compares all pairs of rows."""

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
    with np.errstate(all="ignore"):
        values = np.asarray(eval(compile(expression, "expression", "eval"), names))
    rows = len(next(iter(columns.values())))
    return values if values.shape == (rows,) else np.full(rows, values)


def typed(spec: Spec, values: Array) -> Array:
    """Convert computed values to the type of their node; a `ValueError` says why they do not fit."""
    if spec["type"] == "category":
        others = sorted({str(value) for value in values} - set(spec["values"]))
        if others:
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
        margin = 0.05 * (high - low)
        inside = ((numbers >= low - margin) & (numbers <= high + margin)).mean()
        if inside < MIN_INSIDE:
            raise ValueError(f"only {inside:.0%} of the values are between {low:g} and {high:g}")
    return np.where(finite, numbers, np.nan)


def draw_columns(request: Spec) -> Columns:
    """Draw all columns bottom up. Inner nodes follow from the exact values of their children.

    Raises:
        ValueError: An expression fails.
    """
    columns: dict[str, ObservedColumn] = {}
    seed = request["seed"]

    def visit(node: Spec) -> Array:
        name = node["name"]
        if node.get("children"):
            frame = {child["name"]: visit(child) for child in node["children"]}
            try:
                values = typed(node, compute(node["expression"], frame))
            except Exception as error:  # whatever an author's expression raises is sent back
                raise ValueError(f"the expression of {name} failed: {type(error).__name__}: {error}"[:400]) from error
            if (top := share_of_top(values)) >= MAX_TOP:
                raise ValueError(f"one value of {name} fills {top:.0%} of the rows; the result must vary")
        else:
            values = sample(node, request["settings"]["rows"], seed)
        columns[name] = observe(node, values, request["settings"], seed)
        return values

    for node in (*request["tree"]["roots"], *request["tree"].get("distractors", ())):
        visit(node)
    return columns


def observe(spec: Spec, values: Array, settings: Spec, seed: str) -> ObservedColumn:
    """Perturb the values of a column, each independently (paper, appendix C): noise, rounding, missing values."""
    if spec.get("distribution") == "sequence":
        return ObservedColumn(np.round(values), np.ones(len(values), dtype=bool), f"%.{decimals(spec, values)}f")
    random = stream(seed, spec["name"], "noise")
    normal, where, gaps = random.standard_normal(len(values)), random.random(len(values)), random.random(len(values))
    there = gaps >= (spec["missing"] if spec.get("missing") is not None else settings["missing"])
    if values.dtype.kind != "f":
        return ObservedColumn(values, there, "%s")
    if spec.get("noise") is not None:
        observed = values + spec["noise"] * normal
    else:
        observed = values + settings["noise_scale"] * np.nanstd(values) * normal * (where < settings["noise_share"])
    if not spec.get("children") and spec.get("high") is not None:
        observed = np.clip(observed, spec["low"], spec["high"])
    digits = decimals(spec, values)
    observed = np.round(observed, digits) + 0.0  # no negative zero
    return ObservedColumn(observed, there & ~np.isnan(observed), f"%.{digits}f")


def share_of_top(values: Array) -> float:
    """Share of the most common value."""
    counts = np.unique(values[values == values], return_counts=True)[1]  # without NaN
    return float(counts.max() / counts.sum()) if len(counts) else 1.0


def skill(true: Array, predicted: Array) -> float:
    """Skill of predictions between the best constant (0) and perfect (1): R² of numbers, its analogue of labels."""
    if true.dtype.kind == "f":
        loss, constant = ((true - predicted) ** 2).sum(), ((true - true.mean()) ** 2).sum()
    else:
        loss, constant = (true != predicted).mean(), 1 - share_of_top(true)
    return float(1 - loss / constant) if constant > 0 else 0.0


def distances(column: ObservedColumn, rows: Array) -> Array:
    """The distance of each pair of rows: the difference of their ranks, or whether their labels differ."""
    values, there = column.values[rows], column.there[rows]
    if values.dtype.kind == "f":
        places = ranks(np.where(there, values, np.inf)) / len(rows)
        return np.abs(np.subtract.outer(places, places))
    labels = np.where(there, values.astype(str), "")
    return (labels[:, None] != labels).astype(float)


def neighbour_skill(columns: Sequence[ObservedColumn], target: ObservedColumn) -> float:
    """Skill of a generic fit: each row is predicted from its nearest neighbours in these columns."""
    rows = np.flatnonzero(target.there)
    rows = rows[:: -(-len(rows) // MAX_FITTED)]
    distance = sum(distances(column, rows) for column in columns)
    np.fill_diagonal(distance, np.inf)
    nearest, y = np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBOURS], target.values[rows]
    if y.dtype.kind == "f":
        return skill(y, y[nearest].mean(axis=1))
    labels = np.unique(y)
    return skill(y, labels[(y[nearest][..., None] == labels).sum(axis=1).argmax(axis=1)])


def reproduction(task: Spec, columns: Columns) -> float:
    """Skill of the gold expression on the observed columns, over the rows where nothing is missing."""
    used = [columns[name] for name in (*task["predictors"], task["target"])]
    whole = np.logical_and.reduce([column.there for column in used])
    values = compute(task["expression"], {name: columns[name].values[whole] for name in task["predictors"]})
    true = columns[task["target"]].values[whole]
    if true.dtype.kind == "U":
        return skill(true, values.astype(str))
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    return skill(true.astype(float)[finite], numbers[finite]) if finite.mean() >= MIN_FINITE else 0.0


def direction(first: ObservedColumn, second: ObservedColumn) -> float:
    """Spearman's rank correlation of two columns; 0 if it is undefined."""
    whole = first.there & second.there
    ranked = [ranks(column.values[whole]) for column in (first, second)]
    return float(np.corrcoef(*ranked)[0, 1]) if all(np.ptp(one) > 0 for one in ranked) else 0.0


def ranks(values: Array) -> Array:
    """Ranks; ties have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[inverse]


def measure(task: Spec, columns: Columns) -> Spec:
    """Measure one task for its criteria, with four decimals so that rounding errors of libraries do not show."""
    target, predictors = columns[task["target"]], task["predictors"]
    distractors = [name for name in task["columns"] if name not in (*predictors, task["target"])]
    numeric = [
        name for name in predictors if columns[name].values.dtype.kind == "f" and target.values.dtype.kind != "U"
    ]
    return {
        "top_share": round(share_of_top(target.values[target.there]), 4),
        "reproduction": round(reproduction(task, columns), 4),
        "fit": round(neighbour_skill([columns[name] for name in predictors], target), 4),
        "best_distractor": round(max((neighbour_skill([columns[name]], target) for name in distractors), default=0), 4),
        "directions": {name: round(direction(columns[name], target), 4) for name in numeric},
    }


def draw(text: str) -> None:
    """Print the error of an expression; or, if there are tasks, their measures and the texts of all columns."""
    request = json.loads(text)
    try:
        columns = draw_columns(request)
    except ValueError as error:
        print(json.dumps({"error": str(error)}))
        return
    drawing = {}
    if request["tasks"]:
        drawing = {
            "measures": [measure(task, columns) for task in request["tasks"]],
            "columns": {
                name: [form % value if is_there else "" for value, is_there in zip(values.tolist(), there, strict=True)]
                for name, (values, there, form) in columns.items()
            },
            "versions": {"python": platform.python_version(), "numpy": np.__version__},
        }
    print(json.dumps(drawing))


# Bound the address space of the session, also where the sandbox does not.
_, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(
    resource.RLIMIT_AS, (MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard), hard)
)
