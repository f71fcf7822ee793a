"""The mean, the best and the worst of several epochs, against all subsets and against pass@k."""

import itertools
import math
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.epochs import AcrossEpochs, across_epochs
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.partial_scores import PartialScores
from tests.fields import assert_fields

EPOCHS = 4
KNOWN = st.lists(st.floats(0, 1), min_size=EPOCHS, max_size=EPOCHS)
SCORE = st.sampled_from([0, 1 / 3, 0.5, 1, math.nan])
PARTLY_KNOWN = st.lists(SCORE, min_size=EPOCHS, max_size=EPOCHS)


def across(tasks: list[list[float]], size: int) -> AcrossEpochs:
    """Each task is its own cluster, and one epoch at least is scored."""
    result = across_epochs([PartialScores(scores) for scores in tasks], range(len(tasks)), size)
    assert result is not None
    return result


@given(st.lists(KNOWN, min_size=1, max_size=3), st.integers(1, EPOCHS))
def test_best_and_worst_are_averages_over_all_subsets(tasks: list[list[float]], size: int) -> None:
    subsets = [subset for scores in tasks for subset in itertools.combinations(scores, size)]
    result = across(tasks, size)
    assert result.best.mean == pytest.approx(fmean(max(subset) for subset in subsets))
    assert result.worst.mean == pytest.approx(fmean(min(subset) for subset in subsets))
    assert result.mean.mean == pytest.approx(fmean(map(fmean, tasks)))


@pytest.mark.parametrize("epochs", [60, 71, 100])
def test_perfect_scores_in_many_epochs_are_accepted(epochs: int) -> None:
    """With so many epochs, the numbers of subsets are not exact as floating-point numbers."""
    for size in range(1, epochs + 1):
        result = across([[1] * epochs], size)
        assert (result.worst.mean, result.best.mean) == pytest.approx((1, 1))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_of_zeros_and_ones_best_and_worst_are_pass_at_k_and_pass_hat_k(size: int) -> None:
    """With c of n epochs solved, they are 1 − C(n − c, k) / C(n, k), and C(c, k) / C(n, k)."""
    result = across([[1, 1, 0, 0, 0], [1, 0, 0, 0, 0]], size)
    failed = [math.comb(3, size), math.comb(4, size)]
    solved = [math.comb(2, size), math.comb(1, size)]
    subsets = math.comb(5, size)
    assert result.best.mean == pytest.approx(1 - fmean(failed) / subsets)
    assert result.worst.mean == pytest.approx(fmean(solved) / subsets)


def test_the_intervals_are_those_of_the_scores_of_each_task() -> None:
    result = across([[0, 1], [0.5, 0.5], [0, 0]], 2)
    best = estimate_mean([1, 0.5, 0], range(3))
    worst = estimate_mean([0, 0.5, 0], range(3))
    assert_fields(result.best, low=best.low, high=best.high)
    assert_fields(result.worst, low=worst.low, high=worst.high)


def test_the_intervals_cover_what_unscored_epochs_could_have_scored() -> None:
    """The third epoch of the first task is unscored: it is 0 at the lowest, and 1 at the highest."""
    result = across([[0.2, 0.8, math.nan], [0, 0, 0.9]], 2)
    # A task's best and worst are means over its three pairs of epochs.
    lowest_best = estimate_mean([fmean([0.8, 0.2, 0.8]), fmean([0, 0.9, 0.9])], range(2))
    highest_best = estimate_mean([fmean([0.8, 1, 1]), fmean([0, 0.9, 0.9])], range(2))
    lowest_worst = estimate_mean([fmean([0.2, 0, 0]), 0], range(2))
    highest_worst = estimate_mean([fmean([0.2, 0.2, 0.8]), 0], range(2))
    # The means are over scored epochs only, and the first task has one pair of them.
    assert_fields(result.best, mean=(0.8 + 0.6) / 2, low=lowest_best.low, high=highest_best.high)
    assert_fields(result.worst, mean=(0.2 + 0) / 2, low=lowest_worst.low, high=highest_worst.high)


def test_a_task_with_fewer_scored_epochs_than_the_size_counts_with_those() -> None:
    result = across([[0.5, math.nan], [0, 1]], 2)
    assert_fields(result.best, mean=(0.5 + 1) / 2, tasks=2)
    assert_fields(result.worst, mean=(0.5 + 0) / 2, tasks=2)


@given(st.lists(PARTLY_KNOWN, min_size=2, max_size=5), st.integers(1, EPOCHS))
def test_the_mean_is_between_the_worst_and_the_best_and_each_interval_contains_its_value(
    tasks: list[list[float]], size: int
) -> None:
    result = across_epochs([PartialScores(scores) for scores in tasks], range(len(tasks)), size)
    if result is None:
        assert all(math.isnan(score) for scores in tasks for score in scores)
        return
    rounding = 1e-12
    assert result.worst.mean <= result.mean.mean + rounding
    assert result.mean.mean <= result.best.mean + rounding
    for estimate in (result.worst, result.mean, result.best):
        assert estimate.low <= estimate.mean + rounding
        assert estimate.mean <= estimate.high + rounding


def test_without_any_score_there_is_no_result() -> None:
    assert across_epochs([PartialScores([math.nan] * 2)], "a", 1) is None


@pytest.mark.parametrize("size", [0, 3, -1])
def test_a_size_that_a_task_does_not_have_is_refused(size: int) -> None:
    tasks = [PartialScores([0, 1, 0]), PartialScores([1, 1])]
    with pytest.raises(InvalidArgument, match=f"from 1 to the smallest number of epochs, 2, got {size}"):
        across_epochs(tasks, "ab", size)


def test_scores_that_are_not_from_0_to_1_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="from 0 to 1"):
        across_epochs([PartialScores([2, 2])], "a", 1)
