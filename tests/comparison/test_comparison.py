"""Several systems: pairs and a ranking."""

from typing import Any

import pytest

from inspect_discoverybench.comparison.comparison import compare
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.configuration import configurations_of
from tests.typed_results import result

TASKS = 30


def system(name: str, solved: int, first: int = 0, **columns: Any) -> System:
    """A system that solves the first tasks."""
    rows = []
    for number in range(first, TASKS):
        hms = 1.0 if number < solved else 0.0
        rows.append(result(f"t{number}", hms, **columns))
    configuration = configurations_of(rows)[0]
    return System(name, configuration, rows, ["hms", "context"], [])


def test_all_pairs_are_compared_and_adjusted_together() -> None:
    weak = system("weak", 3)
    middle = system("middle", 12)
    pairs = compare([weak, middle, system("strong", 24)], {}).pairs
    assert [pair.candidate for pair in pairs] == ["middle", "strong", "strong"]

    [alone] = compare([weak, middle], {}).pairs
    adjusted = pairs[0].keys[0].paired
    single = alone.keys[0].paired
    assert adjusted.p_value == pytest.approx(3 * single.p_value)
    assert adjusted.low < single.low < single.high < adjusted.high


def test_systems_are_ranked_on_the_tasks_that_all_scored() -> None:
    systems = [system("weak", 10), system("strong", 20), system("few", 30, first=25)]
    first, *others = compare(systems, {}).ranking
    assert first.system == "few"
    assert first.first_share == 1
    assert {rank.estimate.tasks for rank in [first, *others]} == {5}


def test_the_tasks_of_systems_are_described() -> None:
    comparison = compare([system("all", 10), system("few", 10, first=5)], {})
    [pair] = comparison.pairs
    assert (pair.common, pair.only_baseline, pair.only_candidate) == (25, 5, 0)
    assert comparison.coverage["few"] == "25 of 239 tasks (25 selected: sociology 25)"


def test_a_placebo_is_not_paired_with_the_data() -> None:
    placebo = system("b", 10, task="real_placebo", task_arguments='{"placebo": 7}')
    message = "a and b have no common sample: they ran DB-REAL test and DB-REAL test, placebo 7"
    with pytest.raises(InvalidArgument, match=message):
        compare([system("a", 10), placebo], {})
