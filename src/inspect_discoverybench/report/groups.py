"""The sections that group tasks by a property, such as their domain (paper, Figures 5 and 6)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import pandas as pd

from inspect_discoverybench.report.charts import Chart, dots
from inspect_discoverybench.report.leaderboard import Benchmark, Leaderboard
from inspect_discoverybench.report.means import HMS_INTERVAL, Row, count_columns, interval_columns, mean_bound_columns
from inspect_discoverybench.report.section import Section, section_descriptions
from inspect_discoverybench.report.standing import BEST
from inspect_discoverybench.report.table import MIN_TASKS
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.task_result import TaskResult, mean_score

TAGS = "workflow_tags"
"""Column of tags, separated by commas: a task is in the group of each."""

Group = str | int | bool


def group_sections(leaderboard: Leaderboard) -> Iterator[Section]:
    """A section for each property of tasks, with a row for each configuration and group.

    A benchmark has no rows if its tasks are in fewer than two groups. If no benchmark has rows, there is no section.
    """
    for name, description in section_descriptions().items():
        if description.column is None:  # a section without groups
            continue
        rows: list[Row] = []
        for benchmark in leaderboard.benchmarks:
            rows += _rows(benchmark, description.column, description.order)
        if rows:
            table = pd.DataFrame(rows)
            chart = _chart(table, description.column, leaderboard)
            yield Section(name, table, chart)


def _chart(table: pd.DataFrame, column: str, leaderboard: Leaderboard) -> Chart | None:
    """The groups of the best agent of each benchmark; None if no best agent is marked."""
    best = table[table.kind == BEST]
    groups = best[column].astype(str)
    sizes = best.tasks.astype(str)
    labelled = best.assign(group=groups + ", n = " + sizes)
    # The interval of one or two tasks is nearly the whole axis. It is not drawn: its ends become NaN.
    ends = [HMS_INTERVAL.low, HMS_INTERVAL.high]
    is_drawn = labelled.tasks >= MIN_TASKS
    labelled[ends] = labelled[ends].where(is_drawn)
    return dots(labelled, "group", HMS_INTERVAL, leaderboard.style)


def _rows(benchmark: Benchmark, column: str, order: Sequence[str]) -> list[Row]:
    """Mean HMS by configuration and group; empty if the tasks are in fewer than two groups."""
    sizes: Counter[Group] = Counter()
    for result in benchmark.results:
        sizes.update(_groups(result.sample, column))
    if len(sizes) < 2:
        return []

    rows = []
    for standing in benchmark.standings:
        tasks_by_group = _by_group(standing.tasks, column)
        for group in _ordered(sizes, column, order):
            tasks = tasks_by_group[group]
            if tasks:
                row = {
                    **standing.key_columns,
                    column: group,
                    **interval_columns(mean_score(tasks)),
                    "kind": standing.kind,
                    **mean_bound_columns(tasks),
                    **count_columns(tasks),
                }
                rows.append(row)
    return rows


def _by_group(tasks: Sequence[TaskResult], column: str) -> dict[Group, list[TaskResult]]:
    """The tasks of each group."""
    by_group: dict[Group, list[TaskResult]] = defaultdict(list)
    for task in tasks:
        for group in _groups(task.sample, column):
            by_group[group].append(task)
    return by_group


def _groups(sample: SampleRecord, column: str) -> set[Group]:
    """The groups of a sample; empty if its log does not record the property."""
    value = getattr(sample, column)
    if value is None:
        return set()
    if column != TAGS:
        return {value}
    # Tags that differ only in case, hyphens or white space are one group.
    tags = value.casefold().replace("-", " ").split(",")
    groups: set[Group] = {" ".join(tag.split()) for tag in tags}
    return groups - {""}


def _ordered(sizes: Counter[Group], column: str, order: Sequence[str]) -> list[Group]:
    """The groups in the order in which a table shows them.

    Tags are ordered by decreasing number of samples, and other groups as in `order`. Groups that are not in `order`
    follow in alphabetical or numerical order.
    """
    groups = sorted(sizes)
    if column == TAGS:
        return sorted(groups, key=lambda group: -sizes[group])

    def place(group: Group) -> int:
        name = str(group)
        return order.index(name) if name in order else len(order)

    return sorted(groups, key=place)
