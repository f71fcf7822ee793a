"""The sections about mean HMS: by agent and model, in the paper, and on new studies."""

from collections import Counter
from pathlib import Path

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import Leaderboard, Standing
from inspect_discoverybench.report.means import (
    HIGH,
    HMS,
    HMS_INTERVAL,
    LOW,
    Interval,
    Row,
    count_columns,
    interval_columns,
)
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.task_result import mean_score
from inspect_discoverybench.scorer.released_form import RELEASED

RELEASED_INTERVAL = Interval("HMS released × 100", LOW, HIGH)

PUBLISHED_SPLITS = ("test", "all")
"""Splits beside which published scores are shown. The paper does not say which one it used."""


def overview(leaderboard: Leaderboard) -> Section:
    """HMS by agent and model."""
    table = pd.DataFrame(
        [
            {**standing.hms_columns, "kind": standing.kind, **count_columns(standing.tasks)}
            for standing in leaderboard.standings
        ]
    )
    labels = [standing.label for standing in leaderboard.standings]
    chart = dots(table.assign(label=labels), "label", HMS_INTERVAL, leaderboard.style)

    notes = []
    if table[HMS].isna().all():
        notes.append("No sample is scored.")
    notes += [
        f"No best agent is marked for {benchmark.name}, because {benchmark.no_best}."
        for benchmark in leaderboard.benchmarks
        if benchmark.no_best
    ]
    return Section("hms", table, chart, notes)


def released_section(leaderboard: Leaderboard) -> Section | None:
    """HMS in the form of the released evaluator, beside the paper's (Figure 4 left); None if no sample has it."""
    standings = [standing for standing in leaderboard.standings if _has_released(standing)]
    if not standings:
        return None

    table = pd.DataFrame([_released_row(standing) for standing in standings])
    own_points = table.assign(label=[standing.label for standing in standings])
    benchmarks = set(table.benchmark)
    # The paper's agents had no framing.
    own_points = own_points[[standing.configuration.framing == NEUTRAL for standing in standings]]
    published = [
        scores.rename(columns={HMS: RELEASED_INTERVAL.value})
        for scores in _published(leaderboard)
        if benchmarks.issuperset(scores.benchmark)
    ]
    points = pd.concat([own_points, *published]).sort_values("benchmark", kind="stable")
    return Section("released", table, dots(points, "label", RELEASED_INTERVAL, leaderboard.style))


def _released_row(standing: Standing) -> Row:
    return {
        **standing.key_columns,
        **interval_columns(mean_score(standing.tasks, RELEASED), RELEASED_INTERVAL),
        "kind": standing.kind,
        **count_columns(standing.tasks, RELEASED),
    }


def _has_released(standing: Standing) -> bool:
    return any(RELEASED in result.score.values for result in standing.results)


def _published(leaderboard: Leaderboard) -> list[pd.DataFrame]:
    """HMS × 100 in Figure 4 (left) of the paper for each benchmark that is a full split, with labels that show it."""
    path = Path(__file__).with_name("published.csv")
    scores = pd.read_csv(path, comment="#").sort_values(HMS, ascending=False)
    scores["label"] = scores.agent + " · " + scores.model + ", paper: " + scores[HMS].astype(str)

    tables = []
    for benchmark in leaderboard.benchmarks:
        task, _, split = benchmark.name.partition(" ")
        if split in PUBLISHED_SPLITS and benchmark.is_complete:
            tables.append(scores[scores.task == task].assign(benchmark=benchmark.name))
    return tables


def published_section(leaderboard: Leaderboard) -> Section | None:
    """The paper's HMS by agent and model; None unless a benchmark is a full split."""
    tables = _published(leaderboard)
    if not tables:
        return None
    table = pd.concat(tables).pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    table.columns = [f"{HMS}, {model}" for model in table]

    without = [
        benchmark.name
        for benchmark in leaderboard.benchmarks
        if benchmark.name in set(table.reset_index().benchmark) and not any(map(_has_released, benchmark.standings))
    ]
    notes = []
    if without:
        notes.append(
            f"The samples of {', '.join(without)} have no score in this form, and their HMS is not comparable with it. "
            "To add it, score the logs with `inspect score LOG --scorer discoverybench/hms -S aggregation=released`."
        )
    return Section("published", table.reset_index(), notes=notes)


def new_studies(leaderboard: Leaderboard) -> Section | None:
    """HMS on these tasks and on new studies, of configurations with tasks of several known studies."""
    rows = []
    guesses: set[str] = set()
    for standing in leaderboard.standings:
        if standing.mean is None or standing.mean.new_studies is None:
            continue
        new = standing.mean.new_studies
        sizes = Counter(task.sample.study or "" for task in standing.tasks)
        guesses |= GUESSED_STUDIES & sizes.keys()
        largest = max(sizes.values())
        row = standing.hms_columns
        row |= {
            "new studies low": 100 * new.low,
            "new studies high": 100 * new.high,
            "lowest without one study": 100 * new.lowest,
            "studies": new.studies,
            "largest study in %": 100 * largest / sizes.total(),
        }
        rows.append(row)
    if not rows:
        return None

    notes = []
    if guesses:
        listed = ", ".join(sorted(guesses))
        notes.append(f"Studies that are guesses: {listed}.")
    return Section("studies", pd.DataFrame(rows), notes=notes)
