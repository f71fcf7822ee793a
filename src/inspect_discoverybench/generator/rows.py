"""The program that draws the rows of a tree and measures its tasks. It runs only in the sandbox's session.

The host sends this file followed by a call of `draw`, and reads the JSON that it prints. Random numbers come from one
stream per column and purpose. So with the same seed, what is drawn for a column does not depend on the other columns.

Columns are pandas series: floats, booleans, or a category. Labels are not strings, because `df['label'] * 10**9` would
fill the memory; a category cannot be multiplied.
"""

import contextlib
import hashlib
import json
import math
import resource
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")  # a warning would stand in the output of `draw`

MEMORY_BYTES = 4 * 2**30
FUNCTIONS = (
    "where",
    "select",
    "minimum",
    "maximum",
    "clip",
    "abs",
    "log",
    "log1p",
    "exp",
    "sqrt",
    "square",
    "tanh",
    "sin",
    "cos",
)

# Limits of computed values. They are wide: only a column that cannot be studied is beyond them, such as one with a
# single value.
MAX_SHARE_OF_ONE_VALUE = 0.95  # released columns above it are flagged as nearly constant
MIN_SHARE_IN_RANGE = 0.5  # of the values; the range is the author's, widened by a twentieth of its width at each end

COPY_ACCURACY = 0.7  # share of the values of a copy that are right, which is also its correlation with the original
GROUPS = 5  # number of groups of a numeric column in the table of a task

Spec: TypeAlias = Mapping[str, Any]  # JSON: a column or node of the tree, a task, the settings or the request
Column: TypeAlias = Any  # pd.Series, whose stubs know no operations on unknown types


def stream(*key: object) -> np.random.Generator:
    """Start the stream of random numbers of a column and purpose."""
    text = "/".join(map(str, key))
    digest = hashlib.sha256(text.encode()).digest()
    seed = int.from_bytes(digest[:16], "big")
    return np.random.Generator(np.random.PCG64(seed))


def sample(spec: Spec, rows: int, seed: str) -> Column:
    """Sample a leaf or distractor by its type (paper, appendix C)."""
    random = stream(seed, spec["name"], "values")
    if spec["type"] == "category":
        return pd.Series(random.choice(spec["values"], rows), dtype="category")
    if spec["type"] == "boolean":
        return pd.Series(random.random(rows) < 0.5)

    numbers: Any
    low = spec["low"]
    high = spec["high"]
    if spec.get("distribution") == "normal":
        middle = (low + high) / 2
        deviation = (high - low) / 6  # the middle is three standard deviations from both ends
        numbers = random.normal(middle, deviation, rows).clip(low, high)
    elif spec["type"] == "integer":
        numbers = random.integers(low, high, rows, endpoint=True)
    else:
        numbers = random.uniform(low, high, rows)
    return rounded(pd.Series(numbers, dtype=float), spec)


def copy(spec: Spec, source: Column, seed: str) -> Column:
    """Sample a second record of a column. Some of its values are wrong: they are taken from other rows."""
    random = stream(seed, spec["name"], "values")
    rows = np.arange(len(source))
    is_right = random.random(len(source)) < COPY_ACCURACY
    order = np.where(is_right, rows, random.permutation(rows))
    return source.iloc[order].reset_index(drop=True)


def rounded(values: Column, spec: Spec) -> Column:
    """Round numbers: integers to no decimals, others to four significant digits of their standard deviation."""
    if spec["type"] == "integer":
        return values.round()
    magnitude = math.floor(math.log10(values.std()))
    return values.round(3 - magnitude)


class Labels(pd.Series):
    """A category whose mapping to numbers gives numbers, and not another category."""

    def map(self, numbers: Mapping[str, float]) -> Column:  # type: ignore[override]
        """Replace each label by its number."""
        return self.astype(object).map(numbers).astype(float)


def as_column(values: Any, rows: int) -> Column:
    """Make a column of an array, or of one value for all rows."""
    array = np.broadcast_to(np.asarray(values), rows)
    series = pd.Series(array)
    if pd.api.types.is_numeric_dtype(series):  # true of booleans, too
        return series
    return Labels(series, dtype="category")


def call_numpy(function: Callable[..., Any], rows: int, *arguments: Any, **keywords: Any) -> Column:
    """Call a function of numpy, and make a column of what it returns.

    An expression may call methods of a column on the result, such as `groupby`, which an array does not have.
    """
    return as_column(function(*arguments, **keywords), rows)


