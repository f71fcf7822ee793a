"""The section on several epochs of each task: their mean, and the best and the worst of some of them."""

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
    """Scores across epochs for each number of epochs; None if no configuration ran all its tasks several times."""
    rows: list[Row] = []
    for standing in leaderboard.standings:
        fewest = min(len(task.results) for task in standing.tasks)
        rows += [_row(standing, size) for size in range(2, fewest + 1)]
    return Section("epochs", pd.DataFrame(rows)) if rows else None


def _row(standing: Standing, size: int) -> Row:
    hms = [task.score() for task in standing.tasks]
    perfect = [_perfect_scores(scores) for scores in hms]
    return {
        **standing.key_columns,
        "epochs": size,
        **_columns(standing, hms, size, "HMS"),
        **_columns(standing, perfect, size, "perfect"),
    }


def _columns(standing: Standing, scores: Sequence[PartialScores], size: int, name: str) -> Row:
    """The mean, the best and the worst of this number of epochs, with their intervals."""
    clusters = [task.cluster for task in standing.tasks]
    estimates = across_epochs(scores, clusters, size)
    columns: Row = {}
    for heading in ("mean", "best", "worst"):
        estimate = None if estimates is None else getattr(estimates, heading)
        columns |= interval_columns(estimate, IntervalNames.of(f"{heading} {name}"))
    return columns


def _perfect_scores(hms: PartialScores) -> PartialScores:
    """Whether the HMS of each epoch is 1."""
    return PartialScores([_is_perfect(score) for score in hms.values])


def _is_perfect(hms: float) -> float:
    """1 for an HMS of 1, else 0; NaN if it is missing."""
    return math.nan if math.isnan(hms) else float(hms >= 1)
