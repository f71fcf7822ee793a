"""The sections about facets: their means, and where scores are lost."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from inspect_discoverybench.report.charts import bars, scatter
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import IntervalNames, interval_columns, mean_bound_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import TaskResult, mean_score
from inspect_discoverybench.scorer.facets import FACET_KEYS

CONTEXT, *OTHER_FACETS = FACET_KEYS
"""The paper and released evaluators ask about the other facets only if the context matches. So the section on facets
also has their means over the hypotheses with a matching context."""

IF_MATCHES = "if context matches"

STAGE, SHARE = "lost at", "share in %"

NO_SCORE = "no score"
NO_SUBMISSION = "no submission"
PARTIAL = "partial score"
FULL = "full score"

FACET_COLORS = ("#F4A582", "#E8896B", "#D6604D")

LOSS_COLORS = {
    NO_SCORE: "#D9D9D9",
    NO_SUBMISSION: "#A6A6A6",
    **dict(zip(FACET_KEYS, FACET_COLORS, strict=True)),
    PARTIAL: "#92C5DE",
    FULL: "#4393C3",
}
"""Where a sample can lose its score, in the order in which it can lose it, with the colour of bars."""


def facet_section(leaderboard: Leaderboard) -> Section:
    """Means of the facets of all hypotheses, and of those whose context matches (paper, Figure 4 right)."""
    rows = []
    for standing in leaderboard.standings:
        row = {**standing.key_columns}
        for facet, mean in standing.facets.items():
            row |= interval_columns(mean, IntervalNames.of(facet))
        matching = _with_matching_context(standing.tasks)
        for facet in OTHER_FACETS:
            row |= interval_columns(mean_score(matching, facet), IntervalNames.of(f"{facet} {IF_MATCHES}"))
        # The number of tasks in the means with a matching context. The leaderboard has the number of all scored tasks.
        row["tasks"] = len(matching)
        # The lowest and the highest possible HMS, if samples are missing. The page then marks all means of the row.
        row |= mean_bound_columns(standing.tasks)
        rows.append(row)

    table = pd.DataFrame(rows)
    context = IntervalNames.of(CONTEXT)
    variables, relationship = [IntervalNames.of(f"{facet} {IF_MATCHES}") for facet in OTHER_FACETS]
    chart = scatter(table, [(context, variables), (variables, relationship)], leaderboard.style)
    return Section("facets", table, chart)


def _with_matching_context(tasks: Sequence[TaskResult]) -> list[TaskResult]:
    """The tasks, each with only the epochs whose context matches. A task without such an epoch is left out."""
    matching = []
    for task in tasks:
        results = [result for result in task.results if result.score.value(CONTEXT) == 1]
        if results:
            matching.append(TaskResult(results))
    return matching


def loss_section(leaderboard: Leaderboard) -> Section:
    """Share of samples by the first facet that is 0."""
    rows = []
    for standing in leaderboard.standings:
        counts = Counter(_lost_at(result) for result in standing.results)
        total = counts.total()
        for stage in LOSS_COLORS:
            if stage in counts:
                row = standing.key_columns | {
                    STAGE: stage,
                    "samples": counts[stage],
                    SHARE: 100 * counts[stage] / total,
                }
                rows.append(row)
    table = pd.DataFrame(rows)
    chart = bars(
        table,
        row="configuration",
        segment=STAGE,
        share=SHARE,
        colors=LOSS_COLORS,
        style=leaderboard.style,
    )
    return Section("losses", table, chart)


def _lost_at(result: ResultRow) -> str:
    """Where a sample loses its score, as a key of `LOSS_COLORS`.

    If several facets are 0, it is the first one. If none is 0, the key says whether the score is full or partial.
    """
    if not result.score.is_scored:
        return NO_SCORE
    if result.score.outcome.is_without_submission:
        return NO_SUBMISSION
    for facet in FACET_KEYS:
        if result.score.value(facet) == 0:
            return facet
    return FULL if result.score.value("hms") >= 1 else PARTIAL
