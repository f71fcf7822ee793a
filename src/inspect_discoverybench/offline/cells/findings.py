"""The baseline's second cell: fit the plausible forms of one relationship and print which one the data prefer.

It is sent as text to the session that ran the first cell, so it imports nothing of this package.
Forms are compared by the Bayesian information criterion (BIC) on the same rows.
"""

import json
import math
import warnings
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.regression.linear_model import OLS

warnings.simplefilter("ignore")

MARGIN = 8.0  # BIC by which a form must beat the plain linear one; below it the simpler form is told.


@dataclass
class Form:
    """One candidate: its kind, its design columns, how many numbers were searched for it, and facts to tell."""

    kind: str
    design: dict[str, np.ndarray]
    searched: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    margin: float = MARGIN


def as_number(column: pd.Series) -> pd.Series | None:
    """Numbers as they are, two levels as 0 and 1, anything else as None."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype(float)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype(float).replace([np.inf, -np.inf], np.nan)
    levels = sorted(column.dropna().unique(), key=str)
    return column.map({levels[0]: 0.0, levels[1]: 1.0}).astype(float) if len(levels) == 2 else None


def encode(name: str, column: pd.Series) -> dict[str, np.ndarray]:
    """Design columns of one predictor: itself, or one for each level but the first."""
    number = as_number(column)
    if number is not None:
        text = not pd.api.types.is_numeric_dtype(column.dtype)
        label = f"{name} = {sorted(column.dropna().unique(), key=str)[1]}" if text else name
        return {label: number.to_numpy()}
    levels = sorted(column.unique(), key=str)
    return {f"{name} = {level}": (column == level).to_numpy(float) for level in levels[1:]}


def bic(y: np.ndarray, form: Form) -> float:
    """BIC of a least-squares fit with an intercept."""
    design = np.column_stack([np.ones(len(y)), *form.design.values()])
    scale = np.abs(design).max(axis=0)
    design = design / np.where(scale > 0, scale, 1.0)
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    total = float(((y - y.mean()) ** 2).sum())
    unexplained = max(float(left @ left), 1e-9 * total)
    return len(y) * math.log(unexplained / len(y)) + (design.shape[1] + form.searched) * math.log(len(y))


def candidates(y: np.ndarray, table: pd.DataFrame, predictors: list[str], moderators: list[str]) -> list[Form]:
    """Every form that is tried; the plain linear one is first."""
    blocks = {name: encode(name, table[name]) for name in predictors}
    linear = {label: values for block in blocks.values() for label, values in block.items()}
    forms = [Form("linear", linear)]
    steady = [name for name in predictors if table[name].nunique() >= 5 and len(blocks[name]) == 1]
    for name in steady:
        x = next(iter(blocks[name].values()))
        others = {label: values for label, values in linear.items() if label not in blocks[name]}
        forms.append(Form("quadratic", linear | {f"{name}^2": x**2}, 0, {"column": name}))
        cuts = [cut for cut in np.unique(np.quantile(x, np.linspace(0.1, 0.9, 41))) if (x > cut).any()]
        steps = [Form("threshold", others | {f"{name} > {cut:g}": (x > cut) * 1.0}, 1) for cut in cuts]
        if steps:
            best = min(range(len(steps)), key=lambda i: bic(y, steps[i]))
            steps[best].facts = {"column": name, "cut": float(cuts[best])}
            forms.append(steps[best])
    for top, bottom in permutations(steady, 2):
        below = next(iter(blocks[bottom].values()))
        if below.min() > 0 and table[top].min() >= 0:
            rest = {k: v for k, v in linear.items() if k not in blocks[top] and k not in blocks[bottom]}
            ratio = next(iter(blocks[top].values())) / below
            forms.append(Form("ratio", rest | {f"{top} / {bottom}": ratio}, 1, {"top": top, "bottom": bottom}))
    listed = [(a, b) if a in steady else (b, a) for a, b in combinations(predictors, 2)]
    hidden = [(a, b) for a in steady for b in moderators]
    for a, b in [*listed, *hidden]:
        one, other = encode(a, table[a]), encode(b, table[b])
        product = {f"{i} x {j}": u * v for i, u in one.items() for j, v in other.items()}
        margin = MARGIN + 10 * ((a, b) in hidden)
        forms.append(Form("interaction", linear | other | product, 0, {"a": a, "b": b}, margin))
    return forms


def slopes(table: pd.DataFrame, target: str, a: str, b: str) -> list[dict[str, Any]]:
    """Slope of the target on `a` in each level of `b`; a number with many values is cut at its median."""
    by = table[b]
    if pd.api.types.is_numeric_dtype(by.dtype) and by.nunique() > 6:
        middle = by.median()
        by = by.map(lambda value: f"at most {middle:.4g}" if value <= middle else f"above {middle:.4g}")
    found = []
    for level, part in table.groupby(by, sort=True):
        x, y = as_number(part[a]), as_number(part[target])
        if x is not None and y is not None and len(part) >= 8 and x.nunique() > 1 and y.nunique() > 1:
            fit = stats.linregress(x, y)
            found.append({"level": str(level), "slope": float(fit.slope), "p": float(fit.pvalue), "n": len(part)})
    return found


def group_means(table: pd.DataFrame, target: str, name: str) -> dict[str, Any]:
    """Means of the target by level and the p-value of their difference (Welch's t-test, or ANOVA)."""
    parts = {str(level): part[target] for level, part in table.groupby(name, sort=True) if len(part) >= 2}
    values = list(parts.values())
    if len(values) < 2:
        return {}
    p = stats.ttest_ind(*values, equal_var=False)[1] if len(values) == 2 else stats.f_oneway(*values)[1]
    return {"column": name, "means": {level: float(part.mean()) for level, part in parts.items()}, "p": finite(p)}


def finite(value: float) -> float:
    """A number that JSON can carry; 1 for an undefined p-value."""
    return float(value) if math.isfinite(value) else 1.0


def screen(table: pd.DataFrame, target: str, usable: list[str]) -> list[str]:
    """The two columns most associated with the target, for goals that do not name them."""
    y = as_number(table[target])
    ranked: list[tuple[float, str]] = []
    for name in usable[:300]:
        x = as_number(table[name])
        both = y.notna() & table[name].notna()
        if both.sum() < 20 or table.loc[both, name].nunique() < 2 or y[both].nunique() < 2:
            continue
        if x is not None:
            r, p = stats.pearsonr(x[both], y[both])
            p = 1.0 if abs(r) > 0.999 else p
        else:
            p = group_means(table.loc[both].assign(**{target: y[both]}), target, name).get("p", 1.0)
        ranked.append((finite(p), name))
    return [name for p, name in sorted(ranked)[:2] if p < 0.01 / max(1, len(ranked))]


def analyse(table: pd.DataFrame, plan: dict[str, Any]) -> dict[str, Any]:
    """Find the form that describes the target best, and its numbers."""
    target, predictors = plan["target"], list(plan["predictors"])
    if as_number(table[target]) is None:
        swap = next((name for name in predictors if as_number(table[name]) is not None), None)
        if swap is None or table[target].nunique() > 12:
            return cross_table(table, target, predictors)
        predictors = [target if name == swap else name for name in predictors]
        target = swap
    small = [name for name in plan["usable"] if name != target and name in table]
    if len(predictors) < 2:
        predictors += [name for name in screen(table, target, [n for n in small if n not in predictors])]
    y = as_number(table[target])
    rows = table.assign(**{target: y})[[target, *predictors]].dropna()
    while len(rows) < 12 and len(predictors) > 1:
        predictors.remove(max(predictors, key=lambda name: table[name].isna().sum()))
        rows = table.assign(**{target: y})[[target, *predictors]].dropna()
    predictors = [name for name in predictors if rows[name].nunique() > 1]
    if len(rows) < 12 or rows[target].nunique() < 2 or not predictors:
        return {"kind": "none", "target": target, "rows": len(rows), "reason": "too few complete rows that vary"}
    moderators = [n for n in small if n not in predictors and 2 <= table.loc[rows.index, n].dropna().nunique() <= 6][:30]
    full = rows.join(table[moderators])
    for name in moderators:
        full[name] = full[name].map(lambda value: "missing" if pd.isna(value) else f"{value}".removesuffix(".0"))
    return describe(full, target, predictors, moderators) | {"target": target, "rows": len(rows)}


def describe(table: pd.DataFrame, target: str, predictors: list[str], moderators: list[str]) -> dict[str, Any]:
    """Choose a form, fit it and collect what there is to tell about it."""
    y = table[target].to_numpy(float)
    forms = candidates(y, table, predictors, moderators)
    marks = [bic(y, form) + (form.margin if form.kind != "linear" else 0.0) for form in forms]
    form = forms[marks.index(min(marks))]
    fit = OLS(y, np.column_stack([np.ones(len(y)), *form.design.values()])).fit()
    labels = list(form.design)
    terms = [
        {"name": label, "coef": finite(coef), "p": finite(p)}
        for label, coef, p in zip(labels, fit.params[1:], fit.pvalues[1:], strict=True)
    ]
    found = {"kind": form.kind, "r2": finite(fit.rsquared), "p": finite(fit.f_pvalue), "terms": terms, **form.facts}
    found["correlations"] = {
        name: [float(value) for value in stats.pearsonr(x, y)]
        for name in predictors
        if (x := as_number(table[name])) is not None and x.nunique() > 1
    }
    found["groups"] = [m for name in predictors if table[name].nunique() <= 12 and (m := group_means(table, target, name))]
    for name in predictors:
        if as_number(table[name]) is not None:
            found.setdefault("range", {})[name] = [float(as_number(table[name]).min()), float(as_number(table[name]).max())]
    if form.kind == "threshold":
        above = table[form.facts["column"]] > form.facts["cut"]
        found |= {"below": float(y[~above].mean()), "above": float(y[above].mean())}
    if form.kind == "interaction":
        found["slopes"] = slopes(table, target, form.facts["a"], form.facts["b"])
        sure = [entry for entry in found["slopes"] if entry["p"] < 0.01]
        if len(found["slopes"]) > 1 and len(sure) == 1 and all(e["p"] > 0.05 for e in found["slopes"] if e not in sure):
            found |= {"kind": "subgroup", "subgroup": sure[0]["level"]}
    return found


def cross_table(table: pd.DataFrame, target: str, predictors: list[str]) -> dict[str, Any]:
    """Two columns of text: how their levels go together (chi-squared test)."""
    for name in predictors:
        if 2 <= table[name].nunique() <= 12 and 2 <= table[target].nunique() <= 12:
            counts = pd.crosstab(table[name], table[target])
            p = finite(stats.chi2_contingency(counts)[1])
            most = {str(level): str(commonest) for level, commonest in counts.idxmax(axis=1).items()}
            rows = int(counts.to_numpy().sum())
            return {"kind": "levels", "target": target, "column": name, "p": p, "rows": rows, "most": most}
    return {"kind": "none", "target": target, "rows": len(table), "reason": "the columns are free text"}


def report(frames: dict[str, pd.DataFrame], plan: dict[str, Any]) -> None:
    """Print the findings: for people, then in one line for the analyst."""
    found = analyse(frames[plan["file"]], plan)
    for name, value in found.items():
        print(f"{name}: {value}")
    # Put together here, so that this source, echoed back, is not read as a finding.
    print("DISCOVERY" + "-FINDINGS", json.dumps(found))