def compute(expression: str, frame: pd.DataFrame) -> Column:
    """Evaluate an expression that has passed the allow-list on the host."""
    rows = len(frame)
    functions = {name: partial(call_numpy, getattr(np, name), rows) for name in FUNCTIONS}
    names = {
        "__builtins__": {},
        # Columns of labels become `Labels`, which an expression can map to numbers.
        "df": {name: as_column(frame[name], rows) for name in frame},
        "np": SimpleNamespace(**functions),
        "int": int,
        "float": float,
    }
    values = eval(expression, names)
    return as_column(values, rows)


def typed(values: Column, spec: Spec) -> Column:
    """Convert computed values to the type of their node; a `ValueError` says why they do not fit."""
    if spec["type"] == "category":
        labels = values.astype(str)
        for label in labels.unique():
            if label not in spec["values"]:
                raise ValueError(f"{label!r} is not one of the values of the category")
        return labels.astype("category")

    numbers = values.astype(float)
    if not np.isfinite(numbers).all():
        raise ValueError("some values are not finite (division by zero, log, overflow)")
    if spec["type"] == "boolean":
        # 0 and 1 are refused, and not converted to booleans. In a task over several levels of the tree, the gold
        # expression contains this expression in place of the column's name, and does not convert its values. With a
        # conversion here, the parent would be computed from booleans in the data, but from numbers in the gold
        # expression.
        if values.dtype != bool:
            raise ValueError("the values are not True or False")
        return values

    low = spec.get("low")
    high = spec.get("high")
    if low is None or high is None:
        return numbers
    margin = (high - low) / 20
    share = numbers.between(low - margin, high + margin).mean()
    if share < MIN_SHARE_IN_RANGE:
        raise ValueError(f"only {share:.0%} of the values are between low and high")
    return numbers


def draw_column(spec: Spec, exact: Mapping[str, Column], rows: int, seed: str) -> Column:
    """Draw the values of a column, before noise.

    Args:
        spec: The column.
        exact: The values, before noise, of the columns that were drawn so far. The columns that this one depends on are
            among them.
        rows: Number of rows.
        seed: Seed of the tree.

    Raises:
        ValueError: The expression of a node fails.
    """
    if spec.get("follows"):
        source = exact[spec["follows"]]
        return copy(spec, source, seed)
    if not spec.get("children"):
        return sample(spec, rows, seed)

    name = spec["name"]
    frame = pd.DataFrame({child["name"]: exact[child["name"]] for child in spec["children"]})
    try:
        computed = compute(spec["expression"], frame)
        values = typed(computed, spec)
    except Exception as error:  # whatever an author's expression raises is sent back
        reason = f"the expression of {name} failed: {error!r}"
        raise ValueError(reason[:400]) from error

    largest_share = values.value_counts(normalize=True).max()
    if largest_share >= MAX_SHARE_OF_ONE_VALUE:
        raise ValueError(f"one value of {name} fills {largest_share:.0%} of the rows")
    return values


def children_first(nodes: Sequence[Spec]) -> Iterator[Spec]:
    """Iterate over nodes and all nodes below them, in an order in which they can be drawn."""
    for node in nodes:
        yield from children_first(node.get("children", ()))
        yield node


def observe(spec: Spec, exact: Column, settings: Spec, seed: str) -> Column:
    """Perturb the values of a column, each independently (paper, appendix C): noise, rounding, missing values."""
    random = stream(seed, spec["name"], "noise")
    rows = len(exact)
    is_missing = random.random(rows) < settings["missing"]
    if spec["type"] not in ("real", "integer"):
        return exact.mask(is_missing)

    is_noisy = random.random(rows) < settings["noise_share"]
    deviation = settings["noise_scale"] * exact.std()
    noise = random.normal(0, deviation, rows)
    recorded = rounded(exact + noise * is_noisy, spec)
    if not spec.get("children"):
        # A column without children was sampled within its range, and noise must not move it out. A computed column is
        # not clipped: it may be outside of its range even without noise.
        recorded = recorded.clip(spec.get("low"), spec.get("high"))
    return recorded.mask(is_missing)


def measure(task: Spec, observed: pd.DataFrame, seed: str) -> Spec:
    """Measure a task on its complete rows."""
    predictors = task["columns"]
    name = task["target"]
    complete = observed[[*predictors, name]].dropna().reset_index(drop=True)
    # A boolean column with missing values has the type object. In complete rows, none is missing, so the column can be
    # boolean again.
    complete = complete.infer_objects()
    frame = complete[predictors]
    target = complete[name]

    title = f"mean of {name} by group"
    outcome = target
    if target.dtype == "category":
        label = typical_value(target)
        title = f"share of {name} {label} by group"
        outcome = target == label
    return {
        "losses": losses_if_shuffled(task["expression"], frame, target, f"{seed}/{name}"),
        "table": {title: group_means(frame, outcome)},
    }


