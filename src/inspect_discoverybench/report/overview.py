"""The sections about mean HMS: by agent and model, in the paper, and on new studies."""

from collections import Counter
from pathlib import Path

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import HMS, HMS_INTERVAL, count_columns
from inspect_discoverybench.report.section import Section

PUBLISHED_SPLITS = ("test", "all")
"""Splits beside which published scores are shown. The paper does not say which one it used."""


def overview(leaderboard: Leaderboard) -> Section:
    """HMS by agent and model (paper, Figure 4 left)."""
    rows = []
    for standing in leaderboard.standings:
        row = standing.hms_columns
        row["kind"] = standing.kind
        row |= count_columns(standing.tasks)
        rows.append(row)
    table = pd.DataFrame(rows)

    labels = [standing.label for standing in leaderboard.standings]
    own_points = table.assign(label=labels)
    points = pd.concat([own_points, *_published_beside(leaderboard)])
    points = points.sort_values("benchmark", kind="stable")
    chart = dots(points, "label", HMS_INTERVAL, leaderboard.style)

    notes = []
    if table[HMS].isna().all():
        notes.append("No sample is scored.")
    for benchmark in leaderboard.benchmarks:
        if benchmark.no_best:
            reason = benchmark.no_best
            notes.append(f"No best agent is marked for {benchmark.name}, because {reason}.")
    return Section("hms", table, chart, notes)


def _published_beside(leaderboard: Leaderboard) -> list[pd.DataFrame]:
    """HMS × 100 in Figure 4 (left) of the paper for each benchmark that is a full split, with labels that show it."""
    path = Path(__file__).with_name("published.csv")
    published = pd.read_csv(path, comment="#")
    published = published.sort_values(HMS, ascending=False)

    values = published[HMS].astype(str)
    names = published.agent + " · " + published.model
    published["label"] = names + ", paper: " + values

    tables = []
    for benchmark in leaderboard.benchmarks:
        task, _, split = benchmark.name.partition(" ")
        if split in PUBLISHED_SPLITS and benchmark.is_complete:
            own = published[published.task == task]
            own = own.assign(benchmark=benchmark.name)
            tables.append(own)
    return tables


def published_section(leaderboard: Leaderboard) -> Section | None:
    """The paper's HMS by agent and model; None unless a benchmark is a full split."""
    tables = _published_beside(leaderboard)
    if not tables:
        return None
    scores = pd.concat(tables)
    table = scores.pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    table.columns = [f"{HMS}, {model}" for model in table]
    return Section("published", table.reset_index())


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
