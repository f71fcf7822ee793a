"""The section on several epochs of each task: the mean of an epoch, and the best and the worst of several epochs."""

import math
from collections.abc import Sequence

import pandas as pd

from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import IntervalNames, Row, interval_columns
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.standing import Standing
from inspect_discoverybench.statistics.epochs import across_epochs
from inspect_discoverybench.statistics.partial_scores import PartialScores


def epoch_section(leaderboard: Leaderboard) -> Section | None:
    """Scores across 2, 3, … epochs of each task, up to the number of epochs that all tasks of a configuration have.

    None if no configuration ran all its tasks several times.
    """
    rows: list[Row] = []
    for standing in leaderboard.standings:
        common_epochs = min(len(task.results) for task in standing.tasks)
        rows += [_row(standing, epochs) for epochs in range(2, common_epochs + 1)]
    return Section("epochs", pd.DataFrame(rows)) if rows else None


def _row(standing: Standing, epochs: int) -> Row:
    hms = [task.scores() for task in standing.tasks]
    perfect = [_perfect_scores(scores) for scores in hms]
    return {
        **standing.key_columns,
        "epochs": epochs,
        **_columns(standing, hms, epochs, "HMS"),
        **_columns(standing, perfect, epochs, "perfect"),
    }


def _columns(standing: Standing, scores: Sequence[PartialScores], epochs: int, score_name: str) -> Row:
    """The mean, the best and the worst of this number of epochs, with their intervals.

    The values are NaN if no epoch is scored.
    """
    clusters = [task.cluster for task in standing.tasks]
    estimates = across_epochs(scores, clusters, epochs)
    columns: Row = {}
    for statistic in ("mean", "best", "worst"):
        estimate = None if estimates is None else getattr(estimates, statistic)
        columns |= interval_columns(estimate, IntervalNames.of(f"{statistic} {score_name}"))
    return columns


def _perfect_scores(hms: PartialScores) -> PartialScores:
    """Whether the HMS of each epoch is 1."""
    return PartialScores([_is_perfect(score) for score in hms.values])


def _is_perfect(hms: float) -> float:
    """1 for an HMS of 1, else 0; NaN if it is missing."""
    return math.nan if math.isnan(hms) else float(hms >= 1)
