"""The difference of two systems on their common tasks."""

from collections.abc import Mapping, Sequence

import pytest

from inspect_discoverybench.comparison.difference import KeyDifference, key_difference
from inspect_discoverybench.results.task import Task
from tests.typed_results import MISSING, result


def tasks(scores: Mapping[str, Sequence[float]]) -> dict[str, Task]:
    """Tasks with HMS by epoch."""
    by_name = {}
    for name, epochs in scores.items():
        by_name[name] = Task([result(name, hms, epoch=epoch) for epoch, hms in enumerate(epochs)])
    return by_name


def difference(baseline: Mapping[str, Sequence[float]], candidate: Mapping[str, Sequence[float]]) -> KeyDifference:
    found = key_difference(tasks(baseline), tasks(candidate))
    assert found is not None
    return found


def test_epochs_are_averaged_and_only_tasks_that_both_scored_are_compared() -> None:
    baseline = {"a": [0.0, 0.5], "b": [1.0], "c": [0.5], "only here": [1.0]}
    candidate = {"a": [1.0], "b": [0.5], "c": [0.5], "only there": [0.0]}
    compared = difference(baseline, candidate)
    assert compared.baseline.mean == pytest.approx(1.75 / 3)
    assert compared.candidate.mean == pytest.approx(2 / 3)
    assert compared.paired.difference == pytest.approx(0.25 / 3)
    assert (compared.paired.wins, compared.paired.losses, compared.paired.ties) == (1, 1, 1)
    assert compared.missing == 0


def test_lost_epochs_of_the_candidate_count_against_it() -> None:
    """Scores that remain are perfect: their mean alone would show no difference."""
    complete = {name: [1.0, 1.0, 1.0] for name in "abcd"}
    lost = {name: [1.0, MISSING, MISSING] for name in "abcd"}
    compared = difference(complete, lost)
    assert compared.paired.difference == 0
    assert compared.missing == 8
    assert compared.worst == compared.failures_lowest == pytest.approx(-2 / 3)
    assert compared.best == 0
    assert compared.paired.low <= compared.worst


def test_lost_epochs_of_the_baseline_widen_the_bounds_only() -> None:
    compared = difference({"a": [1.0, MISSING], "b": [1.0, 1.0]}, {"a": [1.0, 1.0], "b": [1.0, 1.0]})
    assert compared.missing == 1
    assert (compared.worst, compared.best) == (0, 0.25)
    assert compared.failures_lowest == 0


def test_a_task_without_any_score_counts_in_the_bounds() -> None:
    compared = difference({"a": [0.5], "b": [0.5]}, {"a": [0.5], "b": [MISSING]})
    assert compared.paired.tasks == 1
    assert (compared.worst, compared.best, compared.failures_lowest) == (-0.25, 0.25, -0.25)


def test_decided_facets_of_unscored_samples_are_compared() -> None:
    unscored = {"a": Task([result("a", 1.0)]), "b": Task([result("b", context=1.0)])}
    scored = tasks({"a": [1.0], "b": [0.0]})
    hms = key_difference(scored, unscored, "hms")
    context = key_difference(scored, unscored, "context")
    assert hms is not None
    assert context is not None
    assert (hms.paired.tasks, context.paired.tasks) == (1, 2)
    assert context.paired.difference == 0.5


def test_there_is_no_difference_without_a_task_that_both_scored() -> None:
    assert key_difference(tasks({"a": [1.0]}), tasks({"b": [1.0]})) is None
    assert key_difference(tasks({"a": [1.0]}), tasks({"a": [MISSING]})) is None
