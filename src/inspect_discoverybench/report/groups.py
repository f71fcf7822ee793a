"""HMS by groups of tasks (paper, Figure 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspect_discoverybench.report.aggregates import FORMATS, HIGH, HMS, KEYS, LOW, aggregate, best_rows
from inspect_discoverybench.report.charts import IntervalColumns, dots
from inspect_discoverybench.report.figures import Chart, stack
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

BEST_ONLY = (
    "The figure shows only the best agent of each benchmark, which the first table marks: the first one if several are "
    "tied, and none if different judges scored the configurations. The table lists all agents."
)


@dataclass(frozen=True)
class Grouping:
    """A way to group tasks.

    Attributes:
        column: Column of the table of tasks.
        name: Name of the section.
        title: Heading of the section.
        text: What the groups are.
        order: Values in their order; others follow in alphabetical order.
    """

    column: str
    name: str
    title: str
    text: str
    order: tuple[str, ...] = ()


GROUPINGS = (
    Grouping("domain", "domain", "HMS by domain", "HMS × 100 by domain of the study (paper, Figure 5a)."),
    Grouping(
        "goal_type",
        "goal_type",
        "HMS by goal type",
        "HMS × 100 by the facet that the goal asks for (paper, Figure 5b).",
        ("context", "variables", "relationship", "general"),
    ),
    Grouping(
        "workflow_bucket",
        "workflow_length",
        "HMS by workflow length",
        "HMS × 100 by number of steps of the gold workflow: s is below 10, m is 10 to 20, l is above 20 (paper, "
        "Figure 5c). Only the train split of DB-REAL has public workflows.",
        ("s", "m", "l"),
    ),
    Grouping(
        "difficulty",
        "difficulty",
        "HMS by difficulty",
        "HMS × 100 by the released difficulty of the task, from 1 (easy) to 4.",
    ),
    Grouping(
        "tree_level",
        "tree_level",
        "HMS by tree level",
        "HMS × 100 by level of the hypothesis below the root of its semantic tree in DB-SYNTH (compare Figure 5c of "
        "the paper, which uses the height of the tree).",
    ),
    Grouping(
        "solvable",
        "solvable",
        "HMS by solvability",
        "HMS × 100 of tasks whose target column varies (solvable), and of tasks whose target column has a single "
        "value, so that the data cannot support the gold hypothesis.",
        ("True", "False"),
    ),
)


def group_sections(tasks: "pd.DataFrame") -> list[Section]:
    """One section for each grouping that has at least two groups.

    Args:
        tasks: The table of tasks.
    """
    return [section for grouping in GROUPINGS if (section := _section(tasks, grouping)) is not None]


def group_section(tasks: "pd.DataFrame", grouping: Grouping, by_size: bool = False) -> Section:
    """HMS by group for every configuration.

    Args:
        tasks: The table of tasks. Tasks without a value are left out.
        grouping: How to group them.
        by_size: Order the groups of each configuration by decreasing number of tasks.
    """
    import pandas as pd

    column = grouping.column
    table = aggregate(tasks, [column])
    places = {value: place for place, value in enumerate(grouping.order)}
    values = sorted(set(table[column]), key=lambda value: (places.get(str(value), len(places)), value))
    table[column] = pd.Categorical(table[column], values)
    by = ["benchmark", "configuration", *(["tasks"] if by_size else []), column]
    table = table.sort_values(by, ascending=[name != "tasks" for name in by], kind="stable")
    table = table.astype({column: object}).reset_index(drop=True)
    return Section(
        name=grouping.name,
        title=grouping.title,
        text=f"{grouping.text} {BEST_ONLY} Groups with few tasks have wide intervals.{_note(tasks, column)}",
        table=table,
        filters=(*KEYS, column),
        chart=_chart(table, tasks, column),
        formats={**FORMATS, **dict.fromkeys(("difficulty", "tree_level"), ".0f")},
    )


def _section(tasks: "pd.DataFrame", grouping: Grouping) -> Section | None:
    labelled = tasks[tasks[grouping.column].notna()]
    counts = labelled.groupby("benchmark")[grouping.column].nunique()
    labelled = labelled[labelled.benchmark.isin(counts[counts > 1].index)]
    return None if labelled.empty else group_section(labelled, grouping)


def _note(tasks: "pd.DataFrame", column: str) -> str:
    if column != "goal_type" or tasks[(tasks.task == "real") & (tasks.split == "test")].empty:
        return ""
    return " The test split of DB-REAL has no figure by workflow length (Figure 5c): its workflows are not public."


def _chart(table: "pd.DataFrame", tasks: "pd.DataFrame", column: str) -> Chart | None:
    panels: dict[str, Chart | None] = {}
    for (benchmark, configuration), rows in best_rows(table, tasks).groupby(["benchmark", "configuration"], sort=False):
        labels = _labels(rows[column].tolist(), rows.tasks.tolist())
        panels[f"{benchmark}\n{configuration}"] = dots(
            rows.assign(label=labels), "label", IntervalColumns(HMS, LOW, HIGH, "HMS × 100, 95 % interval")
        )
    return stack(panels)


def _labels(values: Sequence[object], counts: Sequence[int]) -> list[str]:
    names = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    return [f"{name}, n = {count}" for name, count in zip(names, counts, strict=True)]
