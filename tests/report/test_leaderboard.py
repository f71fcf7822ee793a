"""Benchmarks and configurations: which tasks were run, which splits are pooled, and which names tell them apart."""

import pytest

from tests.typed_results import MISSING, contents, result, results


def titles(*groups: object, pool_splits: bool = False) -> list[str]:
    return list(contents(*groups, pool_splits=pool_splits).leaderboard.style.titles.values())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        ("first", "first 3 in file order"),
        ("shuffled", "3 drawn at random"),
        ("all", "3 selected"),
    ],
)
def test_the_title_of_a_partial_run_says_which_tasks_it_has(selection: str, words: str) -> None:
    rows = [
        *results({"a": 1.0, "b": MISSING}, domain="humanities", selection=selection),
        *results({"c": 0.0}, domain="biology", selection=selection),
    ]
    assert titles(rows) == [f"DB-REAL test: 3 of 239 tasks ({words}: humanities 2, biology 1)"]


def test_the_title_of_a_full_run_says_so() -> None:
    assert titles(results({"a": 1.0, "b": 0.0}, task="custom", task_samples=2)) == ["custom: all 2 tasks"]


def test_configurations_with_different_tasks_are_counted() -> None:
    groups = [results({"a": 1.0, "b": 0.0}), results({"a": 1.0}, agent="codegen")]
    assert titles(*groups) == ["DB-REAL test: 1 to 2 of 239 tasks"]


def test_splits_are_one_benchmark_if_the_task_or_the_report_pools_them() -> None:
    groups = [results({"a": 1.0}), results({"b": 0.0}, split="train")]
    assert titles(*groups)[0].startswith("DB-REAL test: 1 of 239 tasks")
    assert titles(*groups, pool_splits=True) == ["DB-REAL all: 2 of 264 tasks (2 selected: sociology 2)"]
    arguments = '{"split": "all"}'
    pooled = [result("a", 1.0, task_arguments=arguments), result("b", 0.0, split="train", task_arguments=arguments)]
    assert titles(pooled) == ["DB-REAL all: 2 of 264 tasks (2 selected: sociology 2)"]


def test_names_of_configurations_show_what_varies() -> None:
    limits = "message_limit=10"
    hints = '{"domain_knowledge": true, "split": "test"}'
    leaderboard = contents(
        results({"a": 1.0}),
        results({"a": 0.8}, limits=limits),
        results({"a": 0.5}, limits=limits, task_arguments=hints),
        results({"a": 0.5}, agent="codegen", limits=limits),
    ).leaderboard
    assert [standing.name for standing in leaderboard.standings] == [
        "react · provider/model",
        "react · provider/model (message_limit=10)",
        "react · provider/model (domain_knowledge, message_limit=10)",
        "codegen · provider/model",
    ]


def test_a_placebo_is_a_benchmark_of_its_own() -> None:
    arguments = '{"placebo": 7, "split": "test"}'
    placebo = results({"a": 0.0}, task="real_placebo", task_arguments=arguments)
    names = [benchmark.name for benchmark in contents(results({"a": 1.0}), placebo).leaderboard.benchmarks]
    assert names == ["DB-REAL test", "DB-REAL test, placebo 7"]


def test_agents_have_the_same_colour_in_every_report() -> None:
    first, second = (
        contents(*(results({"a": 1.0}, agent=agent) for agent in agents)).leaderboard.style.colors
        for agents in (("react", "other"), ("another", "react", "codegen"))
    )
    assert first["react"] == second["react"]
    assert len({second["another"], second["react"], second["codegen"]}) == 3
