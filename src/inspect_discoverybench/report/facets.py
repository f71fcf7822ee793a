"""The sections about facets: their means, where scores are lost, and how answers were read."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import get_args

import pandas as pd

from inspect_discoverybench.report.charts import PANEL, Chart, Interval, bars, scatter, side_by_side
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import Row, estimate
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import WITHOUT_SUBMISSION
from inspect_discoverybench.results.task import Task
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.submission.submission import Source

CONTEXT, *AFTER_CONTEXT = FACET_KEYS
"""The first facet, and the others. Released evaluators ask about these only if the contexts match."""

NO_SCORE, NO_SUBMISSION, PARTIAL, FULL = "no score", "no submission", "partial score", "full score"

LOSS_COLORS = {
    NO_SCORE: "#D9D9D9",
    NO_SUBMISSION: "#A6A6A6",
    **dict(zip(FACET_KEYS, ("#F4A582", "#E8896B", "#D6604D", "#B2182B"), strict=False)),
    PARTIAL: "#92C5DE",
    FULL: "#4393C3",
}
"""Where a sample can lose its score, in the order in which it can lose it, with the colour of bars."""

NOT_ASSERTED = "none asserted"
"""The form of answers in which the judge found no hypothesis."""

IF_CONTEXT_MATCHES = "if context matches"


def facet_section(leaderboard: Leaderboard) -> Section:
    """Means of the facets of all hypotheses, and of those whose context matches (paper, Figure 4 right)."""
    rows = []
    details = []
    for standing in leaderboard.standings:
        row = standing.key_columns
        for facet in FACET_KEYS:
            row |= _facet_columns(standing.tasks, facet, facet)
        matching = [task for task in map(_with_matching_context, standing.tasks) if task is not None]
        for facet in AFTER_CONTEXT:
            row |= _facet_columns(matching, facet, f"{facet} {IF_CONTEXT_MATCHES}")
        row["tasks if context matches"] = len(matching)
        rows.append(row)
        details.append({"agent": standing.configuration.agent, "model": standing.configuration.model})

    table = pd.DataFrame(rows)
    shown = table.join(pd.DataFrame(details))
    shown[PANEL] = shown.benchmark.map(leaderboard.titles)
    return Section("facets", table, _scatter(leaderboard, shown))


def _facet_columns(tasks: Sequence[Task], facet: str, name: str) -> Row:
    mean = estimate(tasks, facet)
    return {
        f"{name} × 100": 100 * mean.mean,
        f"{name} low": 100 * mean.low,
        f"{name} high": 100 * mean.high,
    }


def _with_matching_context(task: Task) -> Task | None:
    """A task with those epochs whose context matches; None if none does."""
    results = tuple(result for result in task.results if result.score.value(CONTEXT) == 1)
    return Task(results) if results else None


def _scatter(leaderboard: Leaderboard, table: pd.DataFrame) -> Chart | None:
    """The facets against each other, with the means that compare with the paper's."""
    first, second = AFTER_CONTEXT[:2]
    context, variables, relationship = map(
        _interval, (CONTEXT, f"{first} {IF_CONTEXT_MATCHES}", f"{second} {IF_CONTEXT_MATCHES}")
    )
    known = table.dropna(subset=[context[0], variables[0], relationship[0]])
    if known.empty:
        return None
    left = scatter(known, context, variables, leaderboard.colors)
    right = scatter(known, variables, relationship, leaderboard.colors)
    return side_by_side(left, right)


def _interval(name: str) -> Interval:
    return f"{name} × 100", f"{name} low", f"{name} high"


def losses(leaderboard: Leaderboard) -> Section:
    """Share of samples by the first facet that fails."""
    table = _shares(leaderboard, "lost_at", list(LOSS_COLORS), _lost_at)
    occurring = {name: color for name, color in LOSS_COLORS.items() if name in set(table.lost_at)}
    shown = table.assign(**{PANEL: table.benchmark.map(leaderboard.titles)})
    return Section("losses", table, bars(shown, "configuration", "lost_at", "share in %", occurring))


def _lost_at(result: Result) -> str:
    """Where a sample loses its score: the first facet that is 0, or what precedes the judge's verdict."""
    score = result.score
    if not score.is_scored:
        return NO_SCORE
    if score.outcome in WITHOUT_SUBMISSION:
        return NO_SUBMISSION
    for facet in FACET_KEYS:
        if score.value(facet) == 0:
            return facet
    return FULL if score.value("hms") >= 1 else PARTIAL


def answers(leaderboard: Leaderboard) -> Section | None:
    """How the answers of agents were read; None if the logs do not record it."""
    table = _shares(leaderboard, "form", [*get_args(Source), NOT_ASSERTED], _form)
    return None if table.empty else Section("answers", table)


def _form(result: Result) -> str | None:
    """How the answer was read; None if there is no answer."""
    if result.score.submission_source is None and result.score.refusal:
        return NOT_ASSERTED
    return result.score.submission_source


def _shares(
    leaderboard: Leaderboard, column: str, values: Sequence[str], value_of: Callable[[Result], str | None]
) -> pd.DataFrame:
    """Number and share of the samples with each of these values, by configuration."""
    rows = []
    for standing in leaderboard.standings:
        counts = Counter(value_of(result) for result in standing.results)
        total = sum(counts[value] for value in values)
        for value in values:
            if counts[value]:
                share = 100 * counts[value] / total
                rows.append(standing.key_columns | {column: value, "samples": counts[value], "share in %": share})
    return pd.DataFrame(rows)
