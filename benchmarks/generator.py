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
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import mean, median
from typing import Any

from measure import DATA, in_fresh_process, own_folders, require_data, show

SEEDS = range(5)
LEVELS = range(1, 5)
MIN_GAIN = 0.01
"""The greedy solver stops if no column adds this share of the target's variance."""

Measured = dict[str, Any]  # one task; what is unknown is missing


def measured(path: Path) -> Measured:
    """Measure the task of a metadata file."""
    import pandas as pd

    from inspect_discoverybench.dataset.text_file import read_text

    [query, *_] = json.loads(read_text(path))["queries"]
    table = pd.read_csv(path.with_name("data.csv"))
    task: Measured = {
        "first": path.name == "metadata_0.json",
        "columns": table.shape[1],
        "rows": table.shape[0],
        "missing": float(table.isna().to_numpy().mean()),
        "difficulty": query["difficulty"],
        "agreement": agreement(path, query, table),
    }
    target = query.get("target_col")
    if target in table and table[target].nunique() > 1:
        gold = [name for name in query["relevant_cols"] if name in table and name != target]
        position = list(table).index(target) / (table.shape[1] - 1)
        task |= {"variables": len(gold), "position": position, **with_gold(table.dropna(subset=[target]), target, gold)}
    return task


def with_gold(table: Any, target: str, gold: Sequence[str]) -> Measured:
    """What the columns of a table say about a target, beside those of its gold hypothesis."""
    outcome = standardised(table[target])[:, 0]
    terms = {name: standardised(table[name]) for name in table if name != target}
    others = [name for name in terms if name not in gold]
    originals = [name for name in terms if not any(name.startswith(f"{other}_") for other in terms)]
    alone = {name: explained(outcome, [terms[name]]) for name in terms}
    copied = [name for name in terms if any(other.startswith(f"{name}_") for other in terms)]
    return {
        "without gold": explained(outcome, [terms[name] for name in others]),
        "other is best": max(alone[name] for name in others) > max((alone[name] for name in gold), default=0),
        "gold share": len(gold) / len(originals),
        "gold with copy": [name in gold for name in copied],
        "greedy F1": f1(greedy(outcome, terms), gold),
    }


def standardised(column: Any) -> Any:
    """The terms of a column in a linear model: the ranks of numbers and their squares, or indicators of labels."""
    import numpy as np
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and column.nunique() > 2:
        ranks = column.fillna(column.median()).rank().to_numpy()
        linear = (ranks - ranks.mean()) / ranks.std()
        return np.column_stack([linear, linear**2])
    labels = column.astype(str)
    return (labels.to_numpy()[:, None] == labels.value_counts().index.to_numpy()[:12]).astype(float)


def explained(outcome: Any, terms: Sequence[Any]) -> float:
    """The share of the variance that a linear model explains."""
    import numpy as np

    design = np.column_stack([np.ones(len(outcome)), *terms])
    residual = outcome - design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    return float(1 - residual.var() / outcome.var())


def greedy(outcome: Any, terms: Mapping[str, Any]) -> list[str]:
    """The columns that forward selection finds: the best one, then the best one beside it, and so on."""
    chosen: list[str] = []
    reached = 0.0
    while len(chosen) < len(terms):
        rest = [name for name in terms if name not in chosen]
        shares = {name: explained(outcome, [terms[other] for other in (*chosen, name)]) for name in rest}
        best = max(rest, key=shares.__getitem__)
        if shares[best] < reached + MIN_GAIN:
            break
        chosen.append(best)
        reached = shares[best]
    return chosen


def f1(found: Sequence[str], gold: Sequence[str]) -> float:
    """The F1 score of the columns that were found."""
    both = len(set(found) & set(gold))
    return 2 * both / (len(found) + len(gold)) if both else 0.0


@cache
def recorded_agreements() -> dict[tuple[str, str, int, int], float]:
    """Rank correlations of gold expressions with their targets, of released tasks."""
    table = files("inspect_discoverybench.dataset").joinpath("synth_targets.csv").read_text("utf-8")
    return {
        (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): float(row["agreement"])
        for row in csv.DictReader(table.splitlines())
        if row["measure"] == "spearman" and row["agreement"]
    }


