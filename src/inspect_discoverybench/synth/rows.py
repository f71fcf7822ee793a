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
from typing import Any, TypeAlias

import numpy as np

MEMORY_BYTES = 4 * 2**30
FUNCTIONS = "where minimum maximum clip abs log log1p exp sqrt square tanh sin cos"
MIN_FINITE = 0.98
"""Minimum share of rows in which an expression must give a finite number."""
MIN_INSIDE = 0.5
"""Minimum share of computed values within the range that the author gave."""
BINS = 16
ROUNDS, DEPTH, RATE = 20, 3, 0.4

Array: TypeAlias = Any  # np.ndarray; numpy and pandas return too many types for a program this small
Spec = Mapping[str, Any]  # a column or node of the tree, as JSON


def limit_memory() -> None:
    """Bound the address space of the session, also where the sandbox does not."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def stream(*key: object) -> np.random.Generator:
    """The random numbers for a key."""
    digest = hashlib.sha256("/".join(map(str, key)).encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def sample(spec: Spec, rows: int, seed: str) -> Array:
    """Sample a leaf or distractor by its type (paper, appendix C)."""
    random = stream(seed, spec["name"], "values")
    if spec["type"] == "category":
        return np.array(spec["values"], dtype=object)[random.integers(0, len(spec["values"]), rows)]
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
    return np.round(values, 0 if spec["type"] == "integer" else decimals(spec, values))


def decimals(spec: Spec, values: Array) -> int:
    """Number of decimals of a numeric column: four significant digits of its standard deviation."""
    if spec["type"] == "integer":
        return 0
    if spec.get("decimals") is not None:
        return int(spec["decimals"])
    deviation = float(np.nanstd(values))
    return int(np.clip(3 - np.floor(np.log10(deviation)), 0, 8)) if deviation > 0 else 3


class Values(np.ndarray):
    """A column in an expression: an array with the methods of a pandas column that the allow-list admits."""

    def isin(self, levels: Sequence[object]) -> Array:
        """Whether each value is one of the levels."""
        return np.isin(self, np.array(levels))

    def between(self, low: float, high: float) -> Array:
        """Whether each value is in the range, ends included."""
        return (self >= low) & (self <= high)

    def abs(self) -> Array:
        """The absolute values."""
        return np.abs(self)


def compute(expression: str, columns: Mapping[str, Array]) -> Array:
    """Evaluate an expression that has passed the allow-list on the host."""
    numpy = SimpleNamespace(**{name: getattr(np, name) for name in FUNCTIONS.split()})
    # Labels are numpy's strings, which cannot be multiplied. With Python's, `df['label'] * 10**9` fills the memory.
    frame = {
        name: (column.astype(str) if column.dtype == object else column).view(Values)
        for name, column in columns.items()
    }
    names = {"__builtins__": {}, "df": frame, "np": numpy, "int": int, "float": float}
    with np.errstate(all="ignore"):
        values = np.asarray(eval(compile(expression, "expression", "eval"), names))
    rows = len(next(iter(columns.values())))
    return values if values.shape == (rows,) else np.full(rows, values)


def known(values: Array) -> Array:
    """Which values are not missing."""
    if values.dtype == object:
        return np.array([value is not None for value in values])
    return ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)


def typed(spec: Spec, values: Array) -> Array:
    """Convert computed values to the type of their node.

    Raises:
        ValueError: They do not fit the type.
    """
    if spec["type"] == "category":
        others = sorted({str(value) for value in values} - set(spec["values"]))
        if others:
            raise ValueError(f"the value {others[0]!r} is not one of {', '.join(spec['values'])}")
        return values.astype(object)
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    if finite.mean() < MIN_FINITE:
        raise ValueError(f"{1 - finite.mean():.0%} of the values are not finite (division by zero, log, overflow)")
    if spec["type"] == "boolean":
        return numbers > 0.5
    return np.where(finite, numbers, np.nan)


def evaluate(tree: Spec, rows: int, seed: str) -> tuple[dict[str, Array], dict[str, str]]:
    """Draw the exact values of all columns bottom up; return them and the error of each node that fails.

    A failing node has the values of its first numeric child, so that the nodes above it can be tried.
    """
    values: dict[str, Array] = {}
    errors: dict[str, str] = {}

    def visit(node: Spec) -> None:
        children = node.get("children", ())
        if not children:
            values[node["name"]] = sample(node, rows, seed)
            return
        for child in children:
            visit(child)
        frame = {child["name"]: values[child["name"]] for child in children}
        try:
            values[node["name"]] = typed(node, compute(node["expression"], frame))
            top = share_of_top(values[node["name"]])
            if top >= 0.95:
                errors[node["name"]] = f"one value fills {top:.0%} of the rows; the result must vary"
            elif (inside := share_inside(node, values[node["name"]])) < MIN_INSIDE:
                errors[node["name"]] = (
                    f"only {inside:.0%} of the values are between {node['low']:g} and {node['high']:g}"
                )
        except Exception as error:  # noqa: BLE001 - whatever an author's expression raises is sent back
            errors[node["name"]] = f"{type(error).__name__}: {error}"[:300]
            values[node["name"]] = np.arange(rows, dtype=float)

    for root in tree["roots"]:
        visit(root)
    for column in tree.get("distractors", ()):
        values[column["name"]] = sample(column, rows, seed)
    return values, errors


def share_inside(spec: Spec, values: Array) -> float:
    """Share of the computed values within the range of their node; 1 if it has none."""
    if spec.get("low") is None or spec.get("high") is None:
        return 1.0
    margin = 0.05 * (spec["high"] - spec["low"])
    return float(((values >= spec["low"] - margin) & (values <= spec["high"] + margin)).mean())


def specs(tree: Spec) -> dict[str, Spec]:
    """All columns of a tree by name."""
    by_name: dict[str, Spec] = {column["name"]: column for column in tree.get("distractors", ())}
    pending = list(tree["roots"])
    while pending:
        node = pending.pop()
        by_name[node["name"]] = node
        pending += node.get("children", ())
    return by_name


def observe(spec: Spec, values: Array, noise: Spec, seed: str) -> Array:
    """Perturb the values of a column, each independently (paper, appendix C): noise, rounding, missing values."""
    if spec.get("distribution") == "sequence":
        return np.round(values)
    random = stream(seed, spec["name"], "noise")
    normal, where, gaps = random.standard_normal(len(values)), random.random(len(values)), random.random(len(values))
    missing = spec["missing"] if spec.get("missing") is not None else noise["missing"]
    if spec["type"] in ("category", "boolean"):
        observed = values.astype(object)
        observed[gaps < missing] = None
        return observed
    if spec.get("noise") is not None:
        observed = values + spec["noise"] * normal
    else:
        observed = values + noise["scale"] * np.nanstd(values) * normal * (where < noise["share"])
    if not spec.get("children") and spec.get("high") is not None:
        observed = np.clip(observed, spec["low"], spec["high"])
    observed = np.round(observed, decimals(spec, values)) + 0.0  # no negative zero
    observed[gaps < missing] = np.nan
    return observed


def texts(spec: Spec, values: Array, exact: Array) -> list[str]:
    """The values of a column as they stand in the data file."""
    if spec["type"] in ("category", "boolean"):
        return ["" if value is None else str(value) for value in values]
    form = f"%.{decimals(spec, exact)}f"
    return ["" if value != value else form % value for value in values.tolist()]


def share_of_top(values: Array) -> float:
    """Share of the most common value."""
    there = values[known(values)]
    if not len(there):
        return 1.0
    counts = np.unique(there.astype(str) if there.dtype == object else there, return_counts=True)[1]
    return float(counts.max() / len(there))


def skill(true: Array, predicted: Array) -> float:
    """Skill of predictions between the best constant (0) and perfect (1): R² of numbers, its analogue of labels."""
    if true.dtype.kind in "fiub":
        true, predicted = true.astype(float), predicted.astype(float)
        total = float(((true - true.mean()) ** 2).sum())
        return 1 - float(((true - predicted) ** 2).sum()) / total if total > 0 else 0.0
    errors = float((true != predicted).mean())
    constant = 1 - share_of_top(true)
    return 1 - errors / constant if constant > 0 else 0.0


def codes(values: Array) -> Array:
    """Bin a column: 0 for missing values, quantiles of numbers, and levels of other values."""
    there = known(values)
    bins = np.zeros(len(values), dtype=int)
    if values.dtype == object:
        bins[there] = np.minimum(np.unique(values[there].astype(str), return_inverse=True)[1] + 1, BINS - 1)
    else:
        cuts = np.unique(np.quantile(values[there], np.arange(1, BINS - 1) / (BINS - 1)))
        bins[there] = np.searchsorted(cuts, values[there], side="left") + 1
    return bins


def boosted(bins: Array, y: Array, train: Array) -> Array:
    """Predict all rows with gradient-boosted regression trees on binned columns, fitted to the training rows."""
    rows, columns = bins.shape
    feature_offset, fitted = np.arange(columns) * BINS, bins[train]
    all_rows, fitted_rows = np.arange(rows), np.arange(len(fitted))
    prediction = np.full(rows, y[train].mean())
    for _ in range(ROUNDS):
        residual = y[train] - prediction[train]
        node, splits = np.zeros(len(fitted), dtype=int), []
        for level in range(DEPTH):
            count = 2**level
            index = ((node * columns * BINS)[:, None] + feature_offset + fitted).ravel()
            size = count * columns * BINS
            number = np.bincount(index, minlength=size).reshape(count, columns, BINS).cumsum(axis=2)
            total = np.bincount(index, np.repeat(residual, columns), size).reshape(count, columns, BINS).cumsum(axis=2)
            right_number, right_total = number[..., -1:] - number, total[..., -1:] - total
            gain = total**2 / (number + 1) + right_total**2 / (right_number + 1)
            gain[(number < 4) | (right_number < 4)] = 0
            feature, cut = np.divmod(gain.reshape(count, -1).argmax(axis=1), BINS)
            splits.append((feature, cut))
            node = 2 * node + (fitted[fitted_rows, feature[node]] > cut[node])
        leaves = np.bincount(node, residual, 2**DEPTH) / (np.bincount(node, minlength=2**DEPTH) + 1)
        place = np.zeros(rows, dtype=int)
        for feature, cut in splits:
            place = 2 * place + (bins[all_rows, feature[place]] > cut[place])
        prediction += RATE * leaves[place]
    return prediction


def levels_of(bins: Array, y: Array, train: Array) -> Array:
    """Predict all rows with the mean of their bin: the fit on a single column."""
    number, total = np.bincount(bins[train], minlength=BINS), np.bincount(bins[train], y[train], BINS)
    mean = y[train].mean()
    return ((total + mean) / (number + 1))[bins]


def cross_validated(bins: Array, y: Array) -> float:
    """Skill of a generic fit in two-fold cross-validation; labels are fitted one level against the others."""
    folds = np.arange(len(y)) % 2
    fit = boosted if bins.ndim == 2 else levels_of

    def predict(numbers: Array) -> Array:
        parts = [fit(bins, numbers, folds != fold) for fold in (0, 1)]
        return np.where(folds == 0, parts[0], parts[1])

    if y.dtype.kind == "f":
        return skill(y, predict(y))
    labels = np.unique(y.astype(str))
    chances = np.stack([predict((y.astype(str) == label).astype(float)) for label in labels])
    return skill(y.astype(str), labels[chances.argmax(axis=0)])


def reproduction(expression: str, predictors: Sequence[str], observed: Mapping[str, Array], target: str) -> float:
    """Skill of the gold expression on the observed columns, over the rows where nothing is missing."""
    whole = np.logical_and.reduce([known(observed[name]) for name in (*predictors, target)])
    values = compute(expression, {name: concrete(observed[name][whole]) for name in predictors})
    true = concrete(observed[target][whole])
    if true.dtype == object:
        return skill(true.astype(str), values.astype(str))
    numbers = values.astype(float)
    finite = np.isfinite(numbers)
    if finite.mean() < MIN_FINITE:
        return 0.0
    return skill(true.astype(float)[finite], numbers[finite])


def concrete(values: Array) -> Array:
    """A column without missing values in its own type: booleans are observed as objects."""
    return values.astype(bool) if values.dtype == object and isinstance(values[0], (bool, np.bool_)) else values


def direction(values: Array, target: Array) -> float:
    """Spearman's rank correlation of two numeric columns; 0 if it is undefined."""
    whole = known(values) & known(target)
    first, second = ranks(values[whole].astype(float)), ranks(target[whole].astype(float))
    rho = np.corrcoef(first, second)[0, 1] if np.ptp(first) > 0 and np.ptp(second) > 0 else 0.0
    return rounded(float(rho))


