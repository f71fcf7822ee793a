"""Generated sets beside the released DB-SYNTH (train), and how long the generator takes.

What needs the variables of a gold hypothesis is measured on the released tasks of train and dev for which they are
public. The tests of the generator check some of the measures on a smaller set.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pandas as pd
from measure import DATA, in_fresh_process, own_folders, require_data, require_success, show

SEEDS = range(5)
DOMAINS = 20
LEVELS = range(1, 5)

MIN_GAIN = 0.01
"""The greedy solver stops if no column adds this share of the target's variance."""

MAX_LABELS = 12
"""Maximum number of labels of a column that a linear model distinguishes; categories of ours have at most as many."""

Terms = np.ndarray
"""The terms of a column in a linear model, one a column."""


@dataclass(frozen=True)
class GoldFacts:
    """What the columns of a data file say about a target, beside those of its gold hypothesis.

    Attributes:
        variables: Number of gold columns.
        place: Place of the target among the columns, from 0 to 1.
        without_gold: Share of the target's variance that all other columns explain together.
        other_is_best: Whether one of them predicts the target better than every gold column.
        gold_share: Share of the gold columns among those that are no copies.
        extended_is_gold: For each column whose name begins the name of another one: whether it is gold.
        greedy_f1: F1 score of the columns that a greedy solver finds.
    """

    variables: int
    place: float
    without_gold: float
    other_is_best: bool
    gold_share: float
    extended_is_gold: list[bool]
    greedy_f1: float


@dataclass(frozen=True)
class MeasuredTask:
    """A task and its data file.

    Attributes:
        is_first: Whether the task is the first of its folder, whose tasks share one data file.
        columns: Number of columns.
        missing: Share of missing cells.
        difficulty: Path length of the task.
        gold: None if the gold columns are not public, or the target is constant.
    """

    is_first: bool
    columns: int
    missing: float
    difficulty: int
    gold: GoldFacts | None


def measured(path: Path) -> MeasuredTask:
    """Measure the task of a metadata file."""
    from inspect_discoverybench.dataset.text_file import read_text

    [query, *_] = json.loads(read_text(path))["queries"]
    table = pd.read_csv(path.with_name("data.csv"))
    target = query.get("target_col")
    gold = None
    if target in table and table[target].nunique() > 1:
        gold = gold_facts(table, target, query["relevant_cols"])
    return MeasuredTask(
        is_first=path.stem == "metadata_0",
        columns=table.shape[1],
        missing=float(table.isna().to_numpy().mean()),
        difficulty=query["difficulty"],
        gold=gold,
    )


def gold_facts(table: pd.DataFrame, target: str, relevant: Sequence[str]) -> GoldFacts:
    """Measure what the columns of a table say about a target."""
    columns = [str(name) for name in table if name != target]
    complete = table.dropna(subset=[target])
    outcome = terms_of(complete[target])[:, 0]
    terms = {name: terms_of(complete[name]) for name in columns}
    gold = [name for name in columns if name in relevant]
    others = [name for name in columns if name not in relevant]

    alone = {name: explained(outcome, [terms[name]]) for name in columns}
    best_gold = max((alone[name] for name in gold), default=0.0)
    best_other = max(alone[name] for name in others)

    # Ours name a second record of a column after it.
    copies = {f"{name}_2" for name in columns}
    originals = [name for name in columns if name not in copies]
    extended = [name for name in columns if is_extended(name, columns)]
    return GoldFacts(
        variables=len(gold),
        place=list(table).index(target) / len(columns),
        without_gold=explained(outcome, [terms[name] for name in others]),
        other_is_best=best_other > best_gold,
        gold_share=len(gold) / len(originals),
        extended_is_gold=[name in gold for name in extended],
        greedy_f1=f1(greedy(outcome, terms), gold),
    )


def is_extended(name: str, columns: Sequence[str]) -> bool:
    """Whether the name of another column extends a name."""
    return any(other.startswith(f"{name}_") for other in columns)


def terms_of(column: "pd.Series[Any]") -> Terms:
    """The terms of a column: the ranks of numbers and their squares, or indicators of labels."""
    if pd.api.types.is_numeric_dtype(column) and column.nunique() > 2:
        complete = column.fillna(column.median())
        ranks = complete.rank()
        scaled = (ranks - ranks.mean()) / ranks.std()
        linear = scaled.to_numpy()
        return np.column_stack([linear, linear**2])

    labels = column.astype(str).to_numpy()
    indicators = [labels == label for label in pd.unique(labels)[:MAX_LABELS]]
    return np.column_stack(indicators).astype(float)


def explained(outcome: np.ndarray, terms: Sequence[Terms]) -> float:
    """The share of the variance that a linear model explains."""
    constant = np.ones(len(outcome))
    design = np.column_stack([constant, *terms])
    weights, *_ = np.linalg.lstsq(design, outcome, rcond=None)
    residual = outcome - design @ weights
    return float(1 - residual.var() / outcome.var())


