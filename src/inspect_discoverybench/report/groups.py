"""The sections that group tasks by a property, such as their domain (paper, Figures 5 and 6)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

import pandas as pd
import yaml

from inspect_discoverybench.report.charts import PANEL, Chart, dots
from inspect_discoverybench.report.leaderboard import BEST, Benchmark, Leaderboard
from inspect_discoverybench.report.means import HIGH, HMS, LOW, Row, hms_columns
from inspect_discoverybench.report.section import Section, descriptions
from inspect_discoverybench.report.table import cell_text
from inspect_discoverybench.results.sample_record import SampleRecord

CATEGORY = "workflow_category"
"""Column of the categories of workflows: a task is in each of its categories."""

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
            yield Section(name, table, _chart(leaderboard, table, description.column))


def _rows(benchmark: Benchmark, column: str, order: Sequence[str]) -> list[Row]:
    """Mean HMS by configuration and group; empty if all tasks are in one group."""
    sizes: Counter[Group] = Counter()
    for result in benchmark.results:
        sizes.update(_groups_of(result.sample, column))
    if len(sizes) < 2:
        return []

    rows = []
    for standing in benchmark.standings:
        for group in _ordered(sizes, column, order):
            tasks = [task for task in standing.tasks if group in _groups_of(task.results[0].sample, column)]
            if tasks:
                rows.append(standing.key_columns | {column: group} | hms_columns(tasks))
    return rows


def _groups_of(sample: SampleRecord, column: str) -> Sequence[Group]:
    """The groups of a sample; empty if its log does not record the property."""
    if column == CATEGORY:
        return workflow_categories(sample.workflow_tags or "")
    value = getattr(sample, column)
    return () if value is None else (value,)


def _ordered(sizes: Counter[Group], column: str, order: Sequence[str]) -> list[Group]:
    """The groups in the order of the description, others by name; categories by decreasing size."""
    groups = sorted(sizes)
    if column == CATEGORY:
        return sorted(groups, key=lambda group: -sizes[group])
    places = {name: place for place, name in enumerate(order)}
    return sorted(groups, key=lambda group: places.get(str(group), len(places)))


def _chart(leaderboard: Leaderboard, table: pd.DataFrame, column: str) -> Chart | None:
    """The groups of the best agent of each benchmark; None if no best agent is marked."""
    panels = []
    for benchmark in leaderboard.benchmarks:
        best = benchmark.standings[0]
        if best.kind != BEST:
            continue
        rows = table[(table.benchmark == benchmark.name) & (table.configuration == best.name)]
        labels = [f"{cell_text(group)}, n = {count}" for group, count in zip(rows[column], rows.tasks, strict=True)]
        panel = rows[[HMS, LOW, HIGH]].assign(label=labels, agent=best.configuration.agent)
        panel[PANEL] = f"{benchmark.title}\n{best.name}"
        panels.append(panel)
    if not panels:
        return None
    return dots(pd.concat(panels), "label", (HMS, LOW, HIGH), leaderboard.colors)


def workflow_categories(tags: str) -> tuple[str, ...]:
    """The workflow categories of a task (paper §4.1), without repetition; the tags are separated by commas.

    A tag that is not in any category is its own category, in its folded form.
    """
    words = tags.casefold().replace("-", " ").replace("_", " ")
    folded = [" ".join(tag.split()) for tag in words.split(",")]
    categories = [_categories_by_tag().get(tag, tag) for tag in folded if tag]
    return tuple(dict.fromkeys(categories))


@cache
def _categories_by_tag() -> dict[str, str]:
    table = yaml.safe_load(files(__package__).joinpath("workflow_categories.yaml").read_text("utf-8"))
    categories = {}
    for category, other_spellings in table.items():
        for tag in (category, *other_spellings):
            categories[tag] = category
    return categories
