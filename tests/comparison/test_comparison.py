"""Several systems: pairs and a ranking."""

from typing import Any

import pytest

from inspect_discoverybench.comparison.comparison import compare
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.configuration import configurations_of
from tests.fields import assert_fields
from tests.typed_results import result

TASKS = 30


def system(name: str, solved: int, first: int = 0, **columns: Any) -> System:
    """A system that solves the first tasks."""
    rows = []
    for number in range(first, TASKS):
        hms = float(number < solved)
        row = result(f"t{number}", hms, **columns)
        rows.append(row)
    configuration, *_ = configurations_of(rows)
    return System(name, configuration, rows)


def test_all_pairs_are_compared_and_adjusted_together() -> None:
    weak = system("weak", 3)
    middle = system("middle", 12)
    strong = system("strong", 24)
    first, *others = compare([weak, middle, strong], {}).pairs
    assert [pair.candidate for pair in others] == ["strong", "strong"]

    [alone] = compare([weak, middle], {}).pairs
    adjusted = first.keys[0].paired
    single = alone.keys[0].paired
    assert adjusted.p_value == pytest.approx(3 * single.p_value)
    assert adjusted.low < single.low


def test_systems_are_ranked_on_the_tasks_that_all_scored() -> None:
    weak = system("weak", 10)
    strong = system("strong", 20)
    few = system("few", 30, first=25)
    best, *others = compare([weak, strong, few], {}).ranking
    assert best.system == "few"
    for rank in [best, *others]:
        assert rank.estimate.tasks == 5


def test_the_tasks_of_systems_are_described() -> None:
    complete = system("all", 10)
    few = system("few", 10, first=5)
    comparison = compare([complete, few], {})
    [pair] = comparison.pairs
    assert_fields(
        pair,
        common=25,
        only_baseline=5,
        only_candidate=0,
    )
    assert comparison.coverage["few"] == "25 of 239 tasks (25 selected: sociology 25)"


def test_a_placebo_is_not_paired_with_the_data() -> None:
    data = system("a", 10)
    arguments = '{"placebo": 7}'
    placebo = system("b", 10, task="real_placebo", task_arguments=arguments)
    message = "a and b have no common sample: they ran DB-REAL test and DB-REAL test, placebo 7"
    with pytest.raises(InvalidArgument, match=message):
        compare([data, placebo], {})
