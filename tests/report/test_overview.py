"""Mean HMS by configuration: every number is worked out by hand."""

import pytest

from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.means import HIGH, HIGHEST, HMS, LOW, LOWEST
from inspect_discoverybench.report.table import shown_tables
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, result, results, rows, sections

OTHER = '{"judge": "provider/other"}'
OFFLINE = '{"judge": "discoverybench/lexical"}'


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_counted() -> None:
    section = sections(
        results({"a": 1.0, "b": 0.0}, epoch=1, gold_hypothesis="one"),
        results({"a": 0.5, "b": 0.0}, epoch=2, gold_hypothesis="one"),
        results({"c": 1.0}, gold_hypothesis="two"),
    )["hms"]
    assert rows(section, HMS, "tasks", "gold hypotheses") == [(pytest.approx(175 / 3), 3, 2)]


def test_missing_samples_are_counted_and_the_interval_covers_what_they_could_be() -> None:
    samples = [
        result("a", 1.0),
        result("a", epoch=2),
        result("b", 0.0, outcome="no submission"),
        result("c", 0.0, outcome="limit"),
        result("d", outcome="error"),
    ]
    section = sections(samples)["hms"]
    assert rows(section, LOWEST, HIGHEST) == [(12.5, 50)]
    [(low, high)] = rows(section, LOW, HIGH)
    assert low < 12.5
    assert high > 50
    outcomes = ("judged", "unscored", "no submission", "limit", "error", "invalidated")
    assert rows(section, *outcomes) == [(1, 1, 1, 1, 1, 0)]


@pytest.mark.parametrize(
    ("name", "column"),
    [("hms", HMS), ("domain", HMS), ("cost", HMS), ("facets", "variables × 100"), ("controls", f"agent {HMS}")],
)
def test_means_with_missing_samples_are_marked(name: str, column: str) -> None:
    section = sections(
        results({"a": 1.0, "b": MISSING, "c": 0.5}, agent="react", domain="x"),
        results({"a": 1.0, "b": 0.5}, agent="codegen", domain="x"),
        results({"a": 0.0, "b": 0.0}, agent="goal_echo", domain="y"),
    )[name]
    [table] = shown_tables(section.table, {})
    marked, unmarked, *_ = table.columns[column]
    assert marked.endswith("*")
    assert not unmarked.endswith("*")
    # Of HMS, and in the section of controls of the difference from `goal_echo` on the two common tasks.
    possible = "50.0 to 100.0" if name == "controls" else "50.0 to 83.3"
    assert table.columns["possible range"][:2] == [possible, "–"]


def test_the_best_agent_is_marked_and_oracles_and_the_floor_come_last() -> None:
    section = sections(
        results({"a": 0.5, "b": 0.5}, agent="goal_echo"),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 0.0, "b": 0.5}, agent="codegen"),
        results({"a": 1.0, "b": 0.5}, agent="react"),
    )["hms"]
    assert rows(section, "agent", "kind", HMS) == [
        ("react", "best agent", 75),
        ("codegen", "agent", 25),
        ("reflexion", "oracle", 100),
        ("goal_echo", "floor", 50),
    ]


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        (
            [],
            "there is no other agent to compare with",
        ),
        (
            [result("a", 0.5, agent="codegen", judge_record=OTHER)],
            "different judges scored the samples",
        ),
        (
            [result("a", 0.5, agent="codegen", judge_record=OFFLINE)],
            "the judge is not a language model",
        ),
        (
            [result("a", 0.5, agent="codegen", task_version="2-A")],
            "the task versions or the data differ",
        ),
        (
            [result("b", 0.5, agent="codegen")],
            "there is no other agent to compare with",
        ),
        (
            [result("a", 0.9, agent="goal_echo"), result("a", 0.5, agent="codegen")],
            "no agent is above the floor",
        ),
    ],
)
def test_no_best_agent_is_marked_without_a_reason_to(others: list[ResultRow], reason: str) -> None:
    first = result("a", 0.8)
    section = sections([first, *others])["hms"]
    kinds = set(section.table.kind)
    assert "best agent" not in kinds
    assert f"No best agent is marked for DB-REAL test, because {reason}." in section.text


def test_agents_with_few_scored_tasks_do_not_compete() -> None:
    tasks = [f"t{number}" for number in range(10)]
    section = sections(
        results(dict.fromkeys(tasks, 0.1), agent="react"),
        results(dict.fromkeys(tasks[:9], 0.2), agent="codegen"),
        results(dict.fromkeys(tasks[:8], 1.0), agent="datavoyager"),
    )["hms"]
    assert rows(section, "agent", "kind") == [
        ("datavoyager", "agent"),
        ("codegen", "best agent"),
        ("react", "agent"),
    ]


def test_a_mean_is_stated_on_new_studies() -> None:
    studies = ["nls", *"abcdefghi"]
    tasks = []
    for study in studies:
        tasks += results({f"{study} 1": 1.0, f"{study} 2": 0.0}, study=study)
    section = sections(tasks)["studies"]
    [(low, high)] = rows(section, "new studies low", "new studies high")
    assert low < 50 < high
    columns = ("studies", "largest study in %", "lowest without one study")
    assert rows(section, *columns) == [(10, 10, 50)]
    assert section.text.endswith(" Studies that are guesses: nls.")


@pytest.mark.parametrize(
    ("split", "tasks", "is_shown"),
    [
        ("test", 239, True),
        ("test", 238, False),
    ],
)
def test_published_scores_stand_beside_full_splits_only(split: str, tasks: int, is_shown: bool) -> None:
    names = [f"t{number}" for number in range(tasks)]
    scores = dict.fromkeys(names, 0.5)
    run = results(scores, split=split)
    report = sections(run)
    chart = report["hms"].chart
    assert chart is not None
    image = svg(chart)
    assert ("react · GPT-4o, paper: 24.4" in image) == is_shown
    assert ("published" in report) == is_shown
    if is_shown:
        table = rows(report["published"], "benchmark", "agent", f"{HMS}, GPT-4o")
        assert ("DB-REAL test", "react", 24.4) in table
