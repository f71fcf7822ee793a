"""The scores that the paper published, beside those of full splits.

They are in the form of the released evaluator, so only the chart of the scores in this form shows them.
"""

from typing import Any

import pytest

from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.section import Section
from tests.typed_results import result, results, rows, sections

FULL_SPLIT = 239
"""Number of tasks of DB-REAL test."""

OF_PAPER = "react · GPT-4o, paper: 24.4"
"""The label of a published score in a chart."""


def report_of(tasks: int, **columns: Any) -> dict[str, Section]:
    return sections([result(f"t{number}", 0.5, split="test", **columns) for number in range(tasks)])


def published_rows(report: dict[str, Section]) -> list[tuple[Any, ...]]:
    return rows(report["published"], "benchmark", "agent", f"{HMS}, GPT-4o")


def test_published_scores_stand_beside_the_released_form_of_a_full_split() -> None:
    report = report_of(FULL_SPLIT, hms_released=0.4)
    assert rows(report["released"], "HMS released × 100") == [(pytest.approx(40),)]
    assert OF_PAPER in image_of(report["released"])
    assert "paper: 24.4" not in image_of(report["hms"])
    assert ("DB-REAL test", "react", 24.4) in published_rows(report)
    assert "have no score in this form" not in report["published"].text


def test_without_the_released_form_the_published_scores_of_a_full_split_are_only_in_a_table() -> None:
    report = report_of(FULL_SPLIT)
    assert "released" not in report
    assert "paper: 24.4" not in image_of(report["hms"])
    assert ("DB-REAL test", "react", 24.4) in published_rows(report)
    assert "have no score in this form" in report["published"].text


def test_an_agent_with_a_framing_is_not_drawn_beside_published_scores() -> None:
    full = {f"t{number}": 0.5 for number in range(FULL_SPLIT)}
    neutral = results(full, hms_released=0.4)
    pressure = results(full, hms_released=0.4, task_arguments='{"framing": "pressure"}')
    section = sections(neutral, pressure)["released"]
    assert len(section.table) == 2
    assert OF_PAPER in image_of(section)
    assert "pressure" not in image_of(section)


def test_a_part_of_a_split_has_no_published_scores() -> None:
    report = report_of(FULL_SPLIT - 1, hms_released=0.4)
    assert "published" not in report
    assert rows(report["released"], "HMS released × 100") == [(pytest.approx(40),)]
    assert OF_PAPER not in image_of(report["released"])
    assert "paper: 24.4" not in image_of(report["hms"])


def test_a_part_of_a_split_without_the_released_form_has_no_published_scores() -> None:
    report = report_of(FULL_SPLIT - 1)
    assert "published" not in report
    assert "released" not in report
    assert "paper: 24.4" not in image_of(report["hms"])


def image_of(section: Section) -> str:
    assert section.chart is not None
    return svg(section.chart)
