"""What must be equal in systems that are compared, and what is noted."""

from typing import Any

import pytest

from inspect_discoverybench.comparison.comparability import incompatibilities, notes_on
from inspect_discoverybench.comparison.comparison import compare_systems
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.configuration import configurations_of
from tests.typed_results import result


def system(name: str, **columns: Any) -> System:
    rows = [result("a", 1.0, **columns), result("b", 0.0, **columns)]
    [configuration, _] = configurations_of(rows)
    return System(name, configuration, rows)


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("task_version", "the task versions differ (1 and 2)."),
        ("target", "the gold hypotheses or targets of the sample a differ."),
        ("data_files", "the data files of the sample a differ."),
        ("data_commit", "the data commits of the sample a differ."),
    ],
)
def test_scores_on_different_tasks_are_not_comparable(column: str, reason: str) -> None:
    a = system("A", **{column: "1"})
    b = system("B", **{column: "2"})
    with pytest.raises(InvalidArgument, match="Use comparable logs, or pass --anyway"):
        compare_systems([a, b], {})
    comparison = compare_systems([a, b], {}, anyway=True)
    assert comparison.warnings == [f"A and B: {reason}"]


def text_inputs(fingerprint: str) -> dict[str, Any]:
    return {"fingerprints": {"task_text": fingerprint}}


def test_samples_whose_task_text_was_edited_are_not_comparable() -> None:
    a = system("A", inputs=text_inputs("1"))
    b = system("B", inputs=text_inputs("2"))
    assert [*incompatibilities(a, b)] == ["A and B: the task texts of the sample a differ."]


def test_a_system_whose_study_was_edited_between_its_runs_is_not_comparable() -> None:
    """It ran the sample a before and after the edit. The other system ran it only before."""
    before = [result(name, 1.0, inputs=text_inputs("1")) for name in ("a", "b")]
    after = result("a", 0.0, inputs=text_inputs("2"))
    [configuration, *_] = configurations_of(before)
    b = System("B", configuration, [*before, after])
    reason = "B: the sample a was run again after a change (task text)."
    assert [*incompatibilities(System("A", configuration, before), b)] == [reason]


def test_hints_may_change_the_task_text() -> None:
    a = system("A", inputs=text_inputs("1"))
    b = system("B", inputs=text_inputs("2"), task_arguments='{"framing": "pressure"}')
    assert not [*incompatibilities(a, b)]


def test_scores_that_were_judged_differently_are_not_comparable() -> None:
    a = system("A", judge_record='{"judge": "x", "prompts": {"system": "1"}}')
    b = system("B", judge_record='{"judge": "x", "prompts": {"system": "2"}}')
    [reason] = incompatibilities(a, b)
    assert reason == "A and B were judged differently: prompts.system: 1 and 2."


@pytest.mark.parametrize("column", ["target", "data_files", "data_commit", "judge_record"])
def test_what_a_log_does_not_record_is_ignored(column: str) -> None:
    # Any text will do for the first three columns, and the record of a judge is JSON.
    a = system("A", **{column: '{"judge": "x"}'})
    b = system("B", **{column: None})
    assert not [*incompatibilities(a, b)]


def test_the_letter_of_a_task_version_does_not_matter() -> None:
    a = system("A", task_version="3-A")
    b = system("B", task_version="3-B")
    assert not [*incompatibilities(a, b)]


def test_an_offline_judge_is_noted() -> None:
    a = system("A", judge="discoverybench/lexical")
    assert [*notes_on([a])] == [
        "The judge discoverybench/lexical is not a language model. These scores check the installation; they are not a "
        "result."
    ]


def test_differences_in_the_provenance_are_noted() -> None:
    a = system("A", package_version="0.1", prompts='{"react": "1", "hint": "1"}')
    b = system("B", package_version="0.2", prompts='{"react": "2", "hint": "1"}')
    assert [*notes_on([a, b])] == [
        "The versions of inspect-discoverybench differ: 0.1, 0.2.",
        "These prompts differ: react.",
    ]
