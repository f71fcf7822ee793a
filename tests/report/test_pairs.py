"""Two means of the same tasks and their difference."""

import pytest

from tests.typed_results import MISSING, results, rows, sections

HINTED = '{"domain_knowledge": true}'


def test_domain_knowledge_is_paired_by_task() -> None:
    section = sections(
        results({"a": 0.0, "b": 0.5, "c": 1.0}, domain="humanities"),
        results({"d": 0.5}, domain="biology"),
        results({"a": 1.0, "b": 0.5, "z": 1.0}, domain="humanities", task_arguments=HINTED),
        results({"d": 0.0}, domain="biology", task_arguments=HINTED),
        results({"a": 1.0}, agent="codegen"),
        results({"a": 1.0}, limits='{"messages": 5}'),
    )["domain_knowledge"]
    columns = ("task set", "tasks", "without HMS × 100", "with HMS × 100", "difference × 100", "wins", "losses", "ties")
    assert rows(section, *columns) == [
        ("archaeology", 2, 25.0, 75.0, 50.0, 1, 0, 1),
        ("all", 3, pytest.approx(100 / 3), 50.0, pytest.approx(50 / 3), 1, 1, 1),
    ]


def test_agents_are_compared_with_the_floor_guesses_and_placebos_of_the_same_model() -> None:
    placebo = {"task": "real_placebo", "task_arguments": '{"placebo": 7}'}
    section = sections(
        results({"a": 0.5, "b": 0.3, "c": 1.0}, agent="react"),
        results({"a": 0.1, "b": 0.1}, agent="goal_echo", model="none/none"),
        results({"a": 0.0, "b": 0.0}, agent="no_data_guess"),
        results({"a": 1.0}, agent="no_data_guess", model="provider/other"),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 0.2}, agent="react", **placebo),
        results({"a": 0.2}, agent="react", model="provider/other", **placebo),
    )["controls"]
    assert sorted(rows(section, "control", "configuration", "tasks", "control HMS × 100", "agent HMS × 100")) == [
        ("DB-REAL test, placebo 7", "react · provider/model", 1, 20.0, 50.0),
        ("goal_echo · none/none", "react · provider/model", 2, 10.0, 40.0),
        ("no_data_guess · provider/model", "react · provider/model", 2, 0.0, 40.0),
    ]


def test_controls_with_another_judge_or_without_common_tasks_are_left_out() -> None:
    other = '{"judge": "provider/other"}'
    parts = sections(
        results({"a": 0.5}, agent="react"),
        results({"a": 0.1}, agent="goal_echo", judge_record=other),
        results({"z": 0.0}, agent="no_data_guess"),
        results({"a": MISSING}, agent="no_data_guess", limits='{"messages": 5}'),
    )
    assert "controls" not in parts
