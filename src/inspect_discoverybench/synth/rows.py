"""The program that draws the rows of a tree and measures its tasks. It runs only in the sandbox's session.

The host sends this file followed by a call of `draw`, and reads the JSON that it prints. Random numbers come from one
stream per column and purpose, so the same tree and seed give the same values, whatever other columns there are.

Columns are pandas series: floats, booleans, or a category. Labels are not strings, because `df['label'] * 10**9` would
fill the memory; a category cannot be multiplied.
"""

import hashlib
import json
import resource
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")  # a warning would stand in the output of `draw`

MEMORY_BYTES = 4 * 2**30
FUNCTIONS = ("minimum", "maximum", "clip", "abs", "log", "log1p", "exp", "sqrt", "square", "tanh", "sin", "cos")

# Limits of computed values. They are wide: what fails them cannot be studied (a column of one value, or of nothing).
MAX_TOP = 0.95  # maximum share of the most common value; released columns above it are flagged as nearly constant
MIN_INSIDE = 0.5  # minimum share of values within the range that the author gave, widened by a tenth

RIGHT = 0.7  # share of the values of a copy that are right, which is also its correlation with the original
SHUFFLES = 10  # number of times that each column is shuffled for its drop-one test
GROUPS = 5  # number of groups of a numeric column in the table of a task

Spec: TypeAlias = Mapping[str, Any]  # a column or node of the tree, as JSON
Column: TypeAlias = Any  # pd.Series, whose stubs know no operations on unknown types


