"""The sections about mean HMS: by agent and model, in the paper, and on new studies."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import Benchmark, Leaderboard, Standing
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

    return Section("hms", table, chart)


def released_section(leaderboard: Leaderboard) -> Section | None:
    """HMS in the form of the released evaluator, beside the paper's (Figure 4 left); None if no sample has it."""
    standings = [standing for standing in leaderboard.standings if standing.has_released]
    if not standings:
        return None

    table = pd.DataFrame([_released_row(standing) for standing in standings])
    own_points = table.assign(label=[standing.label for standing in standings])
    benchmarks = set(table.benchmark)
    # The paper's agents had no framing.
    is_neutral = [standing.configuration.framing == NEUTRAL for standing in standings]
    own_points = own_points[is_neutral]
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
        **interval_columns(standing.released, RELEASED_INTERVAL),
        "kind": standing.kind,
        **count_columns(standing.tasks, RELEASED),
    }


@dataclass(frozen=True)
class PublishedScore:
    """HMS × 100 of an agent with a model in the paper."""

    agent: str
    model: str
    hms: float


def published_scores(benchmark: Benchmark) -> list[PublishedScore]:
    """Figure 4 (left) of the paper, the best first; empty unless the benchmark is a full split."""
    task, _, split = benchmark.name.partition(" ")
    if split not in PUBLISHED_SPLITS or not benchmark.is_complete:
        return []
    figure = _figure_4()
    rows = figure[figure.task == task]
    return [
        PublishedScore(agent, model, hms) for agent, model, hms in zip(rows.agent, rows.model, rows[HMS], strict=True)
    ]


@cache
def _figure_4() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("published.csv"), comment="#").sort_values(HMS, ascending=False)


def _published(leaderboard: Leaderboard) -> list[pd.DataFrame]:
    """The published scores for each benchmark that has some, with labels that show them."""
    tables = []
    for benchmark in leaderboard.benchmarks:
        rows = [
            {
                "benchmark": benchmark.name,
                "agent": score.agent,
                "model": score.model,
                HMS: score.hms,
                "label": f"{score.agent} · {score.model}, paper: {score.hms}",
            }
            for score in published_scores(benchmark)
        ]
        if rows:
            tables.append(pd.DataFrame(rows))
    return tables


def published_section(leaderboard: Leaderboard) -> Section | None:
    """The paper's HMS by agent and model; None unless a benchmark is a full split."""
    tables = _published(leaderboard)
    if not tables:
        return None
    table = pd.concat(tables).pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    table.columns = [f"{HMS}, {model}" for model in table]
    table = table.reset_index()

    published = set(table.benchmark)
    without = []
    for benchmark in leaderboard.benchmarks:
        has_released = any(standing.has_released for standing in benchmark.standings)
        if benchmark.name in published and not has_released:
            without.append(benchmark.name)
    notes = []
    if without:
        names = ", ".join(without)
        notes.append(
            f"The samples of {names} have no score in this form, and their HMS is not comparable with it. "
            "To add it, score the logs with `inspect score LOG --scorer discoverybench/hms -S aggregation=released`."
        )
    return Section("published", table, notes=notes)


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