def losses_if_shuffled(expression: str, frame: pd.DataFrame, target: Column, seed: str) -> Mapping[str, float]:
    """Measure how much worse an expression predicts its target if one of its columns is shuffled, for each column.

    Each column is shuffled alone. The columns of a gold expression are independent of each other, so the rows with
    shuffled values could have been drawn as well.

    Returns:
        The mean loss by column, as a share of the error of always predicting the typical value; NaN if the expression
        has no finite values. Losses have four decimals, because the last digits of a number differ between versions of
        libraries.
    """
    errors = prediction_errors(target, compute(expression, frame))
    error_of_typical_value = prediction_errors(target, typical_value(target)).mean()

    losses = {}
    for name in map(str, frame):
        order = stream(seed, name, "shuffle").permutation(len(frame))
        shuffled = frame.copy()
        shuffled[name] = frame[name].take(order).to_numpy()

        loss = prediction_errors(target, compute(expression, shuffled)) - errors
        finite_loss = loss[np.isfinite(loss)]  # with shuffled values, the expression may divide by zero
        losses[name] = round(finite_loss.mean() / error_of_typical_value, 4)
    return losses


def prediction_errors(target: Column, predicted: Any) -> Column:
    """The error of each row: the distance of numbers, or 1 for a wrong label."""
    if target.dtype == "category":
        is_wrong = target.astype(str) != predicted
        return is_wrong.astype(float)
    difference = target.astype(float) - predicted
    return difference.abs()


def typical_value(target: Column) -> Any:
    """The median of numbers, or the most common label."""
    if target.dtype == "category":
        return target.mode()[0]
    return target.astype(float).median()


def group_means(frame: pd.DataFrame, outcome: Column) -> Mapping[str, Mapping[str, float]]:
    """The mean of an outcome in groups of rows: by column, then by group.

    The groups of a column are its values. A column with many different numbers is divided into fifths. Means have four
    digits, because the last digits of a number differ between versions of libraries.
    """
    table = {}
    for name in map(str, frame):
        groups = frame[name]
        if groups.dtype != "category" and groups.nunique() > GROUPS:
            groups = pd.qcut(groups, GROUPS, duplicates="drop")

        means = {}
        for group, values in outcome.groupby(groups, observed=True):
            four_digits = f"{values.mean():.4g}"
            means[str(group)] = float(four_digits)
        table[name] = means
    return table


def draw_tree(request: Spec) -> Spec:
    """Draw all columns of a tree.

    Returns:
        The measures of the tasks and the texts of all columns. Without tasks, it is empty: the host then only checks
        the expressions.

    Raises:
        ValueError: An expression fails.
    """
    settings = request["settings"]
    seed = request["seed"]
    tree = request["tree"]
    specs = [*children_first(tree["roots"]), *tree.get("distractors", ())]

    exact: dict[str, Column] = {}
    for spec in specs:
        name = spec["name"]
        exact[name] = draw_column(spec, exact, settings["rows"], seed)
    if not request["tasks"]:
        return {}

    observed: dict[str, Column] = {}
    columns: dict[str, Sequence[str]] = {}
    for spec in specs:
        name = spec["name"]
        recorded = observe(spec, exact[name], settings, seed)
        observed[name] = recorded
        columns[name] = texts(recorded, spec)
    frame = pd.DataFrame(observed)
    measures = [measure(task, frame, seed) for task in request["tasks"]]
    return {"measures": measures, "columns": columns}


def texts(column: Column, spec: Spec) -> Sequence[str]:
    """The values of a column as in the data file; a missing value is empty."""
    values = column
    if spec["type"] == "integer":
        values = column.astype("Int64")
    # A column of objects can have empty texts beside its numbers.
    cells = values.astype(object).where(column.notna(), "")
    return [str(cell) for cell in cells]


def draw(text: str) -> None:
    """Print what is drawn, or the error of an expression."""
    try:
        drawing = draw_tree(json.loads(text))
    except (ValueError, TypeError, ArithmeticError, MemoryError) as error:
        drawing = {"error": str(error) or "it needs too much memory"}  # a MemoryError often has no text
    print(json.dumps(drawing))


# Limit the address space of the session. Not every sandbox has a limit of its own.
with contextlib.suppress(ValueError):  # raised if the sandbox has a lower limit, which then stays
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
