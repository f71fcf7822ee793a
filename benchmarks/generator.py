"""Generated sets beside the released DB-SYNTH (train), and how long the generator takes."""

import csv
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from measure import DATA, in_fresh_process, own_folders, require_data, show

SEEDS = range(5)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
Measured = dict[str, Any]  # one task; what is unknown is missing


def measured(path: Path) -> Measured:
    """Measure the task of a metadata file."""
    import numpy as np
    import pandas as pd

    from inspect_discoverybench.dataset.studies import synth_targets
    from inspect_discoverybench.dataset.table import read_text

    [query, *_] = json.loads(read_text(path))["queries"]
    table = pd.read_csv(path.with_name("data.csv"))
    number = int(path.stem.rpartition("_")[2])
    task: Measured = {
        "first": number == 0,
        "columns": table.shape[1],
        "rows": table.shape[0],
        "missing": float(table.isna().to_numpy().mean()),
        "difficulty": query["difficulty"],
        "numbers": len(NUMBER.findall(query["true_hypothesis"])),
    }
    target, used, values = query.get("target_col"), query.get("relevant_cols"), table.select_dtypes("number")
    known = synth_targets().get(("train", path.parent.name, number, query["qid"]))
    if known and known[1]["gold_agreement_measure"] == "spearman":
        task["agreement"] = known[1]["gold_agreement"]
    if used:
        task["variables"] = len(set(used) - {target})
    if used and target in values and values[target].nunique() > 1:
        others = values.loc[:, values.nunique() > 1].drop(columns=used, errors="ignore")
        task["other"] = others.corrwith(values[target], method="spearman").abs().max()
        if known is None:  # our own expression, from the allow-list
            result = pd.Series(eval(query["true_hypothesis_expr"], {"df": table, "np": np}))
            task["agreement"] = result.corr(values[target], method="spearman")
            task["statements"] = [*statements(query, table.dropna(subset=used))]
    return task


def statements(query: dict[str, Any], table: Any) -> Iterator[tuple[str, bool]]:
    """The statements of a generated gold hypothesis, and whether each is true of nine tenths of its rows."""
    import numpy as np

    from inspect_discoverybench.synth.expression import Expression

    gold = re.sub(r" \(by about [\d.]+(?: over most of its range)?\)", "", query["true_hypothesis"].rstrip("."))
    for name in query["relevant_cols"]:
        gold = re.sub(rf"\bthe {name.replace('_', ' ')}\b", f"the {name}", gold)
    text, whole = gold.partition(f"the {query['target_col']} ")[2], Expression.parse(query["true_hypothesis_expr"])
    condition = whole.branches[0].text if whole.branches else "True"
    inside = np.full(len(table), eval(condition, {"df": table, "np": np})).astype(bool)
    relations = whole.branches[1:] if whole.branches else (whole,)
    for part, relation, rows in zip(text.split("; elsewhere it "), relations, (inside, ~inside), strict=False):
        for clause in part.split("; ") if relation.columns else ():
            yield from checked(clause.removeprefix("it "), table[rows], relation.text)


def checked(clause: str, table: Any, expression: str) -> Iterator[tuple[str, bool]]:
    """Check a clause, such as "increases with the area where the rig is sloop and decreases with it otherwise"."""
    import numpy as np

    def curves(column: str, *labels: Any) -> Any:
        is_number = table[column].dtype.kind in "fi"
        grid = table[column].quantile(np.linspace(0.05, 0.95, 9), "nearest") if is_number else table[column].unique()
        return np.array(
            [eval(expression, {"df": table.assign(**{column: one}), "np": np}) for one in labels or grid], float
        )

    if found := re.fullmatch(r"the effect of the (\w+) (\w+) with the (\w+)", clause):
        sizes = np.ptp(curves(found[1]), axis=0)
        trend = sizes.std() / sizes.mean() if found[2] == "changes" else np.corrcoef(sizes, table[found[3]])[0, 1]
        yield clause, bool((-trend if found[2] == "shrinks" else trend) > 0.2)
        return
    columns, pairs, rest = list[str](), list[Any](), np.ones(len(table), bool)
    for part in re.split(r"(?:, | and )(?=increases|decreases|depends|does|is (?!one of))", clause):
        group = r"(.+?)(?: (?:where|if) the (\w+) is ((?:(?! than ).)+)| otherwise)?"
        [(statement, partner, level)] = re.findall(f"^{group}$", part)
        if named := [name for name in re.findall(r"the (\w+)", statement) if name in table]:
            columns = named
            pairs = [
                [{"true": True, "false": False}.get(label, label) for label in reversed(pair)]
                for pair in re.findall(r" is (\w+) than where it is (\w+)", statement)
            ]
        rows, values = rest, table.get(partner)
        if level in ("low", "high"):
            ends = [values <= values.quantile(0.1), values >= values.quantile(0.9)]
            rows, rest = ends if level == "low" else ends[::-1]
        elif level:
            rows = values.astype(str).str.lower().isin(re.findall(r"\w+", level)).to_numpy()
            rest = rest & ~rows
        for number, column in enumerate(columns):
            curve = curves(column, *(pairs[number] if pairs else ()))[:, rows]
            up, spread, (first, last) = curve[-1] - curve[0], np.ptp(curve, axis=0), curve[[0, -1]]
            flat = spread <= 1e-6 * spread.max()
            truths = {"increases|higher": (up > 0) | flat, "decreases|lower": (up < 0) | flat, "does not|same": flat}
            truths["highest"] = (curve.max(axis=0) > np.maximum(first, last)) | flat
            truths["lowest"] = (curve.min(axis=0) < np.minimum(first, last)) | flat
            true = [truth.mean() >= 0.9 for verbs, truth in truths.items() if re.search(verbs, statement)]
            yield part, all(true)


