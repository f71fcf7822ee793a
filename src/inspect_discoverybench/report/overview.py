"""The sections about mean HMS: by agent and model, on new studies, of oracles, and in the paper."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, FLOOR, ORACLE, Leaderboard
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, count_columns, interval_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.task import Task, mean_score

PAPER = "paper"
"""Kind of a published score."""

KINDS = (AGENT, BEST, ORACLE, FLOOR, PAPER)
"""Kinds of rows in the order of the shapes of points."""

PUBLISHED_SPLITS = ("test", "all")
"""Splits beside which published scores are shown. The paper does not say which one it used."""


def overview(leaderboard: Leaderboard) -> Section:
    """HMS by agent and model (paper, Figure 4 left)."""
    rows = []
    for standing in leaderboard.standings:
        row = standing.key_columns
        row |= interval_columns(standing.tasks, "hms", (HMS, LOW, HIGH))
        row["kind"] = standing.kind
        row |= count_columns(standing.tasks)
        rows.append(row)
    table = pd.DataFrame(rows)

    paper = _published_beside(leaderboard)
    paper = paper.sort_values(HMS, ascending=False)
    names = paper.agent + " · " + paper.model
    paper["configuration"] = names + ", paper"
    paper["kind"] = PAPER
    paper[LOW] = paper[HIGH] = paper[HMS]
    points = pd.concat([table, paper])
    points = points.sort_values("benchmark", kind="stable")
    interval = (HMS, LOW, HIGH)
    chart = dots(points, "configuration", interval, leaderboard.style, KINDS)

    notes = []
    for benchmark in leaderboard.benchmarks:
        if benchmark.no_best:
            reason = benchmark.no_best
            notes.append(f"No best agent is marked for {benchmark.name}, because {reason}.")
    return Section("hms", table, chart, notes)


@cache
def published() -> pd.DataFrame:
    """HMS × 100 by task (DB-REAL or DB-SYNTH), agent and model, from Figure 4 (left) of the paper."""
    path = Path(__file__).with_name("published.csv")
    return pd.read_csv(path, comment="#")


def _published_beside(leaderboard: Leaderboard) -> pd.DataFrame:
    """Published scores for each benchmark that is a full split."""
    scores = published()
    tables = [scores.assign(benchmark="").head(0)]
    for benchmark in leaderboard.benchmarks:
        task, _, split = benchmark.name.partition(" ")
        if split in PUBLISHED_SPLITS and benchmark.is_complete:
            own = scores[scores.task == task]
            tables.append(own.assign(benchmark=benchmark.name))
    return pd.concat(tables)


def published_section(leaderboard: Leaderboard) -> Section | None:
    """The paper's scores, for the benchmarks of which a full split was run."""
    scores = _published_beside(leaderboard)
    if scores.empty:
        return None
    table = scores.pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    table.columns = [f"{HMS}, {model}" for model in table]
    return Section("published", table.reset_index())


def new_studies(leaderboard: Leaderboard) -> Section | None:
    """HMS on these tasks and on new studies, of configurations with tasks of several known studies."""
    rows = []
    guesses: set[str] = set()
    for standing in leaderboard.standings:
        columns = _new_studies_columns(standing.tasks)
        if columns:
            rows.append(standing.key_columns | columns)
            studies = {task.sample.study or "" for task in standing.tasks}
            guesses |= GUESSED_STUDIES & studies
    if not rows:
        return None

    notes = []
    if guesses:
        listed = ", ".join(sorted(guesses))
        notes.append(f"Studies that are guesses: {listed}.")
    return Section("studies", pd.DataFrame(rows), notes=notes)


def _new_studies_columns(tasks: Sequence[Task]) -> Row:
    """Columns about studies; empty if nothing can be said."""
    mean = mean_score(tasks)
    new = mean.new_studies if mean else None
    if new is None:
        return {}
    sizes = Counter(task.sample.study for task in tasks)
    largest = max(sizes.values())
    row = interval_columns(tasks, "hms", (HMS, LOW, HIGH))
    row["new studies low"] = 100 * new.low
    row["new studies high"] = 100 * new.high
    row["macro average"] = 100 * new.macro_average
    row["lowest without one study"] = 100 * new.lowest
    row["highest without one study"] = 100 * new.highest
    row["studies"] = new.studies
    row["largest study in %"] = 100 * largest / len(tasks)
    return row