def ranks(values: Array) -> Array:
    """Ranks; ties have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[inverse]


def rounded(value: float) -> float:
    """A measure with four decimals, so that rounding errors of numerical libraries do not show."""
    return round(value, 4)


def measure(
    task: Spec,
    named: Mapping[str, Spec],
    observed: Mapping[str, Array],
    fresh: Mapping[str, Array],
    bins: Mapping[str, Array],
) -> Spec:
    """Measure one task for the quality gates: on the released rows, and the gold expression also on fresh rows."""
    target, predictors = observed[task["target"]], task["predictors"]
    is_text = named[task["target"]]["type"] == "category"
    there = known(target)
    y = target[there].astype(str) if is_text else target[there].astype(float)
    others = [name for name in task["columns"] if name not in predictors and name != task["target"]]
    released = np.stack([bins[name][there] for name in (*predictors, *others)], axis=1)
    numeric = [name for name in predictors if named[name]["type"] in ("real", "integer")]
    return {
        "top_share": rounded(share_of_top(target)),
        "reproduction": rounded(reproduction(task["expression"], predictors, observed, task["target"])),
        "fresh": rounded(reproduction(task["expression"], predictors, fresh, task["target"])),
        "fit": rounded(cross_validated(released, y)),
        "best_distractor": rounded(max((cross_validated(bins[name][there], y) for name in others), default=0.0)),
        "directions": {} if is_text else {name: direction(observed[name], target) for name in numeric},
    }


def versions() -> dict[str, str]:
    """Versions of what the values follow from."""
    return {"python": platform.python_version(), "numpy": np.__version__}


def draw(request: str) -> None:
    """Print the errors of the expressions; or, if there are tasks, their measures and the texts of all columns."""
    parameters = json.loads(request)
    tree, seed = parameters["tree"], parameters["seed"]
    values, errors = evaluate(tree, parameters["rows"], seed)
    if errors or not parameters["tasks"]:
        print(json.dumps({"errors": errors, "measures": [], "columns": {}}))
        return
    named = specs(tree)
    observed = {name: observe(named[name], values[name], parameters["noise"], seed) for name in values}
    others, _ = evaluate(tree, parameters["rows"], f"{seed}/fresh")
    fresh = {name: observe(named[name], others[name], parameters["noise"], f"{seed}/fresh") for name in others}
    bins = {name: codes(column) for name, column in observed.items()}
    measures = [measure(task, named, observed, fresh, bins) for task in parameters["tasks"]]
    columns = {name: texts(named[name], observed[name], values[name]) for name in observed}
    print(json.dumps({"errors": {}, "measures": measures, "columns": columns, "versions": versions()}))


limit_memory()
