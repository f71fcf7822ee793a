"""Which configurations compete, which are best, and why none is marked as the best."""

import pytest

from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.ranking import Ranking
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import OFFLINE_JUDGE, contents, result, results, rows, sections

OTHER = '{"judge": "provider/other"}'


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
    ("changed", "arguments", "is_marked"),
    [
        ("gold_hypothesis", "{}", False),
        ("gold_workflow", "{}", False),
        ("data_files", "{}", False),
        ("task_text", "{}", False),
        # Hints are in the task text, and agents with different hints compete.
        ("task_text", '{"domain_knowledge": true}', True),
        (None, "{}", True),
    ],
)
def test_no_best_agent_is_marked_if_a_study_was_edited_between_the_agents_runs(
    changed: str | None, arguments: str, is_marked: bool
) -> None:
    before = {"gold_hypothesis": "1", "gold_workflow": "1", "data_files": "1", "task_text": "1"}
    after = {**before, changed: "2"} if changed else before
    shown = contents(
        results({"a": 0.8, "b": 0.8}, inputs={"fingerprints": before}),
        [
            result("a", 0.5, agent="codegen", inputs={"fingerprints": before}, task_arguments=arguments),
            result("b", 0.5, agent="codegen", inputs={"fingerprints": after}, task_arguments=arguments),
        ],
    )
    [benchmark] = shown.leaderboard.benchmarks
    assert ("best agent" in {standing.kind for standing in benchmark.standings}) == is_marked
    reason = "No best agent is marked, because the task versions or the data differ."
    assert (reason in Ranking.of(benchmark).sentences) == (not is_marked)


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
def test_an_edit_of_a_study_is_found_beside_logs_that_record_no_inputs(order: list[int]) -> None:
    """The last two agents ran on different gold hypotheses, so none is the best, whatever the order of the logs."""
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


def test_framings_are_never_pooled_and_do_not_compete() -> None:
    pressure = '{"framing": "pressure"}'
    [benchmark] = contents(
        results({"a": 0.5, "b": 0.0}),
        results({"a": 0.0, "b": 0.5}, task_arguments='{"framing": "neutral"}'),
        results({"a": 1.0, "b": 1.0}, task_arguments=pressure),
        results({"a": 0.0, "b": 0.0}, agent="codegen"),
    ).leaderboard.benchmarks
    kinds = {standing.name: (standing.kind, standing.hms) for standing in benchmark.standings}
    # `neutral` is the default framing. So the first two are one configuration, and each task has the mean of 0.5 and 0.
    assert kinds == {
        "react · provider/model": ("best agent", 0.25),
        "react · provider/model (framing=pressure)": ("agent", 1),
        "codegen · provider/model": ("agent", 0),
    }


@pytest.mark.parametrize("task", ["demo", "custom"])
def test_a_framing_does_not_compete_on_a_task_without_splits_either(task: str) -> None:
    [benchmark] = contents(
        results({"a": 0.5, "b": 0.0}, task=task),
        results({"a": 1.0, "b": 1.0}, task=task, task_arguments='{"framing": "pressure"}'),
        results({"a": 0.0, "b": 0.0}, task=task, agent="codegen"),
    ).leaderboard.benchmarks
    kinds = {standing.name: standing.kind for standing in benchmark.standings}
    assert kinds == {
        "react · provider/model": "best agent",
        "react · provider/model (framing=pressure)": "agent",
        "codegen · provider/model": "agent",
    }
