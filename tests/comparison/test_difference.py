"""The difference of two systems on their common tasks."""

from typing import Any

import pytest

from inspect_discoverybench.comparison.difference import KeyDifference, key_difference
from inspect_discoverybench.results.task_result import TaskResult
from tests.fields import assert_fields
from tests.typed_results import MISSING, result


def tasks(**scores: list[float]) -> dict[str, TaskResult]:
    """Tasks with HMS by epoch."""
    by_name = {}
    for name, values in scores.items():
        epochs = []
        for epoch, hms in enumerate(values):
            row = result(name, hms, epoch=epoch)
            epochs.append(row)
        by_name[name] = TaskResult(epochs)
    return by_name


def difference(baseline: dict[str, TaskResult], candidate: dict[str, TaskResult], key: str = "hms") -> KeyDifference:
    compared = key_difference(baseline, candidate, key)
    assert compared is not None
    return compared


def test_epochs_are_averaged_and_only_tasks_that_both_scored_are_compared() -> None:
    baseline = tasks(
        a=[0.0, 0.5],
        b=[1.0],
        only_here=[1.0],
    )
    candidate = tasks(
        a=[1.0],
        b=[0.5],
        only_there=[0.0],
    )
    compared = difference(baseline, candidate)
    # The task `a` has the mean 0.25 of the two epochs of the baseline.
    assert_fields(compared, baseline=(0.25 + 1) / 2, candidate=(1 + 0.5) / 2)
    assert compared.paired.difference == 0.125


def test_lost_epochs_of_the_candidate_count_against_it() -> None:
    """Scores that remain are perfect: their mean alone would show no difference."""
    complete = tasks(a=[1.0, 1.0, 1.0])
    lost = tasks(a=[1.0, MISSING, MISSING])
    compared = difference(complete, lost)
    assert compared.paired.difference == 0
    assert_fields(
        compared,
        missing=2,
        worst=-2 / 3,
        failures_lowest=-2 / 3,
        best=0.0,
    )


COMPLETE = tasks(a=[1.0, 1.0], b=[1.0, 1.0])
ONE_LOST = tasks(a=[1.0, MISSING], b=[1.0, 1.0])
TASK_LOST = tasks(a=[MISSING, MISSING], b=[1.0, 1.0])
LOSSES: dict[str, tuple[dict[str, TaskResult], dict[str, TaskResult], dict[str, Any]]] = {
    # baseline, candidate, fields of the difference: each system has four epochs, and a lost one could be 0 instead of 1
    "one epoch": (COMPLETE, ONE_LOST, {"missing": 1, "worst": -0.25, "best": 0.0, "failures_lowest": -0.25}),
    "a task": (COMPLETE, TASK_LOST, {"missing": 2, "worst": -0.5, "best": 0.0, "failures_lowest": -0.5}),
    "of the baseline": (ONE_LOST, COMPLETE, {"missing": 1, "worst": 0.0, "best": 0.25, "failures_lowest": 0.0}),
}


@pytest.mark.parametrize("name", LOSSES)
def test_lost_epochs_of_either_system_change_the_worst_or_the_best_difference(name: str) -> None:
    baseline, candidate, expected = LOSSES[name]
    compared = difference(baseline, candidate)
    assert compared.paired.difference == 0  # all scores that remain are 1
    assert_fields(compared, **expected)


def test_decided_facets_of_unscored_samples_are_compared() -> None:
    scored = tasks(a=[1.0], b=[0.0])
    unscored = tasks(a=[1.0])
    context_only = result("b", context=1.0)
    unscored["b"] = TaskResult([context_only])
    hms = difference(scored, unscored)
    context = difference(scored, unscored, "context")
    assert hms.paired.tasks == 1
    assert context.paired.tasks == 2


@pytest.mark.parametrize("name_of_candidates_task", ["a", "b"], ids=["the same task", "another task"])
def test_there_is_no_difference_without_a_task_that_both_scored(name_of_candidates_task: str) -> None:
    baseline = tasks(a=[1.0])
    candidate = tasks(**{name_of_candidates_task: [MISSING]})
    assert key_difference(baseline, candidate) is None
