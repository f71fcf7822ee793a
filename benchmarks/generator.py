"""Generated sets beside the released DB-SYNTH (train), and how long the generator takes.

What needs the variables of a gold hypothesis is measured on the 183 released tasks of train and dev for which they are
public.
"""

import csv
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
from measure import DATA, in_fresh_process, own_folders, require_data, show

SEEDS = range(5)
DOMAINS = 20
LEVELS = range(1, 5)
MIN_GAIN = 0.01
"""The greedy solver stops if no column adds this share of the target's variance."""

Measured = dict[str, Any]  # one task; what is unknown is missing
Key = tuple[str, str, int, int]


def measured(path: Path) -> Measured:
    """Measure the task of a metadata file."""
    from inspect_discoverybench.dataset.text_file import read_text

    [query, *_] = json.loads(read_text(path))["queries"]
    table = pd.read_csv(path.with_name("data.csv"))
    task: Measured = {
        "key": (path.parts[-3], path.parts[-2], int(path.stem.partition("_")[2]), query["qid"]),
        "columns": table.shape[1],
        "rows": table.shape[0],
        "missing": table.isna().to_numpy().mean(),
        "difficulty": query["difficulty"],
    }
    target = query.get("target_col")
    if target not in table or table[target].nunique() < 2:
        return task

    gold = [name for name in query["relevant_cols"] if name in table and name != target]
    task["variables"] = len(gold)
    task["position"] = list(table).index(target) / (table.shape[1] - 1)
    if "masked_facet" in query:
        # Our own expression has passed the allow-list.
        result = pd.Series(eval(query["true_hypothesis_expr"], {"df": table, "np": np}))
        task["agreement"] = result.corr(table[target], method="spearman")
    return task | explained_without_gold(table.dropna(subset=[target]), target, gold)


def explained_without_gold(table: pd.DataFrame, target: str, gold: Sequence[str]) -> Measured:
    """What the columns of a table say about a target, beside those of its gold hypothesis."""
    outcome = terms_of(table[target])[:, 0]
    terms = {name: terms_of(table[name]) for name in map(str, table) if name != target}
    others = [name for name in terms if name not in gold]
    alone = {name: explained(outcome, [terms[name]]) for name in terms}
    # Ours name a second record of a column after it.
    originals = [name for name in terms if name.removesuffix("_2") not in terms or not name.endswith("_2")]
    return {
        "without gold": explained(outcome, [terms[name] for name in others]),
        "other is best": max(alone[name] for name in others) > max((alone[name] for name in gold), default=0),
        "gold share": len(gold) / len(originals),
        "copied is gold": [name in gold for name in originals if f"{name}_2" in terms],
        "greedy F1": f1(greedy(outcome, terms), gold),
    }


def terms_of(column: "pd.Series[Any]") -> Any:
    """The terms of a column in a linear model: the ranks of numbers and their squares, or indicators of labels."""
    if pd.api.types.is_numeric_dtype(column) and column.nunique() > 2:
        ranks = column.fillna(column.median()).rank()
        linear = ((ranks - ranks.mean()) / ranks.std()).to_numpy()
        return np.column_stack([linear, linear**2])
    labels = column.astype(str).to_numpy()
    return np.column_stack([labels == label for label in pd.unique(labels)[:12]]).astype(float)


def explained(outcome: Any, terms: Sequence[Any]) -> float:
    """The share of the variance that a linear model explains."""
    design = np.column_stack([np.ones(len(outcome)), *terms])
    weights = np.linalg.lstsq(design, outcome, rcond=None)[0]
    residual = outcome - design @ weights
    return float(1 - residual.var() / outcome.var())


def greedy(outcome: Any, terms: Mapping[str, Any]) -> list[str]:
    """The columns that forward selection finds: the best one, then the best one beside it, and so on."""
    chosen: list[str] = []
    reached = 0.0
    while len(chosen) < len(terms):
        shares = {}
        for name in terms.keys() - chosen:
            shares[name] = explained(outcome, [terms[other] for other in (*chosen, name)])
        best = max(shares, key=shares.__getitem__)
        if shares[best] < reached + MIN_GAIN:
            break
        chosen.append(best)
        reached = shares[best]
    return chosen


def f1(found: Sequence[str], gold: Sequence[str]) -> float:
    """The F1 score of the columns that were found."""
    both = len(set(found) & set(gold))
    return 2 * both / (len(found) + len(gold))


