"""Mean HMS by configuration: every number is worked out by hand."""

import pytest

from inspect_discoverybench.report.means import HIGH, HIGHEST, HMS, LOW, LOWEST
from inspect_discoverybench.report.ranking import Ranking
from inspect_discoverybench.report.table import shown_tables
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, OFFLINE_JUDGE, contents, result, results, rows, sections

OTHER = '{"judge": "provider/other"}'


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_counted() -> None:
    section = sections(
        results({"a": 1.0, "b": 0.0}, epoch=1, gold_hypothesis="one"),
        results({"a": 0.5, "b": 0.0}, epoch=2, gold_hypothesis="one"),
        results({"c": 1.0}, gold_hypothesis="two"),
    )["hms"]
    # The means of the tasks are 75, 0 and 100.
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
    # Task a has 1 and an unscored epoch: from 50 to 100. Tasks b and c have 0. Task d has an error: from 0 to 100.
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
    [cells] = [cells for heading, cells in table.columns.items() if heading.removesuffix(", 95 % CI") == column]
    marked, unmarked, *_ = [cell.partition("\n")[0] for cell in cells]
    assert marked.endswith("*")
    assert not unmarked.endswith("*")
    # Without `b`, HMS is 1 and 0.5 on two of three tasks. The section of controls has the range of the difference from
    # `goal_echo`, which ran only `a` and `b`, and has 0 on both.
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
            [result("a", 0.5, agent="codegen", judge_record=OFFLINE_JUDGE)],
            "the judge is not a language model",
        ),
        (
            [result("a", 0.5, agent="codegen", task_version="2-A")],
            "the task versions or the data differ",
        ),
        (
            [result("b", 0.5, agent="codegen")],  # on another task
            "there is no other agent to compare with",
        ),
        (
            [result("a", 0.9, agent="goal_echo"), result("a", 0.5, agent="codegen")],
            "no agent is above the floor",
        ),
    ],
)
def test_if_no_best_agent_is_marked_the_reason_is_given(others: list[ResultRow], reason: str) -> None:
    first = result("a", 0.8)
    shown = contents([first, *others])
    [benchmark] = shown.leaderboard.benchmarks
    assert "best agent" not in {standing.kind for standing in benchmark.standings}
    assert f"No best agent is marked, because {reason}." in Ranking.of(benchmark).sentences


@pytest.mark.parametrize(
    ("changed", "is_marked"),
    [
        ("gold_hypothesis", False),
        ("gold_workflow", False),
        ("data_files", False),
        # Hints are in the task text, and agents with different hints compete.
        ("task_text", True),
        (None, True),
    ],
)
def test_no_best_agent_is_marked_if_a_study_was_edited_between_the_agents_runs(
    changed: str | None, is_marked: bool
) -> None:
    before = {"gold_hypothesis": "1", "gold_workflow": "1", "data_files": "1", "task_text": "1"}
    after = {**before, changed: "2"} if changed else before
    shown = contents(
        results({"a": 0.8, "b": 0.8}, inputs={"fingerprints": before}),
        [
            result("a", 0.5, agent="codegen", inputs={"fingerprints": before}),
            result("b", 0.5, agent="codegen", inputs={"fingerprints": after}),
        ],
    )
    [benchmark] = shown.leaderboard.benchmarks
    assert ("best agent" in {standing.kind for standing in benchmark.standings}) == is_marked
    reason = "No best agent is marked, because the task versions or the data differ."
    assert (reason in Ranking.of(benchmark).sentences) == (not is_marked)


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_an_edit_of_a_study_is_found_beside_logs_that_record_no_inputs(order: list[int]) -> None:
    rows = [
        [result("a", 0.8)],
        [result("a", 0.7, agent="codegen", inputs={"fingerprints": {"gold_hypothesis": "1"}})],
        [result("a", 0.5, agent="datavoyager", inputs={"fingerprints": {"gold_hypothesis": "2"}})],
    ]
    [benchmark] = contents(*[rows[index] for index in order]).leaderboard.benchmarks
    assert "best agent" not in {standing.kind for standing in benchmark.standings}


def test_agents_with_few_scored_tasks_do_not_compete() -> None:
    """They need 90 % of the tasks of the agent with the most."""
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
    studies = ["nls", *"abcdefghi"]  # the study of `nls` is a guess: its tasks are from several works
    tasks = []
    for study in studies:
        tasks += results({f"{study} 1": 1.0, f"{study} 2": 0.0}, study=study)
    section = sections(tasks)["studies"]
    [(low, high)] = rows(section, "new studies low", "new studies high")
    assert low < 50 < high
    columns = ("studies", "largest study in %", "lowest without one study")
    assert rows(section, *columns) == [(10, 10, 50)]
    assert section.text.endswith(" Studies that are guesses: nls.")


def test_the_released_form_has_counts_and_a_possible_range_of_its_own() -> None:
    """Samples whose sub-hypotheses are undecided have HMS, and the other way round."""
    report = contents(
        [
            result("a", 1.0, hms_released=1.0),
            result("b", 1.0),
            result("c", hms_released=0.5),
            result("d", 0.0, hms_released=0.0, outcome="no submission"),
        ]
    )
    by_name = {section.name: section for section in report.sections}
    outcomes = ("judged", "unscored", "no submission")
    # HMS: 1, 1, unscored and 0. The released form: 1, unscored, 0.5 and 0.
    assert rows(by_name["hms"], HMS, *outcomes) == [(pytest.approx(200 / 3), 2, 1, 1)]
    released = by_name["released"]
    assert rows(released, "HMS released × 100", *outcomes) == [(50, 2, 1, 1)]
    assert rows(released, LOWEST, HIGHEST) == [(37.5, 62.5)]
    assert list(report.samples.hms_released.fillna(-1)) == [1.0, -1, 0.5, 0.0]


def test_columns_that_say_the_same_of_all_rows_are_left_out_with_a_sentence() -> None:
    section = sections(results({"a": 1.0, "b": 0.0}), results({"a": 0.5, "b": 0.0}, agent="codegen"))["hms"]
    [table] = shown_tables(section.table, {})
    assert not {"tasks", "error", "limit", "judged"} & table.columns.keys()
    assert HMS in table.columns
    same, zero = table.notes
    assert same.endswith("tasks 2, gold hypotheses 2, judged 2.")
    assert zero == "0 in all rows: no submission, limit, unscored, error, invalidated."

    section = sections(results({"a": 1.0}), results({"a": 1.0, "b": MISSING}, agent="codegen"))["hms"]
    [table] = shown_tables(section.table, {})
    assert table.columns["unscored"] == ["0", "1"]
