"""The sections about mean HMS: by agent and model, in the form of the released evaluator, and on new studies."""

from collections import Counter

import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.means import (
    HIGH,
    HMS,
    HMS_INTERVAL,
    LOW,
    IntervalNames,
    Row,
    count_columns,
    interval_columns,
    mean_bound_columns,
)
from inspect_discoverybench.report.published import published_points
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.standing import Standing
from inspect_discoverybench.scorer.released_form import RELEASED

RELEASED_INTERVAL = IntervalNames("HMS released × 100", LOW, HIGH)


def hms_section(leaderboard: Leaderboard) -> Section:
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
    """HMS in the form of the released evaluator, beside the paper's scores (Figure 4 left).

    None if no sample has HMS in this form.
    """
    standings = [standing for standing in leaderboard.standings if standing.has_released_form]
    if not standings:
        return None

    table = pd.DataFrame([_released_row(standing) for standing in standings])
    labels = [standing.label for standing in standings]
    # The paper's agents had no framing, so agents with a framing are not drawn beside them.
    is_neutral = [standing.configuration.framing == NEUTRAL for standing in standings]
    own_points = table.assign(label=labels)[is_neutral]
    benchmarks = set(table.benchmark)
    # Each table of published points is about one benchmark. It is drawn only if our table has a row of this benchmark.
    published = [
        scores.rename(columns={HMS: RELEASED_INTERVAL.value})
        for scores in published_points(leaderboard)
        if benchmarks.issuperset(scores.benchmark)
    ]
    points = pd.concat([own_points, *published])
    # The panels of a chart are in the order of its points. As in the leaderboard, this is the alphabetical order.
    points = points.sort_values("benchmark", kind="stable")
    return Section("released", table, dots(points, "label", RELEASED_INTERVAL, leaderboard.style))


def _released_row(standing: Standing) -> Row:
    return {
        **standing.key_columns,
        **interval_columns(standing.released, RELEASED_INTERVAL),
        "kind": standing.kind,
        **mean_bound_columns(standing.tasks, RELEASED),
        **count_columns(standing.tasks, RELEASED),
    }


def new_studies_section(leaderboard: Leaderboard) -> Section | None:
    """Mean HMS on these tasks, and the mean to expect on new studies like these.

    A configuration has a row if the studies of all its tasks are known and at least two of these studies have scores.
    None if no configuration has a row.
    """
    rows = []
    guessed_studies: set[str] = set()
    for standing in leaderboard.standings:
        if standing.mean is None or standing.mean.new_studies is None:
            continue
        on_new_studies = standing.mean.new_studies
        tasks_per_study = Counter(task.sample.study for task in standing.tasks)
        guessed_studies |= GUESSED_STUDIES & tasks_per_study.keys()
        largest = max(tasks_per_study.values())
        row = {
            **standing.hms_columns,
            "new studies low": 100 * on_new_studies.low,
            "new studies high": 100 * on_new_studies.high,
            "lowest without one study": 100 * on_new_studies.lowest,
            "studies": on_new_studies.studies,
            "largest study in %": 100 * largest / tasks_per_study.total(),
        }
        rows.append(row)
    if not rows:
        return None

    notes = []
    if guessed_studies:
        listed = ", ".join(sorted(guessed_studies))
        notes.append(f"Studies that are guesses: {listed}.")
    return Section("studies", pd.DataFrame(rows), notes=notes)
