"""Mean HMS by group of tasks."""

import re

from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.table import means_by_group
from tests.typed_results import results, rows, sections


def test_tasks_are_grouped_if_a_benchmark_has_several_groups() -> None:
    parts = sections(
        results({"a": 1.0, "b": 0.0}, domain="biology", goal_type="variables"),
        results({"c": 0.5}, domain="archaeology", goal_type="context"),
        results({"d": 1.0}, split="train", workflow_bucket="m"),
        results({"e": 0.0}, split="train", workflow_bucket="s"),
        results({"f": 0.0}, task="synth", difficulty=2, solvable=False),
        results({"g": 1.0}, task="synth", difficulty=1, solvable=True),
    )
    assert rows(parts["domain"], "domain", "benchmark", HMS, "tasks") == [
        ("archaeology", "DB-REAL test", 50, 1),
        ("biology", "DB-REAL test", 50, 2),
    ]
    assert rows(parts["goal_type"], "goal_type", HMS) == [
        ("context", 50),
        ("variables", 50),
    ]
    assert rows(parts["workflow_length"], "workflow_bucket", HMS) == [
        ("s", 0),
        ("m", 100),
    ]
    assert rows(parts["difficulty"], "difficulty", HMS) == [
        (1, 100),
        (2, 0),
    ]
    assert rows(parts["solvable"], "solvable", HMS) == [
        (True, 100),
        (False, 0),
    ]


def test_a_task_counts_for_each_of_its_tags() -> None:
    section = sections(
        results({"a": 1.0}, workflow_tags="Regression,data-cleaning, "),
        results({"b": 0.0}, workflow_tags="regression, Alchemy of  Data"),
    )["workflow_tags"]
    assert rows(section, "workflow_tags", HMS, "tasks") == [
        ("regression", 50, 2),
        ("alchemy of data", 0, 1),
        ("data cleaning", 100, 1),
    ]


def test_the_page_has_a_column_for_each_group_and_no_interval_for_fewer_than_three_tasks() -> None:
    four_tasks = {f"t{number}": number % 2 for number in range(4)}
    section = sections(
        results(four_tasks, domain="biology"),
        results({"x": 1.0, "y": 0.0}, domain="archaeology"),
        results({"x": 1.0}, domain="archaeology", agent="codegen"),
    )["domain"]
    [table] = means_by_group(section.table, {}, "domain")
    assert table.columns["configuration"] == ["codegen · provider/model", "react · provider/model"]
    assert table.columns["archaeology"] == ["100.0\n1 task", "50.0\n2 tasks"]
    of_codegen, of_react = table.columns["biology"]
    assert of_codegen == "–"  # it has no task in biology
    assert re.fullmatch(r"50\.0\n\d+\.\d to \d+\.\d, n 4", of_react)


def test_more_groups_than_configurations_are_rows() -> None:
    section = sections(*(results({name: 1.0}, domain=name) for name in "cab"))["domain"]
    [table] = means_by_group(section.table, {}, "domain")
    assert table.columns == {"domain": ["a", "b", "c"], "react · provider/model": ["100.0\n1 task"] * 3}
