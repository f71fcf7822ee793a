"""Generated sets beside the released DB-SYNTH (train), and how long the generator takes."""

import csv
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from measure import DATA, in_fresh_process, own_folders, require_data, show

SEEDS = range(5)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
Measured = dict[str, Any]  # one task; what is unknown is missing


@cache
def recorded_agreements() -> dict[tuple[str, str, int, int], float]:
    """Rank correlations of gold expressions with their targets, of released tasks."""
    table = files("inspect_discoverybench.dataset").joinpath("synth_targets.csv").read_text("utf-8")
    return {
        (row["split"], row["folder"], int(row["metadata"]), int(row["query"])): float(row["agreement"])
        for row in csv.DictReader(table.splitlines())
        if row["measure"] == "spearman" and row["agreement"]
    }


def measured(path: Path) -> Measured:
    """Measure the task of a metadata file."""
    import numpy as np
    import pandas as pd

    from inspect_discoverybench.dataset.target_column import synth_targets
    from inspect_discoverybench.dataset.text_file import read_text

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
    key = ("train", path.parent.name, number, query["qid"])
    known = synth_targets().get(key)
    if key in recorded_agreements():
        task["agreement"] = recorded_agreements()[key]
    if used:
        task["variables"] = len(set(used) - {target})
    if used and target in values and values[target].nunique() > 1:
        others = values.loc[:, values.nunique() > 1].drop(columns=used, errors="ignore")
        task["other"] = others.corrwith(values[target], method="spearman").abs().max()
        if known is None:  # our own expression, from the allow-list
            result = pd.Series(eval(query["true_hypothesis_expr"], {"df": table, "np": np}))
            task["agreement"] = result.corr(values[target], method="spearman")
    return task


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


def table_of(tasks: Sequence[Measured]) -> dict[str, str]:
    """What the table says about some tasks: about the first of each data file, or all that are known."""
    first = [task for task in tasks if task["first"]]
    middle = {
        name: median(task[name] for task in tasks if name in task) for name in ("variables", "agreement", "other")
    }
    shares = {level: sum(task["difficulty"] == level for task in first) / len(first) for level in range(1, 5)}
    return {
        "tasks": str(len(first)),
        "columns (median)": f"{median(task['columns'] for task in first):g}",
        "rows (median)": f"{median(task['rows'] for task in first):g}",
        "variables per gold (median)": f"{middle['variables']:g}",
        **{f"difficulty {level}": f"{share:.1%}" for level, share in shares.items()},
        "missing cells": f"{sum(task['missing'] for task in first) / len(first):.2%}",
        "golds with two or more numbers": f"{sum(task['numbers'] >= 2 for task in first) / len(first):.1%}",
        "rank correlation of gold and target (median)": f"{middle['agreement']:.2f}",
        "largest of another column (median)": f"{middle['other']:.2f}",
    }


def main() -> None:
    """Generate the sets one after the other, print the table."""
    require_data()
    with own_folders() as folder:
        sets = [in_fresh_process(generate, str(folder), seed) for seed in SEEDS]
        tables = [*map(table_of, [in_fresh_process(released, os.environ[DATA]), *(tasks for tasks, _, _ in sets)])]
    shared = sum(len(golds) for _, golds, _ in sets) - len(set().union(*(golds for _, golds, _ in sets)))
    seconds = 1_000 * sum(one for _, _, one in sets) / sum(len(tasks) for tasks, _, _ in sets)
    rows = [(name, *(table[name] for table in tables)) for name in tables[0]]
    note = f"Gold hypotheses that two seeds share: {shared}. Seconds per 1,000 tasks: {seconds:.0f}."
    show("Generated and released sets", ("", "released", *(f"seed {seed}" for seed in SEEDS)), rows, note)


if __name__ == "__main__":
    main()
