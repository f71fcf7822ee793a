"""Two means of the same tasks and their difference."""

import pytest

from tests.report.results import MISSING, result, results, rows, sections

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


def test_hard_variants_are_paired_with_easy_ones() -> None:
    variants = [
        *results({"a": 1.0, "b": 0.5, "c": 0.0}),
        result("x", 0.5, variant_of="a"),
        result("y", 0.5, variant_of="b"),
    ]
    unpaired = [result("z", MISSING, variant_of="c"), result("w", 1.0, variant_of="missing")]
    section = sections(variants, unpaired)["variants"]
    assert rows(section, "tasks", "easy HMS × 100", "hard HMS × 100", "difference × 100") == [(2, 75, 50, -25)]
    assert section.chart is not None


def test_memory_compares_guesses_and_agents_with_the_same_model_and_hints() -> None:
    section = sections(
        results({"a": 0.0, "b": 0.0}, agent="no_data_guess"),
        results({"a": 1.0}, agent="no_data_guess", task_arguments=HINTED),
        results({"a": 0.5, "b": 0.3, "c": 1.0}, agent="react"),
        results({"a": 0.7}, agent="codegen", task_arguments=HINTED),
        results({"a": 1.0, "b": 1.0}, agent="reflexion"),
        results({"a": 1.0}, agent="react", model="provider/other"),
    )["memory"]
    columns = ("configuration", "tasks", "guess HMS × 100", "with data HMS × 100")
    assert sorted(rows(section, *columns)) == [
        ("codegen · provider/model", 1, 100.0, 70.0),
        ("react · provider/model", 2, 0.0, 40.0),
    ]
