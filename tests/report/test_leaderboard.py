"""Benchmarks and configurations: which tasks were run, which splits are pooled, and which names tell them apart."""

import pytest

from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, contents, results


def titles(*groups: list[ResultRow], pool_splits: bool = False) -> list[str]:
    shown = contents(*groups, pool_splits=pool_splits)
    return [benchmark.title for benchmark in shown.leaderboard.benchmarks]


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        ("first", "first 3 in file order"),
        ("shuffled", "3 drawn at random"),
        ("all", "3 selected"),
    ],
)
def test_the_title_of_a_partial_run_says_which_tasks_it_has(selection: str, words: str) -> None:
    humanities = results({"a": 1.0, "b": MISSING}, domain="humanities", selection=selection)
    biology = results({"c": 0.0}, domain="biology", selection=selection)
    [title] = titles(humanities, biology)
    assert title == f"DB-REAL test: 3 of 239 tasks ({words}: humanities 2, biology 1)"


def test_the_title_of_a_full_run_says_so() -> None:
    full = results({"a": 1.0, "b": 0.0}, task="custom", task_samples=2)
    assert titles(full) == ["custom: all 2 tasks"]
    assert titles(results({"a": 1.0}, task="custom", task_samples=1)) == ["custom: the only task"]


def test_if_configurations_ran_different_tasks_the_title_has_the_largest_number() -> None:
    two = results({"a": 1.0, "b": 0.0})
    one = results({"a": 1.0}, agent="codegen")
    assert titles(two, one) == ["DB-REAL test: up to 2 of 239 tasks, not the same for all"]


def test_without_a_recorded_number_of_tasks_the_title_counts_those_that_were_run() -> None:
    two = results({"a": 1.0, "b": 0.0}, task="custom", task_samples=None)
    one = results({"a": 1.0}, task="custom", task_samples=None, agent="codegen")
    assert titles(two) == ["custom: all 2 tasks"]
    assert titles(two, one) == ["custom: up to 2 of 2 tasks, not the same for all"]


def test_splits_are_one_benchmark_if_the_task_or_the_report_pools_them() -> None:
    pooled = ["DB-REAL all: 2 of 264 tasks (2 selected: sociology 2)"]
    test = results({"a": 1.0})
    train = results({"b": 0.0}, split="train")
    assert len(titles(test, train)) == 2
    assert titles(test, train, pool_splits=True) == pooled

    arguments = '{"split": "all"}'
    test = results({"a": 1.0}, task_arguments=arguments)
    train = results({"b": 0.0}, split="train", task_arguments=arguments)
    assert titles(test, train) == pooled


@pytest.mark.parametrize("pool_splits", [False, True])
def test_the_lite_split_is_never_pooled_with_test(pool_splits: bool) -> None:
    test = results({"a": 1.0})
    lite = results({"a": 0.0}, task_arguments='{"split": "lite"}', task_samples=48)
    pooled = "all: 1 of 264" if pool_splits else "test: 1 of 239"
    shown = titles(test, lite, pool_splits=pool_splits)
    assert {title.partition(" tasks")[0] for title in shown} == {"DB-REAL lite: 1 of 48", f"DB-REAL {pooled}"}


def test_names_of_configurations_show_what_varies() -> None:
    limits = "message_limit=10"
    hints = '{"domain_knowledge": true, "split": "test"}'  # names have only the hint; the split is in the title
    shown = contents(
        results({"a": 1.0}),
        results({"a": 0.9}, agent_arguments="actions=text"),
        results({"a": 0.8}, limits=limits),
        results({"a": 0.5}, limits=limits, task_arguments=hints),
        results({"a": 0.5}, agent="codegen", limits=limits),
    )
    assert [standing.name for standing in shown.leaderboard.standings] == [
        "react · provider/model",
        "react · provider/model (actions=text)",
        "react · provider/model (message_limit=10)",
        "react · provider/model (domain_knowledge, message_limit=10)",
        "codegen · provider/model (message_limit=10)",
    ]


def test_hints_are_named_even_if_all_runs_have_them() -> None:
    """Scores of DB-REAL are shown beside published scores, which are without hints. None are published for the demo."""
    hints = '{"domain_knowledge": true}'
    shown = contents(results({"a": 1.0}, task_arguments=hints), results({"a": 0.5}, task="demo", task_arguments=hints))
    names = {standing.configuration.benchmark: standing.name for standing in shown.leaderboard.standings}
    assert names == {"DB-REAL test": "react · provider/model (domain_knowledge)", "demo": "react · provider/model"}
