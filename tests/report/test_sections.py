"""Golden tables: every number is worked out by hand."""

import math
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pandas as pd
import pytest

from inspect_discoverybench.report.configurations import label_configurations
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.sections import sections
from inspect_discoverybench.results import read_results
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.report.frames import MISSING, frame, scores

HMS = "HMS × 100"
LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


@pytest.fixture(autouse=True)
def no_charts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the charts, which take half of the time, unless a test requests them. `test_figures.py` renders charts."""
    if "charts" not in request.fixturenames:
        monkeypatch.setitem(sys.modules, "altair", MagicMock())


@pytest.fixture
def charts() -> None:
    """Requested by tests that build the charts too."""


def by_name(samples: pd.DataFrame) -> dict[str, Section]:
    return {section.name: section for section in sections(samples)}


def rows(section: Section, *columns: str) -> list[tuple[Any, ...]]:
    return [*section.table[[*columns]].itertuples(index=False, name=None)]


def test_overview_averages_epochs_first_and_clusters_by_gold_hypothesis() -> None:
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
    assert table.loc[0, [HMS, "low", "high"]].tolist() == pytest.approx(
        [56.25, 100 * expected.low, 100 * expected.high]
    )
    assert table.loc[0, ["tasks", "gold hypotheses", "samples", "scored", "unscored"]].tolist() == [4, 2, 7, 6, 1]


def test_missing_samples_are_counted_and_give_bounds() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": MISSING}),
            {"id": "c", "outcome": "error"},
            {"id": "d", "outcome": "no submission", "hms": 0.0},
            {"id": "e", "outcome": "limit", "hms": 0.0},
        ]
    )

    table: Any = by_name(samples)["hms"].table

    assert table.loc[0, [HMS, "HMS if missing 0", "HMS if missing 1"]].tolist() == pytest.approx([100 / 3, 20, 60])
    counts = ["scored", "unscored", "no submission", "limit", "error"]
    assert table.loc[0, counts].tolist() == [1, 1, 1, 1, 1]


def test_any_missing_sample_gives_bounds() -> None:
    complete = {f"t{number}": 1.0 for number in range(100)}
    one_missing = {**complete, "t0": MISSING}

    table: Any = by_name(frame([*scores(complete, agent="react"), *scores(one_missing, agent="codegen")]))["hms"].table

    bounds: Any = table.set_index("configuration")[["HMS if missing 0", "HMS if missing 1"]]
    assert bounds.loc["react · provider/model"].isna().all()
    assert bounds.loc["codegen · provider/model"].tolist() == pytest.approx([99, 100])


def test_best_agent_is_marked_and_oracles_come_last() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 1.0}, agent="reflexion", best_trial_hms=1.0),
            *scores({"a": 0.0, "b": 0.5}, agent="codegen"),
            *scores({"a": 1.0, "b": 0.5}, agent="react"),
        ]
    )

    parts = by_name(samples)

    assert rows(parts["hms"], "configuration", "kind", HMS) == [
        ("react · provider/model", "best agent", 75.0),
        ("codegen · provider/model", "agent", 25.0),
        ("reflexion · provider/model", "oracle", 100.0),
    ]
    assert rows(parts["oracles"], "trial", HMS) == [("last trial", 100.0), ("best trial", 100.0)]


def kinds(samples: pd.DataFrame) -> dict[str, str]:
    return dict(rows(by_name(samples)["hms"], "configuration", "kind"))


def test_configurations_with_few_tasks_do_not_compete() -> None:
    tasks = dict.fromkeys("abcdefghij", 0.5)
    samples = frame(
        [
            *scores(tasks, agent="react", cost=0.2, domain="biology"),
            *scores(dict.fromkeys("abcdefghi", 0.6), agent="codegen", cost=0.3, domain="biology"),
            *scores({"a": 1.0}, agent="datavoyager", cost=0.1, domain="biology"),
            *scores({"a": 1.0}, agent="datavoyager", cost=0.1, domain="sociology", split="train"),
        ]
    )

    parts = by_name(samples)

    assert rows(parts["hms"], "benchmark", "configuration", "kind") == [
        ("DB-REAL test", "datavoyager · provider/model", "agent"),
        ("DB-REAL test", "codegen · provider/model", "best agent"),
        ("DB-REAL test", "react · provider/model", "agent"),
        ("DB-REAL train", "datavoyager · provider/model", "best agent"),
    ]
    front = dict(rows(parts["cost"], "configuration", "Pareto front (USD)")[:3])
    assert front == {
        "datavoyager · provider/model": "",
        "codegen · provider/model": "yes",
        "react · provider/model": "yes",
    }
    assert "at least 90 %" in parts["hms"].text


def test_equal_means_are_all_best() -> None:
    samples = frame(
        [
            *scores({"a": 0.1, "b": 0.2, "c": 0.3}, agent="react"),
            *scores({"a": 0.3, "b": 0.2, "c": 0.1}, agent="codegen"),
        ]
    )

    assert set(kinds(samples).values()) == {"best agent"}


def test_configurations_that_were_judged_differently_do_not_compete() -> None:
    other = '{"judge": "provider/judge", "settings": {"temperature": 1}}'
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.5}, agent="react", cost=0.1),
            *scores({"a": 0.5, "b": 0.5}, agent="codegen", cost=0.2, judge_record=other),
            *scores({"c": 0.5}, agent="react", split="train"),
        ]
    )

    parts = by_name(samples)

    assert rows(parts["hms"], "benchmark", "kind") == [
        ("DB-REAL test", "agent"),
        ("DB-REAL test", "agent"),
        ("DB-REAL train", "best agent"),
    ]
    assert "yes" not in parts["cost"].table["Pareto front (USD)"].tolist()
    for text in (
        "No best agent is marked for DB-REAL test",
        "provider/judge scored react · provider/model; "
        "provider/judge (settings={'temperature': 1}) scored codegen · provider/model. "
        "The judges differ in settings.",
    ):
        assert text in parts["hms"].text


def test_shards_of_one_configuration_by_different_judges_are_noted() -> None:
    samples = frame(
        [
            *scores({"a": 1.0}, log="logs/a.eval"),
            *scores({"b": 1.0}, log="logs/b.eval", judge_record='{"judge": "provider/other"}'),
        ]
    )

    text = by_name(samples)["hms"].text

    assert "provider/judge scored react · provider/model; provider/other scored react · provider/model" in text
    assert kinds(samples) == {"react · provider/model": "agent"}


def test_known_data_commits_set_configurations_apart() -> None:
    one = scores({"a": 1.0}, data_commit="0123456789abcdef")
    other = scores({"a": 0.0}, data_commit="fedcba9876543210", epoch=2)
    unknown = scores({"b": 0.0}, data_commit=None)

    assert set(frame([*one, *unknown]).configuration) == {"react · provider/model"}
    assert set(frame([*one, *other]).configuration) == {
        "react · provider/model (data 0123456789ab)",
        "react · provider/model (data fedcba987654)",
    }


def test_solvable_tasks_next_to_all() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.5}, task="synth", solvable=True),
            *scores({"c": 0.0, "d": 0.0}, task="synth", solvable=False),
        ]
    )

    parts = by_name(samples)

    assert rows(parts["hms"], HMS, "solvable HMS × 100", "solvable tasks") == [(37.5, 75.0, 2)]
    assert rows(parts["solvable"], "solvable", HMS, "tasks") == [(True, 75.0, 2), (False, 0.0, 2)]


def test_facets() -> None:
    samples = frame(
        [
            {"id": "a", "hms": 0.4, "context": 1.0, "variables": 0.8, "relationship": 0.5},
            {"id": "b", "hms": 0.0, "context": 0.0, "variables": 0.4, "relationship": 1.0},
            {"id": "c", "hms": 0.0, "context": 0.0, "variables": MISSING, "relationship": MISSING},
        ]
    )

    section = by_name(samples)["facets"]

    columns = ["context × 100", "variables × 100", "relationship × 100"]
    table: Any = section.table
    assert table.loc[0, columns].tolist() == pytest.approx([100 / 3, 60, 75])
    assert "not judged" in section.text


def test_answers_have_the_shares_of_their_forms() -> None:
    def answers(agent: str, *forms: str | None) -> list[dict[str, object]]:
        return [
            {"agent": agent, "id": f"t{number}", "hms": 0.5, "submission_source": form, "refusal": False}
            for number, form in enumerate(forms)
        ]

    refusal = {"agent": "react", "id": "r", "hms": 0.0, "outcome": "no submission", "refusal": True}
    samples = frame([*answers("react", "quoted", "call", "call", None), refusal, *answers("codegen", "whole")])

    section = by_name(samples)["answers"]

    assert rows(section, "configuration", "form", "samples", "share in %") == [
        ("codegen · provider/model", "whole", 1, 100),
        ("react · provider/model", "call", 2, 50),
        ("react · provider/model", "quoted", 1, 25),
        ("react · provider/model", "none asserted", 1, 25),
    ]


def test_losses_name_the_first_facet_that_fails() -> None:
    samples = frame(
        [
            {"id": "a", "hms": 0.0, "context": 0.0, "variables": 0.0, "relationship": 0.0},
            {"id": "b", "hms": 0.0, "context": 1.0, "variables": 0.0, "relationship": 0.0},
            {"id": "c", "hms": 0.0, "context": 1.0, "variables": 0.5, "relationship": 0.0},
            {"id": "d", "hms": 0.25, "context": 1.0, "variables": 0.5, "relationship": 0.5},
            {"id": "e", "hms": 1.0},
            {"id": "f", "hms": 0.0, "outcome": "no submission", "context": 0.0},
            {"id": "g", "hms": 0.0, "outcome": "limit", "context": 0.0},
            {"id": "h", "outcome": "unscored", "context": 1.0},
            {"id": "i", "outcome": "error"},
            {"id": "j", "hms": 0.0, "context": 0.5, "variables": 0.5, "relationship": 0.5},
        ]
    )

    assert rows(by_name(samples)["losses"], "lost_at", "samples", "share in %") == [
        ("no score", 2, 20.0),
        ("no submission", 2, 20.0),
        ("context", 1, 10.0),
        ("variables", 1, 10.0),
        ("relationship", 1, 10.0),
        ("several parts", 1, 10.0),
        ("partial score", 1, 10.0),
        ("full score", 1, 10.0),
    ]


def test_groups() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.0}, domain="biology", goal_type="variables"),
            *scores({"c": 0.5}, domain="archaeology", goal_type="context"),
            *scores({"d": 1.0}, split="train", workflow_bucket="m", domain="biology"),
            *scores({"e": 0.0}, split="train", workflow_bucket="s", domain="biology"),
            *scores({"f": 0.0}, task="synth", difficulty=2, tree_level=1),
            *scores({"g": 1.0}, task="synth", difficulty=1, tree_level=0),
        ]
    )

    parts = by_name(samples)

    columns = ("benchmark", HMS, "tasks")
    assert rows(parts["domain"], "domain", *columns) == [
        ("archaeology", "DB-REAL test", 50.0, 1),
        ("biology", "DB-REAL test", 50.0, 2),
    ]
    assert rows(parts["goal_type"], "goal_type", *columns) == [
        ("context", "DB-REAL test", 50.0, 1),
        ("variables", "DB-REAL test", 50.0, 2),
    ]
    assert "workflows are not public" in parts["goal_type"].text
    assert rows(parts["workflow_length"], "workflow_bucket", *columns) == [
        ("s", "DB-REAL train", 0.0, 1),
        ("m", "DB-REAL train", 100.0, 1),
    ]
    assert rows(parts["difficulty"], "difficulty", *columns) == [
        (1.0, "DB-SYNTH test", 100.0, 1),
        (2.0, "DB-SYNTH test", 0.0, 1),
    ]
    assert rows(parts["tree_level"], "tree_level", HMS) == [(0.0, 100.0), (1.0, 0.0)]


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


def test_variants_are_paired_by_question() -> None:
    samples = frame(
        [
            *scores({"easy1": 1.0, "easy2": 0.5, "other": 1.0}),
            {"id": "hard1", "hms": 0.0, "variant_of": "easy1"},
            {"id": "hard2", "hms": 0.5, "variant_of": "easy2"},
            {"id": "hard3", "hms": 1.0, "variant_of": "not run"},
        ]
    )

    columns = ("pairs", "easy HMS × 100", "hard HMS × 100", "difference × 100", "wins", "losses", "ties")
    assert rows(by_name(samples)["variants"], *columns) == [(2, 75.0, 25.0, -50.0, 0, 1, 1)]


def test_memory_compares_with_guesses_of_the_same_model() -> None:
    samples = frame(
        [
            *scores({"a": 0.5, "b": 0.0}, agent="no_data_guess"),
            *scores({"a": 1.0, "b": 1.0, "c": 1.0}, agent="react"),
            *scores({"a": 1.0, "b": 1.0}, agent="reflexion"),
            *scores({"a": 1.0}, agent="react", model="provider/other"),
        ]
    )

    columns = ("configuration", "tasks", "guess HMS × 100", "with data HMS × 100", "difference × 100")
    assert rows(by_name(samples)["memory"], *columns) == [("react · provider/model", 2, 25.0, 100.0, 75.0)]


def test_memory_pairs_guesses_and_agents_with_the_same_hints() -> None:
    hinted = '{"domain_knowledge": true}'
    samples = frame(
        [
            *scores({"a": 0.0}, agent="no_data_guess"),
            *scores({"a": 0.2}, agent="no_data_guess", log="logs/warm.eval", model_settings='{"temperature": 1}'),
            *scores({"a": 1.0}, agent="no_data_guess", task_arguments=hinted),
            *scores({"a": 0.5}, agent="react"),
            *scores({"a": 0.6}, agent="codegen", task_arguments=hinted),
        ]
    )

    columns = ("configuration", "guesses", "guess HMS × 100", "with data HMS × 100")
    section = by_name(samples)["memory"]

    plain = "no_data_guess · provider/model (no hints, default model settings)"
    warm = "no_data_guess · provider/model (no hints, temperature=1)"
    assert rows(section, *columns) == [
        ("codegen · provider/model", plain.replace("no hints", "domain_knowledge"), 100.0, 60.0),
        ("react · provider/model", plain, 0.0, 50.0),
        ("react · provider/model", warm, pytest.approx(20), 50.0),
    ]


def test_tasks_counts_the_tasks_of_the_mean() -> None:
    samples = frame(
        [
            *scores({"a": 1.0, "b": 0.0}, gold_hypothesis="one", domain="biology"),
            *scores({"c": MISSING}, gold_hypothesis="two", domain="sociology"),
            # The judge decided the context only, so the sample has no HMS.
            {"id": "d", "outcome": "unscored", "context": 1.0, "gold_hypothesis": "three", "domain": "biology"},
        ]
    )

    parts = by_name(samples)

    assert rows(parts["hms"], "tasks", "gold hypotheses", "samples") == [(2, 1, 4)]
    assert rows(parts["domain"], "domain", "tasks") == [("biology", 2), ("sociology", 0)]
    assert rows(parts["facets"], "context × 100", "tasks") == [(50.0, 2)]


def test_trials_of_oracles_are_of_the_same_tasks() -> None:
    samples = frame(
        [
            {"id": "a", "hms": 0.0, "best_trial_hms": 1.0},
            {"id": "b", "hms": 1.0},
            {"id": "c", "outcome": "unscored", "best_trial_hms": 1.0},
            {"id": "d", "hms": 0.5, "best_trial_hms": 0.5},
        ]
    )
    samples = label_configurations(samples.assign(agent="reflexion"))

    assert rows(by_name(samples)["oracles"], "trial", HMS, "tasks") == [
        ("last trial", 25.0, 2),
        ("best trial", 75.0, 2),
    ]


@pytest.mark.usefixtures("charts")
def test_pareto_front() -> None:
    samples = frame(
        [
            *scores({"a": 0.5}, agent="cheap", cost=0.1, tokens=100),
            *scores({"a": 0.5}, agent="dear", cost=0.3, tokens=100),
            *scores({"a": 1.0}, agent="best", cost=0.3, tokens=200),
            *scores({"a": 1.0}, agent="reflexion", cost=0.01, tokens=1),
            *scores({"a": 0.4}, agent="unknown", tokens=300),
            *scores({"a": 0.4}, agent="unknown", tokens=300, cost=0.01, epoch=2),
            *scores({"a": 0.5}, agent="equal", cost=0.4, tokens=400),
        ]
    )

    table: Any = by_name(samples)["cost"].table.set_index("configuration")

    assert table["Pareto front (USD)"].to_dict() == {
        "best · provider/model": "yes",
        "reflexion · provider/model": "",
        "cheap · provider/model": "yes",
        "dear · provider/model": "",
        "equal · provider/model": "",
        "unknown · provider/model": "",
    }
    assert [name.split()[0] for name, mark in table["Pareto front (tokens)"].items() if mark] == [
        "best",
        "cheap",
        "dear",
    ]
    assert math.isnan(table.loc["unknown · provider/model", "USD per sample"])


def test_judges() -> None:
    def judged(agent: str, values: dict[str, tuple[float, float]]) -> list[dict[str, object]]:
        return [
            row
            for place, name in enumerate(("HMS", "HMS1"))
            for row in scores(
                {task: pair[place] for task, pair in values.items()},
                agent=agent,
                score=name,
                judge=f"provider/{name}",
                judge_record=f'{{"judge": "provider/{name}"}}',
            )
        ]

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
    columns = ("Kendall’s tau", "best by judge", "best by other judge", "best changes")
    assert rows(parts["judge_ranking"], *columns) == [
        (-1.0, "react · provider/model", "codegen · provider/model", "yes")
    ]


def test_no_submission_counts_as_zero_for_every_judge_of_its_log() -> None:
    def judged(agent: str, first: dict[str, float], second: dict[str, float], silent: str) -> list[dict[str, object]]:
        log = f"logs/{agent}.eval"
        return [
            row
            for place, values in enumerate((first, second))
            for row in [
                *scores(
                    values,
                    agent=agent,
                    log=log,
                    score=f"HMS{place or ''}",
                    judge_record=f'{{"judge": "provider/judge-{place}"}}',
                ),
                *(
                    {"id": id_, "hms": 0.0, "outcome": outcome, "agent": agent, "log": log, "judge_record": None}
                    for id_, outcome in zip(silent, ("no submission", "limit"), strict=False)
                ),
            ]
        ]

    samples = frame(
        [
            # 1 on two tasks, and no submission on the other two: 50 in all.
            *judged("react", {"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 0.5}, silent="cd"),
            *judged("codegen", dict.fromkeys("abcd", 0.6), {**dict.fromkeys("abc", 0.6), "d": MISSING}, silent=""),
        ]
    )

    parts = by_name(samples)

    assert rows(parts["judges"], "configuration", "judge", HMS, "tasks") == [
        ("react · provider/model", "provider/judge-0", 50.0, 4),
        ("react · provider/model", "provider/judge-1", 37.5, 4),
        ("codegen · provider/model", "provider/judge-0", pytest.approx(60), 3),
        ("codegen · provider/model", "provider/judge-1", pytest.approx(60), 3),
    ]
    # The judges were not asked about samples without a submission.
    agreement: Any = parts["judge_agreement"].table.set_index("value")
    assert agreement.loc["HMS", "samples"] == 5
    assert rows(parts["judge_ranking"], "best by judge", "best by other judge", "best changes") == [
        ("codegen · provider/model", "codegen · provider/model", "no")
    ]


def test_published_results_of_the_paper() -> None:
    table: Any = by_name(frame(scores({"a": 1.0})))["published"].table

    assert table.set_index("agent").loc["react", ["GPT-4o", "GPT-4p", "Llama-3"]].tolist() == [24.4, 22.4, 18.4]
    assert set(table.benchmark) == {"DB-REAL test"}


def test_sections_without_data_are_left_out() -> None:
    samples = frame(scores({"a": 1.0, "b": MISSING}, task="demo", split="demo"))

    assert [section.name for section in sections(samples)] == ["hms", "facets", "losses", "cost"]


def test_nothing_scored() -> None:
    samples = frame(scores({"a": MISSING, "b": MISSING}))

    overview = by_name(samples)["hms"]

    assert rows(overview, "unscored", "HMS if missing 0", "HMS if missing 1") == [(2, 0.0, 100.0)]


def test_columns_that_select_samples_are_columns_of_the_samples() -> None:
    samples = frame(scores({"a": 1.0, "b": 0.0}, workflow_tags="glm"))

    for section in sections(samples):
        assert {*section.filters} <= {*section.table.columns} & {*samples.columns}
        assert section.filters or section.name == "published"


@pytest.mark.usefixtures("charts")
def test_sections_of_real_logs() -> None:
    samples = label_configurations(read_results([LOGS]).samples)

    assert by_name(samples)["hms"].table.tasks.tolist() == [2, 2]
