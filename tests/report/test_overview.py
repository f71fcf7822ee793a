"""Mean HMS by configuration: every number is worked out by hand."""

import math
from typing import Any

import pytest

from inspect_discoverybench.report.means import HIGH, HMS, IF_0, IF_1, LOW
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.typed_results import result, results, rows, sections


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_clusters() -> None:
    section = sections(
        results({"a": 1.0, "b": 0.0}, epoch=1, gold_hypothesis="one"),
        results({"a": 0.5, "b": 0.0}, epoch=2, gold_hypothesis="one"),
        results({"c": 1.0}, gold_hypothesis="two"),
    )["hms"]
    expected = estimate_mean([0.75, 0.0, 1.0], ["one", "one", "two"])
    [(mean, low, tasks, golds)] = rows(section, HMS, LOW, "tasks", "gold hypotheses")
    assert mean == pytest.approx(175 / 3)
    assert low == pytest.approx(100 * expected.low)
    assert (tasks, golds) == (3, 2)


def test_missing_samples_are_counted_and_the_interval_covers_what_they_could_be() -> None:
    section = sections(
        [
            result("a", 1.0),
            result("a", epoch=2),
            result("b", 0.0, outcome="no submission"),
            result("c", 0.0, outcome="limit"),
            result("d", outcome="error"),
        ]
    )["hms"]
    [(mean, if_0, if_1)] = rows(section, HMS, IF_0, IF_1)
    assert (mean, if_0, if_1) == (pytest.approx(100 / 3), 12.5, 50)
    [(low, high)] = rows(section, LOW, HIGH)
    assert low < if_0 < if_1 < high
    outcomes = ("scored", "unscored", "no submission", "limit", "error")
    assert rows(section, *outcomes) == [(1, 1, 1, 1, 1)]


def test_there_are_no_bounds_if_nothing_is_missing() -> None:
    [(if_0,)] = rows(sections(results({"a": 1.0}))["hms"], IF_0)
    assert math.isnan(if_0)


def test_the_best_agent_is_marked_and_oracles_and_the_floor_come_last() -> None:
    section = sections(
        results({"a": 0.5, "b": 0.5}, agent="goal_echo"),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 0.0, "b": 0.5}, agent="codegen"),
        results({"a": 1.0, "b": 0.5}, agent="react"),
    )["hms"]
    assert rows(section, "agent", "kind", HMS) == [
        ("react", "best agent", 75.0),
        ("codegen", "agent", 25.0),
        ("reflexion", "oracle", 100.0),
        ("goal_echo", "floor", 50.0),
    ]


OFFLINE = '{"judge": "discoverybench/lexical"}'


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([], "there is no other agent to compare with"),
        (results({"a": 1.0}, agent="reflexion"), "there is no other agent to compare with"),
        (results({"a": 0.5}, agent="codegen", judge_record='{"judge": "x"}'), "different judges scored the samples"),
        (results({"a": 0.5}, agent="codegen", judge_record=OFFLINE), "the judge is no language model"),
        (results({"a": 0.9}, agent="goal_echo") + results({"a": 0.5}, agent="x"), "no agent is above the floor"),
    ],
)
def test_no_best_agent_is_marked_without_a_reason_to(others: list[Result], reason: str) -> None:
    section = sections(results({"a": 0.8}), others)["hms"]
    assert ("best agent",) not in rows(section, "kind")
    assert f"No best agent is marked for DB-REAL test, because {reason}." in section.text


def test_agents_with_few_scored_tasks_do_not_compete() -> None:
    tasks = [f"t{number}" for number in range(10)]
    section = sections(
        results(dict.fromkeys(tasks, 0.1), agent="react"),
        results(dict.fromkeys(tasks[:9], 0.2), agent="codegen"),
        results(dict.fromkeys(tasks[:8], 1.0), agent="datavoyager"),
    )["hms"]
    assert rows(section, "agent", "kind")[:2] == [("datavoyager", "agent"), ("codegen", "best agent")]


def test_a_mean_is_stated_on_new_studies() -> None:
    tasks = [result(f"t{number}", number % 2.0, study=f"study {number // 2}") for number in range(18)]
    guessed = results({"x": 1.0, "y": 1.0}, study="nls")
    section = sections(tasks, guessed)["studies"]
    studies = [task.sample.study for task in tasks + guessed]
    expected: Any = estimate_mean([0.0, 1.0] * 9 + [1.0, 1.0], range(20), studies).new_studies
    [(low, high)] = rows(section, "new studies low", "new studies high")
    assert (low, high) == pytest.approx((100 * expected.low, 100 * expected.high))
    assert rows(section, "studies", "largest study in %") == [(10, 10)]
    assert section.text.endswith(" Studies that are guesses: nls.")


def test_few_studies_say_nothing_about_new_ones() -> None:
    section = sections(results({"a": 0.0}, study="x"), results({"b": 1.0}, study="y"))["studies"]
    [(low, lowest, highest)] = rows(section, "new studies low", "lowest without one study", "highest without one study")
    assert math.isnan(low)
    assert (lowest, highest) == (0, 100)


def test_published_scores_stand_beside_full_splits_only() -> None:
    full = [result(f"t{number}", 0.5) for number in range(239)]
    section = sections(full)["published"]
    assert ("DB-REAL test", "react", 24.4) in rows(section, "benchmark", "agent", f"{HMS}, GPT-4o")
    assert "264 tasks" in section.text
    assert "published" not in sections(full[1:])
    train = [result(f"t{number}", 0.5, split="train") for number in range(25)]
    assert "published" not in sections(train)
