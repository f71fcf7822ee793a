"""The baseline's second cell: fit the plausible forms of a relationship and print the one the data prefer.

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

# BIC by which a form must beat the plain linear one; below it the simpler form is told.
MARGIN = 8.0


@dataclass(frozen=True)
class Form:
    """One candidate: its kind, design columns, how many numbers were searched for it, and facts to tell."""

    kind: str
    design: dict[str, np.ndarray]
    searched: int = 0
    facts: dict[str, Any] = field(default_factory=dict)
    margin: float = MARGIN

    def finite(self) -> bool:
        """Whether no square, product or ratio went beyond what a float holds."""
        return all(bool(np.isfinite(values).all()) for values in self.design.values())


def as_number(column: pd.Series) -> pd.Series | None:
    """Numbers as they are, two levels as 0 and 1, anything else as None."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.astype(float)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype(float)
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
    design = np.column_stack(list(form.design.values()))
    design = design - design.mean(axis=0)
    spread = design.std(axis=0)
    design = design[:, spread > 0] / spread[spread > 0]
    centred = y - y.mean()
    # The normal equations of standardised columns: a scan fits hundreds of forms on 12,000 rows.
    weights = np.linalg.pinv(design.T @ design, hermitian=True) @ (design.T @ centred)
    left = centred - design @ weights
    unexplained = max(float(left @ left), 1e-9 * float(centred @ centred))
    parameters = len(form.design) + form.searched
    return len(y) * math.log(unexplained / len(y)) + parameters * math.log(len(y))


def candidates(y: np.ndarray, table: pd.DataFrame, predictors: list[str], moderators: list[str]) -> list[Form]:
    """Every form that is tried; the plain linear one is first."""
    blocks = {name: encode(name, table[name]) for name in predictors}
    linear = {label: values for block in blocks.values() for label, values in block.items()}
    many = [name for name in predictors if table[name].nunique() >= 5 and len(blocks[name]) == 1]
    numbers = {name: blocks[name][name] for name in many if name in blocks[name]}
    forms = [Form("linear", linear)]
    forms += bends(y, linear, numbers)
    forms += ratios(linear, numbers)
    single = {name: values for name, block in blocks.items() if len(block) == 1 for values in block.values()}
    pairs = [(a, b) if a in numbers or b not in single else (b, a) for a, b in combinations(predictors, 2)]
    for a, b in [*pairs, *((a, b) for a in numbers for b in moderators)]:
        if a in single:
            other = encode(b, table[b])
            product = {f"{a} x {level}": single[a] * values for level, values in other.items()}
            margin = MARGIN if b in predictors else MARGIN + 10
            forms.append(Form("interaction", linear | other | product, 0, {"a": a, "b": b}, margin))
    return forms


def bends(y: np.ndarray, linear: dict[str, np.ndarray], numbers: dict[str, np.ndarray]) -> list[Form]:
    """For each number: a quadratic form, and a step at the threshold that fits best."""
    forms = []
    for name, x in numbers.items():
        forms.append(Form("quadratic", linear | {f"{name}^2": x**2}, 0, {"column": name}))
        others = {label: values for label, values in linear.items() if label != name}
        cuts = [float(cut) for cut in np.unique(np.quantile(x, np.linspace(0.1, 0.9, 41))) if (x > cut).any()]
        steps = [
            Form("threshold", others | {f"{name} > {cut:g}": (x > cut) * 1.0}, 1, {"column": name, "cut": cut})
            for cut in cuts
        ]
        forms += sorted(steps, key=lambda form: bic(y, form))[:1]
    return forms


def ratios(linear: dict[str, np.ndarray], numbers: dict[str, np.ndarray]) -> list[Form]:
    """For each pair of positive numbers: their ratio in place of the two."""
    forms = []
    for top, bottom in permutations(numbers, 2):
        if numbers[bottom].min() > 0 and numbers[top].min() >= 0:
            others = {label: values for label, values in linear.items() if label not in (top, bottom)}
            ratio = {f"{top} / {bottom}": numbers[top] / numbers[bottom]}
            forms.append(Form("ratio", others | ratio, 1, {"top": top, "bottom": bottom}))
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
    return {
        "column": name,
        "means": {level: float(part.mean()) for level, part in parts.items()},
        "p": finite(p),
    }


def finite(value: float) -> float:
    """A number that JSON can carry; 1 for an undefined p-value."""
    return float(value) if math.isfinite(value) else 1.0


def screen(table: pd.DataFrame, target: str, usable: list[str]) -> list[str]:
    """The two columns most associated with the target, for goals that do not name them."""
    ranked: list[tuple[float, str]] = []
    for name in usable:
        both = table[[target, name]].dropna()
        if len(both) < 20 or both[name].nunique() < 2 or both[target].nunique() < 2:
            continue
        x = as_number(both[name])
        if x is not None:
            r, p = stats.pearsonr(x, both[target])
            p = 1.0 if abs(r) > 0.999 else p  # the target under another name
        else:
            p = group_means(both, target, name).get("p", 1.0)
        ranked.append((finite(p), name))
    return [name for p, name in sorted(ranked)[:2] if p < 0.01 / len(ranked)]


