"""The tables of the report: every number is worked out by hand."""

import math
from typing import Any

import pandas as pd
import pytest

from inspect_discoverybench.report.aggregates import HIGH, LOW
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.sections import sections
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.report.frames import MISSING, frame, scores

HMS = "HMS × 100"


def by_name(samples: pd.DataFrame) -> dict[str, Section]:
    return {section.name: section for section in sections(samples)}


def rows(section: Section, *columns: str) -> list[tuple[Any, ...]]:
    return [*section.table[[*columns]].itertuples(index=False, name=None)]


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_clusters() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.0, "c": 0.5}, epoch=1, gold_hypothesis="one"),
            *scores({"a": 0.5, "b": 0.0, "c": MISSING}, epoch=2, gold_hypothesis="one"),
            *scores({"d": 1.0}, gold_hypothesis="two"),
        ]
    )
    table: Any = by_name(samples)["hms"].table
    # Tasks: a 0.75, b 0, c 0.5 (one epoch is unscored), d 1.
    expected = estimate_mean([0.75, 0.0, 0.5, 1.0], ["one", "one", "one", "two"])
    assert table.loc[0, [HMS, LOW, HIGH]].tolist() == pytest.approx([56.25, 100 * expected.low, 100 * expected.high])
    assert table.loc[0, ["tasks", "gold hypotheses", "samples", "scored", "unscored"]].tolist() == [4, 2, 7, 6, 1]


def test_a_mean_is_stated_on_these_tasks_and_on_new_studies() -> None:
    known = [*scores({"a": 0.0, "b": 0.5}, study="x"), *scores({"c": 1.0}, study="y"), *scores({"d": 1.0}, study="nls")]
    others = [*scores({"a": 0.5}, agent="codegen"), *scores({"b": 0.5, "c": 0.5}, agent="x", model="m", study=None)]
    parts = by_name(frame([*known, *others]))
    expected: Any = estimate_mean([0.0, 0.5, 1.0, 1.0], "abcd", ["x", "x", "y", "z"])
    [row] = parts["studies"].table.iloc[:, 2:].to_numpy().tolist()
    too_few = [math.nan, math.nan]
    assert row == pytest.approx([62.5, 100 * expected.low, 100 * expected.high, *too_few, 75, 50, 100, 3], nan_ok=True)
    text = parts["studies"].text
    assert "codegen · provider/model (DB-REAL test) is left out, because all tasks are of one study." in text
    assert "x · m (DB-REAL test) is left out, because the study of a task is not known." in text
    assert text.endswith(" Studies that are guesses: nls.")
    assert parts["hms"].table[LOW].isna().tolist() == [False, True, False]  # a single task has no interval


def test_missing_samples_are_counted_and_give_bounds() -> None:
    faulty = [
        *scores({"a": 1.0, "b": MISSING}),
        {"id": "c", "outcome": "error"},
        {"id": "d", "outcome": "no submission", "hms": 0.0},
        {"id": "e", "outcome": "limit", "hms": 0.0},
    ]
    table: Any = by_name(frame([*faulty, *scores({"a": 1.0}, agent="codegen")]))["hms"].table
    assert table.loc[1, [HMS, "HMS if missing 0", "HMS if missing 1"]].tolist() == pytest.approx([100 / 3, 20, 60])
    assert table.loc[1, ["scored", "unscored", "no submission", "limit", "error"]].tolist() == [1, 1, 1, 1, 1]
    assert math.isnan(table.loc[0, "HMS if missing 0"])


def test_the_best_agent_is_marked_and_oracles_and_the_floor_come_last() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.6}, agent="goal_echo"),
            *scores({"a": 1.0, "b": 1.0}, agent="reflexion", best_trial_hms=1.0),
            *scores({"a": 0.0, "b": 0.5}, agent="codegen"),
            *scores({"a": 1.0, "b": 0.5}, agent="react"),
        ]
    )
    assert rows(by_name(samples)["hms"], "configuration", "kind", HMS) == [
        ("react · provider/model", "best agent", 75.0),
        ("codegen · provider/model", "agent", 25.0),
        ("reflexion · provider/model", "oracle", 100.0),
        ("goal_echo · provider/model", "floor", 80.0),
    ]


def test_configurations_that_were_judged_differently_do_not_compete() -> None:
    other = '{"judge": "provider/judge", "settings": {"temperature": 1}}'
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.5}, agent="react", cost=0.1),
            *scores({"a": 0.5, "b": 0.5}, agent="codegen", cost=0.2, judge_record=other),
        ]
    )
    parts = by_name(samples)
    assert rows(parts["hms"], "kind") == [("agent",), ("agent",)]
    assert rows(parts["cost"], "Pareto front (USD)")[:2] == [("",), ("",)]
    assert "No best agent is marked for DB-REAL test" in parts["hms"].text
    assert "The judges differ in settings." in parts["hms"].text


