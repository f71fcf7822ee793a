"""The scores that the paper published: what they are, and their section."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from inspect_discoverybench.report.leaderboard import Benchmark, Leaderboard
from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.section import Section

PUBLISHED_SPLITS = ("test", "all")
"""Splits beside which published scores are shown. The paper does not say which one it used."""


@dataclass(frozen=True)
class PublishedScore:
    """HMS × 100 of an agent with a model in the paper."""

    agent: str
    model: str
    hms: float


def published_scores(benchmark: Benchmark) -> list[PublishedScore]:
    """The scores of a benchmark in Figure 4 (left) of the paper, the best first.

    Empty unless the benchmark is a split of `PUBLISHED_SPLITS`, and a configuration ran all its tasks.
    """
    task, _, split = benchmark.name.partition(" ")
    if split not in PUBLISHED_SPLITS or not benchmark.is_complete:
        return []
    figure = _figure_4()
    rows = figure[figure.task == task].sort_values(HMS, ascending=False)
    return [
        PublishedScore(agent, model, hms) for agent, model, hms in zip(rows.agent, rows.model, rows[HMS], strict=True)
    ]


@cache
def _figure_4() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).with_name("published.csv"), comment="#")


def published_points(leaderboard: Leaderboard) -> list[pd.DataFrame]:
    """A table of points for each benchmark with published scores. The label of a point shows its score."""
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
    """The paper's HMS by agent and model; None if no benchmark has published scores."""
    tables = published_points(leaderboard)
    if not tables:
        return None
    table = pd.concat(tables).pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    table.columns = [f"{HMS}, {model}" for model in table]
    table = table.reset_index()

    # The paper's HMS is in the form of the released evaluator, so only a score in this form is comparable with it.
    published_benchmarks = set(table.benchmark)
    not_comparable = []
    for benchmark in leaderboard.benchmarks:
        has_released_form = any(standing.has_released_form for standing in benchmark.standings)
        if benchmark.name in published_benchmarks and not has_released_form:
            not_comparable.append(benchmark.name)
    notes = []
    if not_comparable:
        names = ", ".join(not_comparable)
        notes.append(
            f"The samples of {names} have no score in this form, and their HMS is not comparable with it. "
            "To add it, score the logs with `inspect score LOG --scorer discoverybench/hms -S aggregation=released`."
        )
    return Section("published", table, notes=notes)