def stream(*key: object) -> np.random.Generator:
    """The random numbers for a key."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def sample(spec: Spec, rows: int, seed: str) -> Column:
    """Sample a leaf or distractor by its type (paper, appendix C)."""
    random = stream(seed, spec["name"], "values")
    if spec["type"] == "category":
        labels = random.choice(spec["values"], rows)
        return pd.Series(labels, dtype="category")
    if spec["type"] == "boolean":
        return pd.Series(random.random(rows) < 0.5)

    low, high = spec["low"], spec["high"]
    if spec.get("distribution") == "normal":
        middle = (low + high) / 2
        deviation = (high - low) / 6
        values = random.normal(middle, deviation, rows).clip(low, high)
    elif spec["type"] == "integer":
        values = random.integers(int(low), int(high), rows, endpoint=True)
    else:
        values = random.uniform(low, high, rows)
    return rounded(pd.Series(values, dtype=float), spec)


def copy(spec: Spec, source: Column, seed: str) -> Column:
    """Sample a second record of a column: some of its values are those of other rows."""
    random = stream(seed, spec["name"], "values")
    rows = np.arange(len(source))
    is_right = random.random(len(source)) < RIGHT
    order = np.where(is_right, rows, random.permutation(rows))
    return source.iloc[order].reset_index(drop=True)


def rounded(values: Column, spec: Spec) -> Column:
    """Round numbers: integers to no decimals, others to four significant digits of their standard deviation."""
    if spec["type"] == "integer":
        return values.round()
    magnitude = np.floor(np.log10(values.std()))
    return values.round(3 - int(magnitude))


class Labels(pd.Series):
    """A category whose mapping to numbers gives numbers, and not another category."""

    def map(self, numbers: Mapping[str, float]) -> Column:  # type: ignore[override]
        """The number of each label."""
        return self.astype(object).map(numbers).astype(float)


def compute(expression: str, frame: pd.DataFrame) -> Column:
    """Evaluate an expression that has passed the allow-list on the host."""

    def column(values: Any) -> Column:
        """Values as a column, also if it is one value for all rows."""
        series = pd.Series(np.broadcast_to(np.asarray(values), len(frame)))
        is_number = pd.api.types.is_numeric_dtype(series)
        return series if is_number else Labels(series, dtype="category")

    def where(condition: Any, first: Any, second: Any) -> Column:
        return column(np.where(condition, first, second))

    def select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0) -> Column:
        flags = [np.asarray(condition, dtype=bool) for condition in conditions]
        return column(np.select(flags, choices, default))

    functions = {name: getattr(np, name) for name in FUNCTIONS}
    names = {
        "__builtins__": {},
        "df": {name: column(frame[name]) for name in frame},
        "np": SimpleNamespace(where=where, select=select, **functions),
        "int": int,
        "float": float,
    }
    return column(eval(compile(expression, "expression", "eval"), names))


def typed(values: Column, spec: Spec) -> Column:
    """Convert computed values to the type of their node; a `ValueError` says why they do not fit."""
    if spec["type"] == "category":
        labels = values.astype(str)
        for label in labels.unique():
            if label not in spec["values"]:
                raise ValueError(f"the value {label!r} is not one of {', '.join(spec['values'])}")
        return labels.astype("category")

    numbers = values.astype(float)
    if not np.isfinite(numbers).all():
        raise ValueError("some values are not finite (division by zero, log, overflow)")
    if spec["type"] == "boolean":
        return numbers > 0.5

    low, high = spec.get("low"), spec.get("high")
    if low is not None and high is not None:
        margin = (high - low) / 20
        inside = numbers.between(low - margin, high + margin).mean()
        if inside < MIN_INSIDE:
            raise ValueError(f"only {inside:.0%} of the values are between {low:g} and {high:g}")
    return numbers


def draw_column(spec: Spec, exact: Mapping[str, Column], rows: int, seed: str) -> Column:
    """Draw the exact values of a column from those that it depends on.

    Raises:
        ValueError: The expression of a node fails.
    """
    if spec.get("follows"):
        return copy(spec, exact[spec["follows"]], seed)
    if not spec.get("children"):
        return sample(spec, rows, seed)

    name = spec["name"]
    frame = pd.DataFrame({child["name"]: exact[child["name"]] for child in spec["children"]})
    try:
        values = typed(compute(spec["expression"], frame), spec)
    except Exception as error:  # whatever an author's expression raises is sent back
        raise ValueError(f"the expression of {name} failed: {type(error).__name__}: {error}"[:400]) from error
    top = values.value_counts(normalize=True).max()
    if top >= MAX_TOP:
        raise ValueError(f"one value of {name} fills {top:.0%} of the rows; the result must vary")
    return values


def children_first(nodes: Sequence[Spec]) -> Iterator[Spec]:
    """Iterate over nodes and all nodes below them, in an order in which they can be drawn."""
    for node in nodes:
        yield from children_first(node.get("children", ()))
        yield node


def observe(spec: Spec, values: Column, settings: Spec, seed: str) -> Column:
    """Perturb the values of a column, each independently (paper, appendix C): noise, rounding, missing values."""
    random = stream(seed, spec["name"], "noise")
    rows = len(values)
    is_missing = random.random(rows) < settings["missing"]
    if spec["type"] not in ("real", "integer"):
        return values.mask(is_missing)

    is_noisy = random.random(rows) < settings["noise_share"]
    deviation = settings["noise_scale"] * values.std()
    noise = random.normal(0, deviation, rows)
    noisy = rounded(values + noise * is_noisy, spec)
    if not spec.get("children"):
        noisy = noisy.clip(spec["low"], spec["high"])
    return noisy.mask(is_missing)


def measure(task: Spec, observed: pd.DataFrame, seed: str) -> Spec:
    """Measure a task on its complete rows, with few decimals so that rounding errors of libraries do not show."""
    predictors, name = task["columns"], task["target"]
    complete = observed[[*predictors, name]].dropna().reset_index(drop=True).infer_objects()
    frame = complete[predictors]
    target = complete[name]

    title, outcome = f"mean of {name} by group", target
    if is_category(target):
        label = typical_value(target)
        title, outcome = f"share of {name} {label} by group", target == label
    return {
        "losses": drop_one(task["expression"], frame, target, f"{seed}/{name}"),
        "table": {title: group_means(frame, outcome)},
    }


def drop_one(expression: str, frame: pd.DataFrame, target: Column, seed: str) -> Mapping[str, Sequence[float]]:
    """How much worse the expression predicts the target without each of its columns, whose values are shuffled.

    The columns of a gold expression are independent of each other, so no other column can take the place of one.

    Returns:
        The mean loss as a share of the error of always predicting the typical value, and the same in standard errors.
    """
    errors = prediction_errors(target, compute(expression, frame))
    scale = prediction_errors(target, typical_value(target)).mean()
    losses = {}
    for name in map(str, frame):
        random = stream(seed, name, "shuffle")
        shuffled_errors = []
        for _ in range(SHUFFLES):
            values = frame[name].iloc[random.permutation(len(frame))]
            shuffled = frame.assign(**{name: values.to_numpy()})
            shuffled_errors.append(prediction_errors(target, compute(expression, shuffled)))

        loss = (sum(shuffled_errors) / SHUFFLES - errors) / scale
        loss = loss[np.isfinite(loss)]
        mean = loss.mean()
        standard_error = max(loss.sem(), 1e-9)
        losses[name] = (round(mean, 4), round(mean / standard_error, 2))
    return losses


def prediction_errors(target: Column, predicted: Any) -> Column:
    """The error of each row: the distance of numbers, or 1 for a wrong label."""
    if is_category(target):
        return (target.astype(str) != predicted).astype(float)
    return (target.astype(float) - predicted).abs()


def typical_value(target: Column) -> Any:
    """The median of numbers, or the most common label."""
    return target.mode()[0] if is_category(target) else target.astype(float).median()


def is_category(column: Column) -> bool:
    """Whether a column has labels."""
    return isinstance(column.dtype, pd.CategoricalDtype)


def group_means(frame: pd.DataFrame, outcome: Column) -> Mapping[str, Mapping[str, float]]:
    """The mean of an outcome by each column, in the groups of a label or in fifths of a number."""
    table = {}
    for name in map(str, frame):
        groups = frame[name]
        if not is_category(groups) and groups.nunique() > GROUPS:
            groups = pd.qcut(groups, GROUPS, duplicates="drop")
        means = outcome.groupby(groups, observed=True).mean()
        table[name] = {str(group): float(f"{mean:.4g}") for group, mean in means.items()}
    return table


def draw_tree(request: Spec) -> Spec:
    """Draw all columns of a tree. If there are tasks, return their measures and the texts of all columns.

    Raises:
        ValueError: An expression fails.
    """
    settings = request["settings"]
    seed = request["seed"]
    nodes = children_first(request["tree"]["roots"])
    distractors = request["tree"].get("distractors", ())

    exact: dict[str, Column] = {}
    observed: dict[str, Column] = {}
    written: dict[str, Sequence[str]] = {}
    for spec in (*nodes, *distractors):
        name = spec["name"]
        exact[name] = draw_column(spec, exact, settings["rows"], seed)
        observed[name] = observe(spec, exact[name], settings, seed)
        written[name] = texts(observed[name], spec)
    if not request["tasks"]:
        return {}

    frame = pd.DataFrame(observed)
    measures = [measure(task, frame, seed) for task in request["tasks"]]
    return {"measures": measures, "columns": written}


def texts(column: Column, spec: Spec) -> Sequence[str]:
    """The values of a column as in the data file; a missing value is empty."""
    values = column.astype("Int64") if spec["type"] == "integer" else column
    return [*values.astype(object).where(column.notna(), "").map(str)]


def draw(text: str) -> None:
    """Print what is drawn, or the error of an expression."""
    try:
        drawing = draw_tree(json.loads(text))
    except (ValueError, ArithmeticError, MemoryError) as error:
        drawing = {"error": str(error) or "it needs too much memory"}
    print(json.dumps(drawing))


# Bound the address space of the session, also where the sandbox does not.
_, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
if hard_limit == resource.RLIM_INFINITY or hard_limit > MEMORY_BYTES:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, hard_limit))
