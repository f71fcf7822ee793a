"""The sections that group tasks by a property, such as their domain (paper, Figures 5 and 6)."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from inspect_discoverybench.report.charts import dots
from inspect_discoverybench.report.leaderboard import BEST, Benchmark, Leaderboard
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, hms_columns
from inspect_discoverybench.report.section import Section, descriptions
from inspect_discoverybench.results.sample_record import SampleRecord

TAGS = "workflow_tags"
"""Column of tags, separated by commas: a task is in the group of each."""

Group = str | int | bool


def group_sections(leaderboard: Leaderboard) -> Iterator[Section]:
    """The sections for which the tasks of a benchmark are in different groups."""
    for name, description in descriptions().items():
        if description.column is None:
            continue
        rows: list[Row] = []
        for benchmark in leaderboard.benchmarks:
            rows += _rows(benchmark, description.column, description.order)
        if rows:
            table = pd.DataFrame(rows)
            best = table[table.kind == BEST]
            labels = best[description.column].astype(str) + ", n = " + best.tasks.astype(str)
            chart = dots(best.assign(label=labels), "label", (HMS, LOW, HIGH), leaderboard.style)
            yield Section(name, table, chart)


def _rows(benchmark: Benchmark, column: str, order: Sequence[str]) -> list[Row]:
    """Mean HMS by configuration and group; empty if all tasks are in one group."""
    sizes: Counter[Group] = Counter()
    for result in benchmark.results:
        sizes.update(_groups(result.sample, column))
    if len(sizes) < 2:
        return []

    rows = []
    for standing in benchmark.standings:
        for group in _ordered(sizes, column, order):
            tasks = [task for task in standing.tasks if group in _groups(task.results[0].sample, column)]
            if tasks:
                row = standing.key_columns | {column: group, "kind": standing.kind}
                rows.append(row | hms_columns(tasks))
    return rows


def _groups(sample: SampleRecord, column: str) -> Sequence[Group]:
    """The groups of a sample; empty if its log does not record the property."""
    value = getattr(sample, column)
    if not isinstance(value, str) or column != TAGS:
        return [] if value is None else [value]
    folded = [" ".join(tag.split()) for tag in value.casefold().replace("-", " ").split(",")]
    return list(filter(None, folded))


def _ordered(sizes: Counter[Group], column: str, order: Sequence[str]) -> list[Group]:
    """The groups in the order of the description, others by name; tags by decreasing number of samples."""
    groups = sorted(sizes)
    if column == TAGS:
        return sorted(groups, key=lambda group: -sizes[group])
    places = {name: place for place, name in enumerate(order)}
    return sorted(groups, key=lambda group: places.get(str(group), len(places)))