def greedy(outcome: np.ndarray, terms: Mapping[str, Terms]) -> list[str]:
    """The columns that forward selection finds: the best one, then the best one beside it, and so on."""
    chosen: list[str] = []
    reached = 0.0
    while len(chosen) < len(terms):
        shares = {}
        for name in terms.keys() - chosen:
            candidates = [terms[other] for other in (*chosen, name)]
            shares[name] = explained(outcome, candidates)
        best = max(shares, key=shares.__getitem__)
        if shares[best] < reached + MIN_GAIN:
            break
        chosen.append(best)
        reached = shares[best]
    return chosen


def f1(found: Sequence[str], gold: Sequence[str]) -> float:
    """The F1 score of the columns that were found."""
    both = set(found) & set(gold)
    return 2 * len(both) / (len(found) + len(gold))


@dataclass(frozen=True)
class GeneratedSet:
    """The tasks of a generated set, its gold hypotheses, and the seconds that it took."""

    tasks: list[MeasuredTask]
    golds: list[str]
    seconds: float


def generate(out: str, seed: int) -> GeneratedSet:
    """Generate a set with the baseline author."""
    from inspect_ai import eval as inspect_eval

    from inspect_discoverybench import synth_generate

    folder = Path(out, str(seed))
    task = synth_generate(out=str(folder), seed=seed, domains=DOMAINS, sandbox="local")
    start = time.perf_counter()
    [log] = inspect_eval(task, model="discoverybench/baseline", max_samples=2)
    seconds = time.perf_counter() - start
    require_success(log)
    answer_key = pd.read_csv(folder / "answer_key.csv")
    return GeneratedSet(
        tasks=measured_tasks(str(folder)),
        golds=list(answer_key["gold_hypo"]),
        seconds=seconds,
    )


def measured_tasks(folder: str) -> list[MeasuredTask]:
    """The tasks of a set or of a released split."""
    paths = sorted(Path(folder).glob("*/metadata_*.json"))
    return [measured(path) for path in paths]


def facts_of_files(tasks: Sequence[MeasuredTask]) -> dict[str, str]:
    """What the table says about data files and difficulties."""
    first = [task for task in tasks if task.is_first]
    columns = median(task.columns for task in first)
    missing = mean(task.missing for task in first)
    facts = {
        "tasks": f"{len(tasks)}",
        "columns (median)": f"{columns:g}",
        "missing cells": f"{missing:.2%}",
    }
    for level in LEVELS:
        share = mean(task.difficulty == level for task in tasks)
        facts[f"difficulty {level}"] = f"{share:.1%}"
    return facts


def facts_of_golds(tasks: Sequence[MeasuredTask]) -> dict[str, str]:
    """What the table says about the variables of gold hypotheses."""
    golds = pd.DataFrame([task.gold for task in tasks if task.gold])
    is_last = golds.place == 1
    extended_is_gold = golds.extended_is_gold.explode().dropna()
    facts = {
        "variables per gold (median)": f"{golds.variables.median():g}",
        "R² without gold columns (median)": f"{golds.without_gold.median():.2f}",
        "another column predicts better": f"{golds.other_is_best.mean():.1%}",
        "place of the target, 0 to 1 (mean)": f"{golds.place.mean():.2f}",
        "target is the last column": f"{is_last.mean():.1%}",
        "P(gold), of columns that are no copies": f"{golds.gold_share.mean():.3f}",
        "P(gold), if another name extends its name": f"{extended_is_gold.mean():.3f}",
    }
    for level in LEVELS:
        scores = [task.gold.greedy_f1 for task in tasks if task.gold and task.difficulty == level]
        text = "–"
        if scores:
            text = f"{mean(scores):.2f} ({len(scores)})"
        facts[f"greedy F1, difficulty {level}"] = text
    return facts


def main() -> None:
    """Generate the sets one after the other, print the table."""
    require_data()
    with own_folders() as folder:
        sets = [in_fresh_process(generate, str(folder), seed) for seed in SEEDS]
        released = Path(os.environ[DATA], "discoverybench/synth")
        train = in_fresh_process(measured_tasks, str(released / "train"))
        dev = in_fresh_process(measured_tasks, str(released / "dev"))

    everything: list[MeasuredTask] = []
    golds: list[str] = []
    seconds = 0.0
    for generated in sets:
        everything += generated.tasks
        golds += set(generated.golds)
        seconds += generated.seconds

    # The files of train, and the golds of both.
    facts = {"released": facts_of_files(train) | facts_of_golds([*train, *dev])}
    for seed, generated in zip(SEEDS, sets, strict=True):
        facts[f"seed {seed}"] = facts_of_files(generated.tasks) | facts_of_golds(generated.tasks)
    facts["all"] = facts_of_files(everything) | facts_of_golds(everything)
    table = pd.DataFrame(facts)

    shared = len(golds) - len(set(golds))
    per_thousand = 1_000 * seconds / len(everything)
    show(
        "Generated and released sets",
        dict.fromkeys(["", *table.columns], ""),
        list(table.itertuples(name=None)),
        f"Gold hypotheses that two seeds share: {shared}. Seconds per 1,000 tasks: {per_thousand:.0f}.",
    )


if __name__ == "__main__":
    main()