def generate(out: str, seed: int) -> tuple[list[Measured], set[str], float]:
    """Generate a set with the baseline author: its tasks, its gold hypotheses and the seconds."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    start = time.perf_counter()
    folder = Path(out, str(seed))
    task = synth_generate(out=str(folder), seed=seed, domains=DOMAINS, sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=2)
    if log.status != "success":
        sys.exit(f"The set could not be generated: {log.error and log.error.message}")
    seconds = time.perf_counter() - start
    golds = set(pd.read_csv(folder / "answer_key.csv")["gold_hypo"])
    return [measured(path) for path in sorted(folder.glob("*/metadata_*.json"))], golds, seconds


def released(root: str, split: str) -> list[Measured]:
    """All tasks of a released split, with the recorded rank correlations of gold expressions with their targets."""
    agreements: dict[Key, float] = {}
    recorded = files("inspect_discoverybench.dataset").joinpath("synth_targets.csv").read_text("utf-8")
    for row in csv.DictReader(recorded.splitlines()):
        if row["measure"] == "spearman" and row["agreement"]:
            key = (row["split"], row["folder"], int(row["metadata"]), int(row["query"]))
            agreements[key] = float(row["agreement"])

    tasks = [measured(path) for path in sorted(Path(root, "discoverybench/synth", split).glob("*/metadata_*.json"))]
    for task in tasks:
        if task["key"] in agreements:
            task["agreement"] = agreements[task["key"]]
    return tasks


def distribution(tasks: Sequence[Measured]) -> dict[str, str]:
    """What the table says about data files and difficulties."""
    first = [task for task in tasks if task["key"][2] == 0]
    rows = {
        "tasks": str(len(tasks)),
        "columns (median)": f"{median(task['columns'] for task in first):g}",
        "rows (median)": f"{median(task['rows'] for task in first):g}",
        "missing cells": f"{mean(task['missing'] for task in first):.2%}",
        "rank correlation of gold and target (median)": f"{median(known(tasks, 'agreement')):.2f}",
    }
    for level in LEVELS:
        rows[f"difficulty {level}"] = f"{mean(task['difficulty'] == level for task in tasks):.1%}"
    return rows


def gold_facts(tasks: Sequence[Measured]) -> dict[str, str]:
    """What the table says about the variables of gold hypotheses."""
    positions = known(tasks, "position")
    copied = [is_gold for task in known(tasks, "copied is gold") for is_gold in task]
    rows = {
        "variables per gold (median)": f"{median(known(tasks, 'variables')):g}",
        "R² without gold columns (median)": f"{median(known(tasks, 'without gold')):.2f}",
        "another column predicts better": f"{mean(known(tasks, 'other is best')):.1%}",
        "place of the target, 0 to 1 (mean)": f"{mean(positions):.2f}",
        "target is the last column": f"{positions.count(1) / len(positions):.1%}",
        "P(gold)": f"{mean(known(tasks, 'gold share')):.3f}",
        "P(gold), of columns with a second record": f"{mean(copied):.3f}" if copied else "–",
    }
    for level in LEVELS:
        scores = known([task for task in tasks if task["difficulty"] == level], "greedy F1")
        rows[f"greedy F1, difficulty {level}"] = f"{mean(scores):.2f} ({len(scores)})" if scores else "–"
    return rows


def known(tasks: Sequence[Measured], name: str) -> list[Any]:
    """A measure of the tasks that have it."""
    return [task[name] for task in tasks if name in task]


def main() -> None:
    """Generate the sets one after the other, print the table."""
    require_data()
    with own_folders() as folder:
        sets = [in_fresh_process(generate, str(folder), seed) for seed in SEEDS]
        train, dev = (in_fresh_process(released, os.environ[DATA], split) for split in ("train", "dev"))

    everything = [task for tasks, _, _ in sets for task in tasks]
    generated = [*(tasks for tasks, _, _ in sets), everything]
    columns = [distribution(train) | gold_facts([*train, *dev])]
    columns += [distribution(tasks) | gold_facts(tasks) for tasks in generated]
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]

    golds = [gold for _, golds, _ in sets for gold in golds]
    shared = len(golds) - len(set(golds))
    seconds = 1_000 * sum(seconds for _, _, seconds in sets) / len(everything)
    header = ("", "released", *(f"seed {seed}" for seed in SEEDS), "all")
    note = f"Gold hypotheses that two seeds share: {shared}. Seconds per 1,000 tasks: {seconds:.0f}."
    show("Generated and released sets", header, rows, note)


if __name__ == "__main__":
    main()