def agreement(path: Path, query: Mapping[str, Any], table: Any) -> float | None:
    """The rank correlation of a gold expression with its target: recorded, or of our own expression."""
    import numpy as np
    import pandas as pd

    if "masked_facet" not in query:
        key = (path.parent.parent.name, path.parent.name, int(path.stem.partition("_")[2]), query["qid"])
        return recorded_agreements().get(key)
    # The expression has passed the allow-list.
    result = pd.Series(eval(query["true_hypothesis_expr"], {"df": table, "np": np}))
    return float(result.corr(table[query["target_col"]], method="spearman"))


def generate(out: str, seed: int) -> tuple[list[Measured], set[str], float]:
    """Generate a set with the baseline author: its tasks, its gold hypotheses and the seconds."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    start = time.perf_counter()
    folder = Path(out, str(seed))
    task = synth_generate(out=str(folder), seed=seed, sandbox="local")
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=2)
    if log.status != "success":
        sys.exit(f"The set could not be generated: {log.error and log.error.message}")
    seconds = time.perf_counter() - start
    with (folder / "answer_key.csv").open(encoding="utf-8", newline="") as file:
        golds = {row["gold_hypo"] for row in csv.DictReader(file)}
    return [measured(path) for path in sorted(folder.glob("*/metadata_*.json"))], golds, seconds


def released(root: str, split: str) -> list[Measured]:
    """All tasks of a released split."""
    folder = Path(root, "discoverybench/synth", split)
    return [measured(path) for path in sorted(folder.glob("*/metadata_*.json"))]


def distribution(tasks: Sequence[Measured]) -> dict[str, str]:
    """What the table says about data files and difficulties."""
    first = [task for task in tasks if task["first"]]
    rows = {
        "tasks": str(len(tasks)),
        "columns (median)": f"{median(task['columns'] for task in first):g}",
        "rows (median)": f"{median(task['rows'] for task in first):g}",
        "missing cells": f"{mean(task['missing'] for task in first):.2%}",
    }
    for level in LEVELS:
        rows[f"difficulty {level}"] = f"{mean(task['difficulty'] == level for task in tasks):.1%}"
    return rows


def gold_facts(tasks: Sequence[Measured]) -> dict[str, str]:
    """What the table says about the variables of gold hypotheses."""
    known = [task for task in tasks if "variables" in task]
    agreements = [task["agreement"] for task in tasks if task["agreement"] is not None]
    gold_with_copy = [is_gold for task in known for is_gold in task["gold with copy"]]
    rows = {
        "variables per gold (median)": f"{median(task['variables'] for task in known):g}",
        "rank correlation of gold and target (median)": f"{median(agreements):.2f}",
        "R² without gold columns (median)": f"{median(task['without gold'] for task in known):.2f}",
        "another column predicts better": f"{mean(task['other is best'] for task in known):.1%}",
        "place of the target, 0 to 1 (mean)": f"{mean(task['position'] for task in known):.2f}",
        "target is the last column": f"{mean(task['position'] == 1 for task in known):.1%}",
        "P(gold), of columns that are no copies": f"{mean(task['gold share'] for task in known):.3f}",
        "P(gold), if another name extends its name": f"{mean(gold_with_copy):.3f}" if gold_with_copy else "–",
    }
    for level in LEVELS:
        scores = [task["greedy F1"] for task in known if task["difficulty"] == level]
        rows[f"greedy F1, difficulty {level}"] = f"{mean(scores):.2f} ({len(scores)})" if scores else "–"
    return rows


def main() -> None:
    """Generate the sets one after the other, print the table."""
    require_data()
    with own_folders() as folder:
        sets = [in_fresh_process(generate, str(folder), seed) for seed in SEEDS]
        train, dev = (in_fresh_process(released, os.environ[DATA], split) for split in ("train", "dev"))
    everything = [task for tasks, _, _ in sets for task in tasks]
    columns = [distribution(train) | gold_facts([*train, *dev])]
    columns += [distribution(tasks) | gold_facts(tasks) for tasks in (*(tasks for tasks, _, _ in sets), everything)]
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]

    golds = [gold for _, golds, _ in sets for gold in golds]
    seconds = 1_000 * sum(seconds for _, _, seconds in sets) / len(everything)
    note = (
        f"Gold hypotheses that two seeds share: {len(golds) - len(set(golds))}. Seconds per 1,000 tasks: {seconds:.0f}."
    )
    show("Generated and released sets", ("", "released", *(f"seed {seed}" for seed in SEEDS), "all"), rows, note)


if __name__ == "__main__":
    main()
