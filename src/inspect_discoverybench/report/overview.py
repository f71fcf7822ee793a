"""The sections about mean HMS: by agent and model, on new studies, of oracles, and in the paper."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.report.charts import PANEL, Chart, dots
from inspect_discoverybench.report.leaderboard import AGENT, BEST, FLOOR, ORACLE, Benchmark, Leaderboard, Standing
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, estimate, hms_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.task import Task

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
        columns = hms_columns(standing.tasks)
        mean: Row = {name: columns.pop(name) for name in (HMS, LOW, HIGH)}
        rows.append(standing.key_columns | mean | {"kind": standing.kind} | columns)
    table = pd.DataFrame(rows)

    unmarked = [benchmark for benchmark in leaderboard.benchmarks if benchmark.no_best]
    notes = [f"No best agent is marked for {benchmark.name}, because {benchmark.no_best}." for benchmark in unmarked]
    return Section("hms", table, _chart(leaderboard, table), notes)


def _chart(leaderboard: Leaderboard, table: pd.DataFrame) -> Chart | None:
    agents = [standing.configuration.agent for standing in leaderboard.standings]
    paper = _published_beside(leaderboard.benchmarks)
    labels = [f"{row.agent} · {row.model}, paper" for row in paper.itertuples()]
    paper = paper.assign(configuration=labels, kind=PAPER, **{LOW: paper[HMS], HIGH: paper[HMS]})
    shown = pd.concat([table.assign(agent=agents), paper.sort_values(HMS, ascending=False)])
    shown[PANEL] = shown.benchmark.map(leaderboard.titles)
    shown = shown[[PANEL, "configuration", "agent", "kind", HMS, LOW, HIGH]]
    return dots(shown.sort_values(PANEL, kind="stable"), "configuration", (HMS, LOW, HIGH), leaderboard.colors, KINDS)


@cache
def published() -> pd.DataFrame:
    """HMS × 100 by task (DB-REAL or DB-SYNTH), agent and model, from Figure 4 (left) of the paper."""
    return pd.read_csv(Path(__file__).with_name("published.csv"), comment="#")


def _published_beside(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """Published scores for each benchmark that is a full split, with its name."""
    tables = [published().head(0).assign(benchmark="")]
    for benchmark in benchmarks:
        task, _, split = benchmark.name.partition(" ")
        if split in PUBLISHED_SPLITS and benchmark.is_complete:
            scores = published()
            tables.append(scores[scores.task == task].assign(benchmark=benchmark.name))
    return pd.concat(tables)


def published_section(leaderboard: Leaderboard) -> Section | None:
    """The paper's scores, for the benchmarks of which a full split was run."""
    scores = _published_beside(leaderboard.benchmarks)
    if scores.empty:
        return None
    table = scores.pivot(index=["benchmark", "agent"], columns="model", values=HMS)
    return Section("published", table.add_prefix(f"{HMS}, ").rename_axis(columns=None).reset_index())


def new_studies(leaderboard: Leaderboard) -> Section | None:
    """HMS on these tasks and on new studies; None if no configuration has tasks of two known studies."""
    rows = []
    notes = []
    for standing in leaderboard.standings:
        row = _new_studies_row(standing)
        if row:
            rows.append(standing.key_columns | row)
        else:
            is_unknown = any(task.study is None for task in standing.tasks)
            reason = "the study of a task is not known" if is_unknown else "all tasks are of one study"
            notes.append(f"{standing.name} ({standing.configuration.benchmark}) is left out, because {reason}.")
    if not rows:
        return None

    studies = {task.study for standing in leaderboard.standings for task in standing.tasks}
    guessed = sorted(GUESSED_STUDIES & studies)
    if guessed:
        notes.append(f"Studies that are guesses: {', '.join(guessed)}.")
    return Section("studies", pd.DataFrame(rows), notes=notes)


def _new_studies_row(standing: Standing) -> Row | None:
    mean = estimate(standing.tasks)
    new = mean.new_studies
    if new is None:
        return None
    return {
        HMS: 100 * mean.mean,
        LOW: 100 * mean.low,
        HIGH: 100 * mean.high,
        "new studies low": 100 * new.low,
        "new studies high": 100 * new.high,
        "macro average": 100 * new.macro_average,
        "lowest without one study": 100 * new.lowest,
        "highest without one study": 100 * new.highest,
        "studies": new.studies,
        "largest study in %": 100 * _largest_share(standing.tasks),
    }


def _largest_share(tasks: Sequence[Task]) -> float:
    """Share of the tasks that are of the largest study."""
    studies = [task.study for task in tasks]
    return max(studies.count(study) for study in set(studies)) / len(studies)


def oracles(leaderboard: Leaderboard) -> Section | None:
    """Last and best trial of oracles; None if no oracle ran several."""
    rows = []
    for standing in leaderboard.standings:
        last: list[float] = []
        best: list[float] = []
        for result in standing.results:
            best_hms = result.sample.best_trial_hms
            if result.score.is_scored and best_hms is not None:
                last.append(result.score.value("hms"))
                best.append(best_hms)
        if best:
            rows.append(standing.key_columns | {"last trial": 100 * fmean(last), "best trial": 100 * fmean(best)})
    return Section("oracles", pd.DataFrame(rows)) if rows else None
