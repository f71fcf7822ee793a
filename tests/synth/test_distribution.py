"""A set of the baseline author beside the released DB-SYNTH train; benchmarks/generator.py prints the whole table."""

from pathlib import Path
from statistics import mean, median

import pytest
from generator import GoldFacts, MeasuredTask, measured_tasks

from tests.synth.authoring import BASELINE, generate

pytestmark = pytest.mark.usefixtures("sweep")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[MeasuredTask]:
    out = tmp_path_factory.mktemp("sets") / "set"
    generate(out, BASELINE, domains=8, height=4, rows=500)
    return measured_tasks(str(out))


@pytest.fixture
def golds(tasks: list[MeasuredTask]) -> list[GoldFacts]:
    return [task.gold for task in tasks if task.gold]


def test_sizes_and_difficulties_are_those_of_the_release(tasks: list[MeasuredTask], upstream: Path) -> None:
    released = measured_tasks(str(upstream / "discoverybench/synth/train"))
    columns = median(task.columns for task in released)
    missing = mean(task.missing for task in released)
    assert median(task.columns for task in tasks) == pytest.approx(columns, rel=0.25)
    assert mean(task.missing for task in tasks) == pytest.approx(missing, abs=0.005)
    # Twice the limit of the benchmark, whose sets are larger.
    for level in range(1, 5):
        share = mean(task.difficulty == level for task in released)
        assert mean(task.difficulty == level for task in tasks) == pytest.approx(share, abs=0.1), level


def test_the_target_stands_anywhere(golds: list[GoldFacts]) -> None:
    places = [gold.place for gold in golds]
    assert mean(places) == pytest.approx(0.5, abs=0.1)
    assert places.count(1) < 0.1 * len(places)


def test_no_other_column_explains_the_target(golds: list[GoldFacts]) -> None:
    assert median(gold.without_gold for gold in golds) <= 0.25
    assert mean(gold.other_is_best for gold in golds) <= 0.05


def test_names_do_not_tell_which_columns_are_gold(golds: list[GoldFacts]) -> None:
    extended = []
    for gold in golds:
        extended += gold.extended_is_gold
    base_rate = mean(gold.gold_share for gold in golds)
    assert mean(extended) == pytest.approx(base_rate, abs=0.05)


def test_longer_paths_are_harder(tasks: list[MeasuredTask]) -> None:
    """A greedy solver finds the fewer gold columns, the more steps are hidden."""
    levels = []
    for level in range(1, 4):
        scores = [task.gold.greedy_f1 for task in tasks if task.gold and task.difficulty == level]
        levels.append(mean(scores))
    assert levels == sorted(levels, reverse=True)
    assert levels[0] - levels[-1] > 0.1
