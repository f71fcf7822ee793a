"""Agents compared with controls on the same tasks."""

from tests.typed_results import results, rows, sections

HINTED = '{"domain_knowledge": true}'
PLACEBO = '{"placebo": 7}'

INPUTS = {"fingerprints": {"data_files": "1", "task_text": "1"}}
"""The fingerprints of a sample on the data, without hints."""


def with_other(name: str) -> dict[str, dict[str, str]]:
    """These fingerprints with another one of this name."""
    return {"fingerprints": {**INPUTS["fingerprints"], name: "2"}}


def test_agents_are_compared_with_the_floor_and_with_guesses_and_placebos_of_their_model() -> None:
    parts = sections(
        results({"a": 0.5, "b": 0.25, "c": 1.0}, inputs=INPUTS),
        results({"a": 0.125, "b": 0.125}, agent="goal_echo", model="none/none"),
        results({"a": 0.0, "b": 0.0}, agent="no_data_guess"),
        results({"a": 1.0}, agent="no_data_guess", model="provider/other"),
        # A placebo has other data files on purpose.
        results({"a": 0.25}, task="real_placebo", task_arguments=PLACEBO, inputs=with_other("data_files")),
    )
    section = parts["controls"]
    assert section.chart is not None
    configurations = set(section.table.configuration)
    assert configurations == {"react · provider/model"}
    columns = (
        "control",
        "tasks",
        "control HMS × 100",
        "agent HMS × 100",
        "difference × 100",
    )
    # Each difference is on the tasks that both ran. The agent has 50 on `a`, and a mean of 37.5 on `a` and `b`. The
    # floor is a control of every model, but guesses and placebos only of their own.
    differences = rows(section, *columns)
    assert sorted(differences) == [
        ("DB-REAL test, placebo 7", 1, 25, 50, 25),
        ("goal_echo · none/none", 2, 12.5, 37.5, 25),
        ("no_data_guess · provider/model", 2, 0, 37.5, 37.5),
    ]


def test_an_agent_with_domain_knowledge_is_compared_with_itself_without() -> None:
    parts = sections(
        results({"a": 0.0, "b": 0.5, "c": 1.0}, inputs=INPUTS),
        # A hint changes the task text on purpose.
        results({"a": 1.0, "b": 0.5, "d": 1.0}, task_arguments=HINTED, inputs=with_other("task_text")),
        results({"a": 1.0}, agent="codegen"),
        results({"a": 1.0}, limits="message_limit=5"),
    )
    # Another agent, and the same one with another limit, are no controls. The differences on `a` and `b` are 100 and 0.
    [row] = rows(parts["controls"], "control", "tasks", "difference × 100")
    assert row == ("without domain_knowledge", 2, 50)


def test_controls_with_another_judge_or_without_common_tasks_are_left_out() -> None:
    other = '{"judge": "provider/other"}'
    parts = sections(
        results({"a": 0.5}, agent="react"),
        results({"a": 0.1}, agent="goal_echo", judge_record=other),
        results({"z": 0.0}, agent="no_data_guess"),
    )
    assert "controls" not in parts
