"""Several systems: pairs and a ranking."""

from collections.abc import Sequence

import pytest

from inspect_discoverybench.comparison.comparison import compare
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.configuration import configurations_of
from tests.typed_results import result

TASKS = 30


def system(name: str, solved: int, first: int = 0) -> System:
    """A system that solves the first tasks."""
    rows = [result(f"t{number}", float(number < solved)) for number in range(first, TASKS)]
    configuration = configurations_of(rows)[0]
    return System(name, configuration, rows, ["hms", "context"], [])


def test_all_pairs_are_compared_and_adjusted_together() -> None:
    weak, middle, strong = system("weak", 3), system("middle", 12), system("strong", 24)
    comparison = compare([weak, middle, strong], {})
    names = [(pair.baseline, pair.candidate) for pair in comparison.pairs]
    assert names == [("weak", "middle"), ("weak", "strong"), ("middle", "strong")]

    [alone] = compare([weak, middle], {}).pairs
    adjusted, single = comparison.pairs[0].keys[0].paired, alone.keys[0].paired
    assert adjusted.p_value == pytest.approx(3 * single.p_value)
    assert adjusted.low < single.low < single.high < adjusted.high


def test_systems_are_ranked_on_the_tasks_that_all_scored() -> None:
    systems = [system("weak", 10), system("strong", 20), system("few", 30, first=25)]
    ranking = compare(systems, {}).ranking
    assert [rank.estimate.tasks for rank in ranking] == [5, 5, 5]
    assert ranking[0].system == "few"
    assert sum(rank.first_share for rank in ranking) == pytest.approx(1)


def test_tasks_of_one_system_only_are_counted() -> None:
    [pair] = compare([system("all", 10), system("few", 10, first=5)], {}).pairs
    assert (pair.common, pair.only_baseline, pair.only_candidate) == (25, 5, 0)
    assert pair.studies == "1 studies, the largest with 100% of the tasks"


def test_the_tasks_of_each_system_are_described() -> None:
    comparison = compare([system("a", 10), system("b", 10)], {})
    assert comparison.coverage["a"] == "30 of 239 tasks (30 selected: sociology 30)"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([result("other", 1.0)], "have no common sample. A paired comparison needs"),
        ([result("t0")], "have no common sample that both scored"),
    ],
)
def test_systems_without_a_common_score_are_refused(rows: Sequence[object], message: str) -> None:
    first = system("first", 10)
    other = System("other", first.configuration, rows, ["hms"], [])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=message):
        compare([first, other], {})