def test_facets() -> None:
    samples = frame(
        [
            {"id": "a", "hms": 0.4, "context": 1.0, "variables": 0.8, "relationship": 0.5},
            {"id": "b", "hms": 0.0, "context": 0.0, "variables": 0.4, "relationship": 1.0},
            {"id": "c", "hms": 0.0, "context": 0.0, "variables": MISSING, "relationship": MISSING},
        ]
    )
    section = by_name(samples)["facets"]
    assert rows(section, "context × 100", "variables × 100", "relationship × 100") == [
        (pytest.approx(100 / 3), pytest.approx(60), 75)
    ]
    assert "not judged" in section.text


def test_losses_name_the_first_facet_that_fails() -> None:
    samples = frame(
        [
            {"id": "a", "hms": 0.0, "context": 0.0, "variables": 0.0, "relationship": 0.0},
            {"id": "b", "hms": 0.0, "context": 1.0, "variables": 0.0, "relationship": 0.0},
            {"id": "d", "hms": 0.25, "context": 1.0, "variables": 0.5, "relationship": 0.5},
            {"id": "e", "hms": 1.0},
            {"id": "f", "hms": 0.0, "outcome": "limit", "context": 0.0},
            {"id": "h", "outcome": "unscored", "context": 1.0},
            {"id": "i", "outcome": "error"},
        ]
    )
    assert rows(by_name(samples)["losses"], "lost_at", "samples", "share in %") == [
        ("no score", 2, 200 / 7),
        *((stage, 1, 100 / 7) for stage in ("no submission", "context", "variables", "partial score", "full score")),
    ]


def test_groups() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.0}, domain="biology", goal_type="variables"),
            *scores({"c": 0.5}, domain="archaeology", goal_type="context"),
            *scores({"d": 1.0}, split="train", workflow_bucket="m", domain="biology"),
            *scores({"e": 0.0}, split="train", workflow_bucket="s", domain="biology"),
            *scores({"f": 0.0}, task="synth", difficulty=2, tree_level=1, solvable=False),
            *scores({"g": 1.0}, task="synth", difficulty=1, tree_level=0, solvable=True),
        ]
    )
    parts = by_name(samples)
    columns = ("benchmark", HMS, "tasks")
    assert rows(parts["domain"], "domain", *columns) == [
        ("archaeology", "DB-REAL test", 50.0, 1),
        ("biology", "DB-REAL test", 50.0, 2),
    ]
    assert "workflows are not public" in parts["goal_type"].text
    assert rows(parts["workflow_length"], "workflow_bucket", HMS) == [("s", 0.0), ("m", 100.0)]
    assert rows(parts["difficulty"], "difficulty", HMS) == [(1.0, 100.0), (2.0, 0.0)]


def test_a_task_counts_in_each_of_its_categories() -> None:
    samples = frame(
        [
            *scores({"a": 1.0}, workflow_tags="Regression,data-cleaning, regression analysis"),
            *scores({"b": 0.0}, workflow_tags="regression, Alchemy of  Data"),
        ]
    )
    assert rows(by_name(samples)["workflow_category"], "workflow_category", HMS, "tasks") == [
        ("regression", 50.0, 2),
        ("alchemy of data", 0.0, 1),
        ("data cleaning", 100.0, 1),
    ]


def test_domain_knowledge_is_paired_by_task() -> None:
    hinted = '{"domain_knowledge": true}'
    samples = frame(
        [
            *scores({"a": 0.0, "b": 0.5, "c": 1.0}, domain="humanities"),
            *scores({"d": 0.5}, domain="biology"),
            *scores({"a": 1.0, "b": 0.5, "z": 1.0}, domain="humanities", task_arguments=hinted),
            *scores({"d": 0.0}, domain="biology", task_arguments=hinted),
            *scores({"a": 1.0}, agent="codegen"),
        ]
    )
    columns = ("task set", "tasks", "without HMS × 100", "with HMS × 100", "difference × 100", "wins", "losses", "ties")
    assert rows(by_name(samples)["domain_knowledge"], *columns) == [
        ("archaeology", 2, 25.0, 75.0, 50.0, 1, 0, 1),
        ("all", 3, pytest.approx(100 / 3), 50.0, pytest.approx(50 / 3), 1, 1, 1),
    ]