def roles(table: pd.DataFrame, plan: dict[str, Any]) -> tuple[str, list[str]]:
    """Target and predictors; a target of text changes places with the first predictor that is a number."""
    target, predictors = plan["target"], list(plan["predictors"])
    if as_number(table[target]) is None and table[target].nunique() <= 12:
        number = next((name for name in predictors if as_number(table[name]) is not None), None)
        if number is not None:
            return number, [target if name == number else name for name in predictors]
    return target, predictors


def complete_rows(table: pd.DataFrame, target: str, predictors: list[str]) -> pd.DataFrame:
    """Rows without gaps in target and predictors; the emptiest predictors are dropped if need be."""
    kept = list(predictors)
    rows = table[[target, *kept]].dropna()
    while len(rows) < 12 and len(kept) > 1:
        kept.remove(max(kept, key=lambda name: table[name].isna().sum()))
        rows = table[[target, *kept]].dropna()
    usable = [name for name in kept if 2 <= rows[name].nunique() <= 12 or as_number(rows[name]) is not None]
    return rows[[target, *(name for name in usable if rows[name].nunique() > 1)]]


def analyse(table: pd.DataFrame, plan: dict[str, Any]) -> dict[str, Any]:
    """Find the form that describes the target best, and its numbers."""
    target, predictors = roles(table, plan)
    y = as_number(table[target])
    if y is None:
        return cross_table(table, target, predictors)
    table = table.assign(**{target: y})
    others = [name for name in plan["usable"] if name != target and name not in predictors]
    if len(predictors) < 2:
        predictors += screen(table, target, others)
    rows = complete_rows(table, target, predictors)
    predictors = [str(name) for name in rows if name != target]
    if len(rows) < 12 or rows[target].nunique() < 2 or not predictors:
        reason = "too few complete rows that vary"
        return {"kind": "none", "target": target, "rows": len(rows), "reason": reason}
    aside = table.loc[rows.index, [name for name in others if name not in predictors]]
    few = [str(name) for name in aside if 2 <= aside[name].nunique() <= 6][:30]
    named = {name: aside[name].map(level_name) for name in few}
    return describe(rows.assign(**named), target, predictors, few) | {"target": target, "rows": len(rows)}


def level_name(value: Any) -> str:
    """A level as text, so that numbers and gaps make levels too."""
    return "missing" if pd.isna(value) else f"{value}".removesuffix(".0")


def describe(table: pd.DataFrame, target: str, predictors: list[str], moderators: list[str]) -> dict[str, Any]:
    """Choose a form, fit it and collect what there is to tell about it."""
    y = table[target].to_numpy(float)
    forms = [form for form in candidates(y, table, predictors, moderators) if form.finite()]
    marks = [bic(y, form) + (form.margin if form.kind != "linear" else 0.0) for form in forms]
    form = forms[marks.index(min(marks))]
    fit = OLS(y, np.column_stack([np.ones(len(y)), *form.design.values()])).fit()
    terms: list[dict[str, Any]] = [
        {"name": label, "coef": finite(coef), "p": finite(p)}
        for label, coef, p in zip(form.design, fit.params[1:], fit.pvalues[1:], strict=True)
    ]
    terms = sorted(terms, key=lambda term: term["p"])[:12]
    found = {
        "kind": form.kind,
        "r2": finite(fit.rsquared),
        "p": finite(fit.f_pvalue),
        "terms": terms,
        **form.facts,
    }
    numbers = {name: x for name in predictors if (x := as_number(table[name])) is not None}
    found["range"] = {name: [float(x.min()), float(x.max())] for name, x in numbers.items()}
    found["correlations"] = {name: [finite(value) for value in stats.pearsonr(x, y)] for name, x in numbers.items()}
    few = [name for name in predictors if table[name].nunique() <= 12]
    found["groups"] = [means for name in few if (means := group_means(table, target, name))]
    if form.kind == "threshold":
        above = table[form.facts["column"]] > form.facts["cut"]
        found |= {"below": float(y[~above].mean()), "above": float(y[above].mean())}
    if form.kind == "interaction":
        found["slopes"] = slopes(table, target, form.facts["a"], form.facts["b"])
        sure = [entry for entry in found["slopes"] if entry["p"] < 0.01]
        rest = [entry for entry in found["slopes"] if entry["p"] >= 0.01]
        halves = " " in found["slopes"][0]["level"] if found["slopes"] else True
        if not halves and rest and len(sure) == 1 and all(entry["p"] > 0.05 for entry in rest):
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


def brief(value: Any) -> Any:
    """Six significant digits are enough, and keep the printed line short."""
    if isinstance(value, dict):
        return {key: brief(item) for key, item in value.items()}
    if isinstance(value, list):
        return [brief(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def report(frames: dict[str, pd.DataFrame], plan: dict[str, Any]) -> None:
    """Print the findings: the gist for people, then all of it in one line for the analyst."""
    found = brief(analyse(frames[plan["file"]], plan))
    print(f"{found['target']}: {found['kind']} form, {found['rows']} rows, R2 {found.get('r2', 0.0):.3f}")
    # Put together here, so that this source, echoed back, is not read as a finding.
    print("DISCOVERY" + "-FINDINGS", json.dumps(found))
