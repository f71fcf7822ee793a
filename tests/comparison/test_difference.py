"""The difference of two systems on their common tasks."""

import pytest

from inspect_discoverybench.comparison.difference import KeyDifference, key_difference
from inspect_discoverybench.results.task import Task
from tests.typed_results import MISSING, result


def tasks(**scores: list[float]) -> dict[str, Task]:
    """Tasks with HMS by epoch."""
    by_name = {}
    for name, values in scores.items():
        epochs = [result(name, hms, epoch=epoch) for epoch, hms in enumerate(values)]
        by_name[name] = Task(epochs)
    return by_name


def difference(baseline: dict[str, Task], candidate: dict[str, Task], key: str = "hms") -> KeyDifference:
    compared = key_difference(baseline, candidate, key)
    assert compared is not None
    return compared


def test_epochs_are_averaged_and_only_tasks_that_both_scored_are_compared() -> None:
    baseline = tasks(a=[0.0, 0.5], b=[1.0], c=[0.5], only_here=[1.0])
    candidate = tasks(a=[1.0], b=[0.5], c=[0.5], only_there=[0.0])
    compared = difference(baseline, candidate)
    assert compared.baseline == pytest.approx(1.75 / 3)
    assert compared.candidate == pytest.approx(2 / 3)
    assert compared.paired.difference == pytest.approx(0.25 / 3)


def test_lost_epochs_of_the_candidate_count_against_it() -> None:
    """Scores that remain are perfect: their mean alone would show no difference."""
    complete = tasks(a=[1.0, 1.0, 1.0], b=[1.0, 1.0, 1.0])
    lost = tasks(a=[1.0, MISSING, MISSING], b=[1.0, MISSING, MISSING])
    compared = difference(complete, lost)
    assert compared.paired.difference == compared.best == 0
    assert compared.missing == 4
    assert compared.worst == compared.failures_lowest == pytest.approx(-2 / 3)
    assert compared.paired.low <= compared.worst


def test_decided_facets_of_unscored_samples_are_compared() -> None:
    unscored = tasks(a=[1.0])
    unscored["b"] = Task([result("b", context=1.0)])
    scored = tasks(a=[1.0], b=[0.0])
    assert difference(scored, unscored).paired.tasks == 1
    context = difference(scored, unscored, "context")
    assert context.paired.tasks == 2
    assert context.paired.difference == 0.5


def test_there_is_no_difference_without_a_task_that_both_scored() -> None:
    a = tasks(a=[1.0])
    assert key_difference(a, tasks(b=[1.0])) is None
    assert key_difference(a, tasks(a=[MISSING])) is None
