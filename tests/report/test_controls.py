"""Agents compared with controls on the same tasks."""

from typing import Any

from tests.typed_results import results, rows, sections

HINTED = '{"domain_knowledge": true}'
PLACEBO: dict[str, Any] = {"task": "real_placebo", "task_arguments": '{"placebo": 7}'}


def test_agents_are_compared_with_the_floor_guesses_and_placebos_of_the_same_model() -> None:
    section = sections(
        results({"a": 0.5, "b": 0.25, "c": 1.0}, agent="react"),
        results({"a": 0.125, "b": 0.125}, agent="goal_echo", model="none/none"),
        results({"a": 0.0, "b": 0.0}, agent="no_data_guess"),
        results({"a": 1.0}, agent="no_data_guess", model="provider/other"),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 0.25}, agent="react", **PLACEBO),
        results({"a": 0.25}, agent="react", model="provider/other", **PLACEBO),
    )["controls"]
    columns = ("control", "configuration", "tasks", "control HMS × 100", "agent HMS × 100", "difference × 100")
    assert sorted(rows(section, *columns)) == [
        ("DB-REAL test, placebo 7", "react · provider/model", 1, 25, 50, 25),
        ("goal_echo · none/none", "react · provider/model", 2, 12.5, 37.5, 25),
        ("no_data_guess · provider/model", "react · provider/model", 2, 0, 37.5, 37.5),
    ]
    assert section.chart is not None


def test_an_agent_with_domain_knowledge_is_compared_with_itself_without() -> None:
    section = sections(
        results({"a": 0.0, "b": 0.5, "c": 1.0}),
        results({"a": 1.0, "b": 0.5, "d": 1.0}, task_arguments=HINTED),
        results({"a": 1.0}, agent="codegen"),
        results({"a": 1.0}, limits="message_limit=5"),
    )["controls"]
    assert rows(section, "control", "tasks", "difference × 100", "wins", "losses", "ties") == [
        ("without domain_knowledge", 2, 50, 1, 0, 1)
    ]


def test_controls_with_another_judge_or_without_common_tasks_are_left_out() -> None:
    other = '{"judge": "provider/other"}'
    parts = sections(
        results({"a": 0.5}, agent="react"),
        results({"a": 0.1}, agent="goal_echo", judge_record=other),
        results({"z": 0.0}, agent="no_data_guess"),
    )
    assert "controls" not in parts
