"""Mean HMS by configuration: every number is worked out by hand."""

import math
from typing import Any

import pytest

from inspect_discoverybench.report.means import HIGH, HMS, LOW
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.typed_results import MISSING, result, results, rows, sections


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_clusters() -> None:
    table: Any = sections(
        results({"a": 1.0, "b": 0.0, "c": 0.5}, epoch=1, gold_hypothesis="one"),
        results({"a": 0.5, "b": 0.0, "c": 0.5}, epoch=2, gold_hypothesis="one"),
        results({"d": 1.0}, gold_hypothesis="two"),
    )["hms"].table
    expected = estimate_mean([0.75, 0.0, 0.5, 1.0], ["one", "one", "one", "two"])
    assert table.loc[0, [HMS, LOW, HIGH]].tolist() == pytest.approx([56.25, 100 * expected.low, 100 * expected.high])
    assert table.loc[0, ["tasks", "gold hypotheses", "scored", "unscored"]].tolist() == [4, 2, 7, 0]


def test_missing_samples_are_counted_and_give_bounds() -> None:
    faulty = [
        *results({"a": 1.0, "b": MISSING}),
        result("c", outcome="error"),
        result("d", 0.0, outcome="no submission"),
        result("e", 0.0, outcome="limit"),
    ]
    table: Any = sections(faulty, results({"a": 1.0}, agent="codegen"))["hms"].table
    assert table.loc[1, [HMS, "HMS if missing 0", "HMS if missing 1"]].tolist() == pytest.approx([100 / 3, 20, 60])
    assert table.loc[1, LOW] < 20 < 60 < table.loc[1, HIGH]  # the interval covers whatever they could have scored
    assert table.loc[1, ["scored", "unscored", "no submission", "limit", "error"]].tolist() == [1, 1, 1, 1, 1]
    assert math.isnan(table.loc[0, "HMS if missing 0"])


def test_a_missing_epoch_counts_in_the_bounds() -> None:
    epochs = [result("a", 1.0, epoch=1), result("a", MISSING, epoch=2), *results({"b": 0.0})]
    [bounds] = rows(sections(epochs)["hms"], HMS, "HMS if missing 0", "HMS if missing 1")
    assert bounds == (50, 25, 50)


def test_the_best_agent_is_marked_and_oracles_and_the_floor_come_last() -> None:
    section = sections(
        results({"a": 0.5, "b": 0.6}, agent="goal_echo"),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 0.0, "b": 0.5}, agent="codegen"),
        results({"a": 1.0, "b": 0.5}, agent="react"),
    )["hms"]
    assert rows(section, "configuration", "kind", HMS) == [
        ("react · provider/model", "best agent", 75.0),
        ("codegen · provider/model", "agent", 25.0),
        ("reflexion · provider/model", "oracle", 100.0),
        ("goal_echo · provider/model", "floor", pytest.approx(55)),
    ]


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([], "there is no other agent to compare with"),
        (results({"a": 1.0}, agent="reflexion"), "there is no other agent to compare with"),
        (results({"a": 0.5}, agent="codegen", judge_record='{"judge": "x"}'), "different judges scored the samples"),
        (
            [*results({"a": 0.5}, agent="codegen"), *results({"a": 0.9}, agent="goal_echo")],
            "no agent is above the floor",
        ),
    ],
)
def test_no_best_agent_is_marked_without_a_reason_to(others: list[Any], reason: str) -> None:
    section = sections(results({"a": 0.8}), others)["hms"]
    assert "best agent" not in [kind for (kind,) in rows(section, "kind")]
    assert f"No best agent is marked for DB-REAL test, because {reason}." in section.text


def test_an_offline_judge_names_no_best_agent() -> None:
    record = '{"judge": "discoverybench/lexical"}'
    agents = [results({"a": 1.0}, agent=agent, judge_record=record) for agent in ("react", "codegen")]
    section = sections(*agents)["hms"]
    assert rows(section, "kind") == [("agent",), ("agent",)]
    assert "because the judge is no language model" in section.text


def test_agents_with_few_scored_tasks_do_not_compete() -> None:
    many = [f"t{number}" for number in range(10)]
    section = sections(
        results(dict.fromkeys(many, 0.1), agent="react"),
        results(dict.fromkeys(many[:9], 0.2), agent="codegen"),
        results(dict.fromkeys(many[:8], 1.0), agent="datavoyager"),
    )["hms"]
    kinds = {name.split()[0]: kind for name, kind in rows(section, "configuration", "kind")}
    assert kinds == {"datavoyager": "agent", "codegen": "best agent", "react": "agent"}


def test_a_mean_is_stated_on_these_tasks_and_on_new_studies() -> None:
    parts = sections(
        [result(f"t{number}", number % 2.0, study=f"study {number // 2}") for number in range(18)],
        results({"x": 1.0, "y": 1.0}, study="nls"),
        results({"a": 0.5, "b": 0.5}, agent="codegen"),
    )
    scores = [number % 2.0 for number in range(18)] + [1.0, 1.0]
    studies = [f"study {number // 2}" for number in range(18)] + ["nls", "nls"]
    expected: Any = estimate_mean(scores, range(20), studies)
    [row] = rows(parts["studies"], HMS, LOW, "new studies low", "new studies high", "studies", "largest study in %")
    new = expected.new_studies
    assert row == pytest.approx((55, 100 * expected.low, 100 * new.low, 100 * new.high, 10, 10))
    assert parts["studies"].text.endswith(" Studies that are guesses: nls.")


def test_few_studies_say_nothing_about_new_ones() -> None:
    few = [*results({"a": 0.0, "b": 0.5}, study="x"), *results({"c": 1.0}, study="y"), *results({"d": 1.0}, study="z")]
    table: Any = sections(few)["studies"].table
    assert table[["new studies low", "new studies high"]].isna().all(axis=None)
    assert rows(sections(few)["studies"], "lowest without one study", "highest without one study") == [(50, 100)]


def test_the_last_and_the_best_trial_of_oracles_are_of_the_same_samples() -> None:
    trials = [result("a", 0.5, agent="reflexion", best_trial_hms=1.0), result("b", 0.0, agent="reflexion")]
    assert rows(sections(trials)["oracles"], "last trial", "best trial") == [(50, 100)]


def test_published_scores_stand_beside_full_splits_only() -> None:
    ids = [f"t{number}" for number in range(239)]
    full = results(dict.fromkeys(ids, 0.5))
    assert rows(sections(full)["published"], "benchmark", "agent", f"{HMS}, GPT-4o")[-2:] == [
        ("DB-REAL test", "react", 24.4),
        ("DB-REAL test", "reflexion", 24.6),
    ]
    assert "264 tasks" in sections(full)["published"].text
    assert "published" not in sections(full[1:])
    assert "published" not in sections(results(dict.fromkeys(ids[:25], 0.5), split="train"))
