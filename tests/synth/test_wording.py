"""Gold hypotheses: each of their statements is true of nearly all rows."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.synth.authoring import RIG, generate, leaf

COLUMNS: dict[str, dict[str, Any]] = {"A": leaf("area", 4, 20), "B": leaf("mass", -10, 10), "H": leaf("drag", 0, 6)}
COLUMNS |= {"R": RIG, "C": leaf("crew", 0, 2, type="integer"), "L": leaf("local", type="boolean")}
EXPRESSIONS = (
    "10 * (A - 12) * (H - 3)",
    "50 + (1 - 2 * L) * 6 * B",
    "10 + np.where(R == 'sloop', 5 + 20 * A, 5 - 2 * A)",
    "np.where(~(R == 'sloop'), 5 + 20 * A, 5 - 2 * A)",
    "(R == 'sloop') * (5 + 20 * A) + (R != 'sloop') * (5 - 2 * A)",
    "np.where(R == 'sloop', 5 + 20 * A, np.where(R == 'ketch', 100, 5 - 2 * A))",
    "5 + 2 * np.where(R == 'ketch', 8 + 9 * C, 15 - C) - 3 * H",
    "np.where((R == 'sloop') | (H > 4), 5 + 20 * A, 5 - 2 * A)",
    "10 * (A - 12) ** 2 * (H - 3)",
    "5 * A - (A - 2 * H) ** 2",
    "np.maximum(10 * A, 30 * H) + np.where(C == 1, 60, 0)",
    "np.sqrt(A) * 70 - 17 * H ** 2 + 60 * (B > 0)",
)


def test_golds_are_true(tmp_path: Path) -> None:
    roots, golds = [], ""
    for number, text in enumerate(EXPRESSIONS):
        expression = re.sub(r"\b[A-Z]\b", lambda match: f"df['{COLUMNS[match[0]]['name']}{number}']", text)  # noqa: B023
        children = [{**one, "name": f"{one['name']}{number}"} for letter, one in COLUMNS.items() if letter in text]
        target = leaf(f"speed{number}", -1e5, 1e5, goal=f"What sets speed {number}?")
        roots.append({**target, "expression": expression, "children": children})
    tree = {"domain": "sailing", "description": "One boat in each row.", "context": "Among boats", "roots": roots}
    (tmp_path / "tree.json").write_text(json.dumps(tree), "utf-8")
    generate(tmp_path / "set", "none", trees=str(tmp_path / "tree.json"), rows=500)
    for number in range(len(EXPRESSIONS)):
        path = tmp_path / "set" / f"sailing_{number}_0" / "metadata_0.json"
        [query] = json.loads(path.read_text("utf-8"))["queries"]
        table = pd.read_csv(path.with_name("data.csv")).dropna(subset=query["relevant_cols"])
        golds += re.sub(r" \(by about [\d.]+( over most of its range)?\)", "", query["true_hypothesis"].rstrip("."))
        for clause in golds.partition(f"{query['target_col']} ")[2].split("; "):
            check(clause, table, query["true_hypothesis_expr"])
    for form in (
        "with the square root of the area11",
        "decreases quadratically",
        "increases at a threshold of the mass",
    ):
        assert form in golds


def check(clause: str, table: pd.DataFrame, expression: str) -> None:
    """Check a clause, such as "increases with the area where the rig is sloop and decreases with it otherwise"."""

    def curves(column: str, *labels: Any) -> Any:
        grid = labels or table[column].quantile(np.linspace(0.05, 0.95, 9), "nearest")
        return np.array([eval(expression, {"df": table.assign(**{column: one}), "np": np}) for one in grid], float)

    if found := re.fullmatch(r"the effect of the (\w+) (\w+) with the (\w+)", clause):
        sizes = np.ptp(curves(found[1], *(["sloop", "yawl"] if "rig" in found[1] else [])), axis=0)
        trend = sizes.std() if found[2] == "changes" else np.corrcoef(sizes, table[found[3]])[0, 1]
        assert (-trend if found[2] == "shrinks" else trend) > 0.2, (clause, expression)
        return
    columns, pair, rest = list[str](), list[Any](), np.ones(len(table), bool)
    for part in re.split(r"(?:, | and )(?=increases|decreases|depends|does|is (?!one of))", clause):
        group = r"(.+?)(?: (?:where|if) the (\w+) is ((?:(?! than ).)+)| otherwise)?"
        [(statement, partner, level)] = re.findall(f"^{group}$", part)
        if named := re.findall(r"the ([a-z]+\d+)", statement):
            labels = re.search(r" is (\w+) than where it is (\w+)", statement)
            columns, pair = (
                named,
                [{"true": True, "false": False}.get(labels[n], labels[n]) for n in (2, 1)] if labels else [],
            )
        rows, values = rest, table.get(partner)
        if level in ("low", "high"):
            ends = [values <= values.quantile(0.1), values >= values.quantile(0.9)]
            rows, rest = ends if level == "low" else ends[::-1]
        elif level:
            rows = values.astype(str).str.lower().isin(re.findall(r"\w+", level)).to_numpy()
            rest = rest & ~rows
        for curve in (curves(column, *pair)[:, rows] for column in columns):
            up, spread, ends = curve[-1] - curve[0], np.ptp(curve, axis=0), curve[[0, -1]]
            truths = {"increases|higher": up > 0, "decreases|lower": up < 0, "does not|the same": spread < 1e-6}
            truths |= {"highest": curve.max(axis=0) > ends.max(axis=0), "lowest": curve.min(axis=0) < ends.min(axis=0)}
            [true] = [true for verbs, true in {**truths, "depends": up == up}.items() if re.search(verbs, statement)]
            assert true.mean() >= 0.9, (part, expression)
