"""The sections of the report in reading order."""

from typing import TYPE_CHECKING

from inspect_discoverybench.report.aggregates import task_table
from inspect_discoverybench.report.answers import answer_section
from inspect_discoverybench.report.configurations import main_judge
from inspect_discoverybench.report.cost import cost_section
from inspect_discoverybench.report.facets import facet_section, loss_section
from inspect_discoverybench.report.groups import group_sections
from inspect_discoverybench.report.hints import hint_section
from inspect_discoverybench.report.judge_labels import judge_notes
from inspect_discoverybench.report.judges import judge_sections
from inspect_discoverybench.report.memory import memory_section
from inspect_discoverybench.report.overview import oracle_section, overview_section, published_section
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.variants import variant_section
from inspect_discoverybench.report.workflow_categories import category_section

if TYPE_CHECKING:
    import pandas as pd


def sections(samples: "pd.DataFrame") -> list[Section]:
    """All sections that the samples have data for.

    Args:
        samples: The frame of samples with the columns of `label_configurations`, with all judges.
    """
    judged = main_judge(samples)
    tasks = task_table(judged)
    candidates: list[Section | None] = [
        overview_section(tasks, judge_notes(judged)),
        published_section(tasks),
        oracle_section(tasks),
        facet_section(tasks),
        loss_section(judged),
        answer_section(judged),
        *group_sections(tasks),
        category_section(tasks),
        hint_section(tasks),
        variant_section(tasks),
        memory_section(tasks),
        cost_section(tasks),
        *judge_sections(samples),
    ]
    return [section for section in candidates if section is not None]