def test_memory_compares_guesses_and_agents_with_the_same_model_and_hints() -> None:
    hinted = '{"domain_knowledge": true}'
    samples = frame(
        [
            *scores({"a": 0.0, "b": 0.0}, agent="no_data_guess"),
            *scores({"a": 1.0}, agent="no_data_guess", task_arguments=hinted),
            *scores({"a": 0.5, "b": 0.3, "c": 1.0}, agent="react"),
            *scores({"a": 0.7}, agent="codegen", task_arguments=hinted),
            *scores({"a": 1.0, "b": 1.0}, agent="reflexion"),
            *scores({"a": 1.0}, agent="react", model="provider/other"),
        ]
    )
    columns = ("configuration", "tasks", "guess HMS × 100", "with data HMS × 100")
    assert rows(by_name(samples)["memory"], *columns) == [
        ("codegen · provider/model", 1, 100.0, 70.0),
        ("react · provider/model", 2, 0.0, 40.0),
    ]


def test_pareto_front() -> None:
    samples = frame(
        [
            *scores({"a": 0.5}, agent="cheap", cost=0.1, tokens=100),
            *scores({"a": 0.5}, agent="dear", cost=0.3, tokens=100),
            *scores({"a": 1.0}, agent="best", cost=0.3, tokens=200),
            *scores({"a": 1.0}, agent="reflexion", cost=0.01, tokens=1),
            *scores({"a": 0.4}, agent="unknown", tokens=300),
            *scores({"a": 0.4}, agent="unknown", tokens=300, cost=0.01, epoch=2),
        ]
    )
    section = by_name(samples)["cost"]
    assert rows(section, "configuration", "Pareto front (USD)", "Pareto front (tokens)") == [
        ("best · provider/model", "yes", "yes"),
        ("cheap · provider/model", "yes", "yes"),
        ("dear · provider/model", "", "yes"),
        ("unknown · provider/model", "", ""),
        ("reflexion · provider/model", "", ""),
    ]
    assert math.isnan(section.table["USD per sample"][3])


def judged(agent: str, values: dict[str, tuple[float, float]], silent: str = "") -> list[dict[str, Any]]:
    """Rows of a log with the scores of two judges; both give 0 to the samples without a submission."""
    log = f"logs/{agent}.eval"
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(("HMS", "HMS1")):
        record = f'{{"judge": "provider/{name}"}}'
        hms = {task: pair[place] for task, pair in values.items()}
        rows += scores(hms, agent=agent, log=log, score=name, judge_record=record)
        rows += scores(dict.fromkeys(silent, 0.0), agent=agent, log=log, judge_record=None)
    return [{**row, "outcome": "no submission"} if row["id"] in silent else row for row in rows]


def test_judges() -> None:
    samples = frame(
        [
            *judged("react", {"a": (1.0, 0.0), "b": (1.0, 1.0), "c": (0.0, 0.0), "d": (0.0, MISSING)}),
            *judged("codegen", {"a": (0.0, 1.0), "b": (0.5, 0.5), "c": (0.0, 1.0), "d": (0.0, 0.0)}),
        ]
    )
    parts = by_name(samples)
    assert rows(parts["hms"], "configuration", HMS) == [
        ("react · provider/model", 50.0),
        ("codegen · provider/model", 12.5),
    ]
    assert rows(parts["judges"], "configuration", "judge", HMS, "tasks") == [
        ("react · provider/model", "provider/HMS", pytest.approx(200 / 3), 3),
        ("react · provider/model", "provider/HMS1", pytest.approx(100 / 3), 3),
        ("codegen · provider/model", "provider/HMS", 12.5, 4),
        ("codegen · provider/model", "provider/HMS1", 62.5, 4),
    ]
    # Verdicts (0, partial, 1): HMS gives 0 four times, partial once, 1 twice; HMS1 gives 0 three times, partial once,
    # 1 three times; they agree on four of seven. Chance: (4·3 + 1·1 + 2·3) / 49.
    agreement: Any = parts["judge_agreement"].table.set_index("value")
    chance = 19 / 49
    assert agreement.loc["HMS", "samples"] == 7
    assert agreement.loc["HMS", "same verdict in %"] == pytest.approx(400 / 7)
    assert agreement.loc["HMS", "kappa"] == pytest.approx((4 / 7 - chance) / (1 - chance))
    assert math.isnan(agreement.loc["variables", "kappa"])


def test_sections_without_data_are_left_out() -> None:
    samples = frame(scores({"a": MISSING, "b": MISSING}, task="demo", split="demo"))
    parts = sections(samples)
    assert [section.name for section in parts] == ["hms", "facets", "losses", "cost"]
    assert rows(parts[0], "unscored", "HMS if missing 0", "HMS if missing 1") == [(2, 0.0, 100.0)]