def generate(out: str, seed: int) -> tuple[list[Measured], set[str], float]:
    """Generate a set with the baseline author: its tasks, its gold hypotheses and the seconds."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    start, folder = time.perf_counter(), Path(out, str(seed))
    task = synth_generate(out=str(folder), seed=seed, sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=2)
    if log.status != "success":
        sys.exit(f"The set could not be generated: {log.error and log.error.message}")
    seconds = time.perf_counter() - start
    with (folder / "answer_key.csv").open(encoding="utf-8", newline="") as file:
        golds = {row["gold_hypo"] for row in csv.DictReader(file)}
    return [*map(measured, sorted(folder.glob("*/metadata_0.json")))], golds, seconds


def released(root: str) -> list[Measured]:
    """All released tasks."""
    return [*map(measured, sorted(Path(root, "discoverybench/synth/train").glob("*/metadata_*.json")))]


def figures(tasks: Sequence[Measured]) -> dict[str, float]:
    """What the table says about some tasks: about the first of each data file, or all that are known."""
    first = [task for task in tasks if task["first"]]
    middle = {
        name: median(task[name] for task in tasks if name in task) for name in ("variables", "agreement", "other")
    }
    shares = {level: sum(task["difficulty"] == level for task in first) / len(first) for level in range(1, 5)}
    checks = [is_true for task in tasks for _, is_true in task.get("statements", ())]
    return {
        "tasks": len(first),
        "columns (median)": median(task["columns"] for task in first),
        "rows (median)": median(task["rows"] for task in first),
        "variables per gold (median)": middle["variables"],
        **{f"difficulty {level}": share for level, share in shares.items()},
        "missing cells": sum(task["missing"] for task in first) / len(first),
        "golds with two or more numbers": sum(task["numbers"] >= 2 for task in first) / len(first),
        "true statements of golds": sum(checks) / len(checks) if checks else float("nan"),
        "rank correlation of gold and target (median)": middle["agreement"],
        "largest of another column (median)": middle["other"],
    }


def shown(name: str, figure: float) -> str:
    """A figure as the table shows it."""
    form = ".2%" if "missing" in name else ".1%" if "golds" in name or "difficulty" in name else "g"
    return "" if figure != figure else f"{figure:{'.2f' if 'correlation' in name or 'other' in name else form}}"


def main() -> None:
    """Generate the sets one after the other, print the table."""
    require_data()
    with own_folders() as folder:
        sets = [in_fresh_process(generate, str(folder), seed) for seed in SEEDS]
        tables = [*map(figures, [in_fresh_process(released, os.environ[DATA]), *(tasks for tasks, _, _ in sets)])]
    shared = sum(len(golds) for _, golds, _ in sets) - len(set().union(*(golds for _, golds, _ in sets)))
    seconds = 1_000 * sum(one for _, _, one in sets) / sum(len(tasks) for tasks, _, _ in sets)
    rows = [(name, *(shown(name, table[name]) for table in tables)) for name in tables[0]]
    note = f"Gold hypotheses that two seeds share: {shared}. Seconds per 1,000 tasks: {seconds:.0f}."
    show("Generated and released sets", ("", "released", *(f"seed {seed}" for seed in SEEDS)), rows, note)


if __name__ == "__main__":
    main()
