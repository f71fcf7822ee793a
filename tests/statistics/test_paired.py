"""Paired comparisons, against closed forms and simulations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t, ttest_1samp

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.paired import compare_paired

SCORE = st.sampled_from([0, 1 / 3, 0.5, 1])
TASK = st.tuples(SCORE, SCORE, st.integers(0, 5))


def random_scores(tasks: int) -> np.ndarray:
    """Scores of two systems."""
    return np.random.default_rng(0).choice([0.2, 0.5, 0.8], (2, tasks))


def test_wins_losses_and_ties() -> None:
    """0.1 + 0.2 is not 0.3 in floating-point numbers."""
    result = compare_paired([1, 0.5, 0, 0.1 + 0.2], [0, 1, 0, 0.3], "abcd")
    assert result.difference == pytest.approx(0.125)
    assert result.wins == 1
    assert result.losses == 1
    assert result.ties == 2


def test_both_systems_need_a_score_of_each_task() -> None:
    with pytest.raises(InvalidArgument, match="the same tasks, got 1 and 2 scores"):
        compare_paired([1], [1, 0], "a")
    with pytest.raises(InvalidArgument, match="a task that both systems scored, got none"):
        compare_paired([math.nan], [1], "a", possible=(([0], [1]), ([1], [1])))


def test_without_clusters_it_is_the_t_test_with_an_additional_variance() -> None:
    """The variance of a mean of n differences is s²/n; four more clusters with ±1/2 add 1/n²."""
    a, b = random_scores(40)
    usual = ttest_1samp(a - b, 0)
    error = (a - b).std(ddof=1) / math.sqrt(40)
    larger_error = math.hypot(error, 1 / 40)
    result = compare_paired(a, b, range(40))
    assert result.high - result.difference == pytest.approx(t.isf(0.025, 39) * larger_error)
    statistic = usual.statistic * error / larger_error
    assert result.p_value == pytest.approx(2 * t.sf(abs(statistic), 39))


def test_tasks_of_one_gold_count_as_one() -> None:
    a, b = random_scores(20)
    single = compare_paired(a, b, range(20))
    copies = compare_paired(np.repeat(a, 3), np.repeat(b, 3), np.repeat(range(20), 3).tolist())
    assert copies.tasks == 60
    assert copies.clusters == 20
    assert copies.p_value == pytest.approx(single.p_value)
    assert copies.low == pytest.approx(single.low)


def test_few_golds_decide_only_if_nearly_all_agree() -> None:
    single = compare_paired([1, 1, 1], [0, 0, 0], "aaa")
    assert single.p_value == 1
    assert math.isnan(single.low)
    assert compare_paired([1] * 3, [0] * 3, "abc").p_value > 0.05
    assert compare_paired([1] * 6, [0] * 6, "abcdef").p_value < 0.05
    assert compare_paired([1] * 5 + [0], [0] * 5 + [1], "abcdef").p_value > 0.05


def test_the_smallest_detectable_difference_is_found_with_power_0_8_whatever_the_difference() -> None:
    a, b = random_scores(60)
    result = compare_paired(a, b, range(60))
    shifted = compare_paired(a + 0.15, b, range(60))
    assert shifted.smallest_detectable == pytest.approx(result.smallest_detectable)
    quantile = t.isf(0.025, 59)
    standard_error = (result.high - result.difference) / quantile
    power = nct.sf(quantile, 59, result.smallest_detectable / standard_error)
    assert power == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("shift", [0, 0.1, 0.15, 0.2])
def test_with_several_comparisons_interval_and_p_value_are_adjusted_together(shift: float) -> None:
    a, b = random_scores(60)
    plain = compare_paired(a + shift, b, range(60))
    adjusted = compare_paired(a + shift, b, range(60), comparisons=10)
    assert adjusted.p_value == pytest.approx(min(1, 10 * plain.p_value))
    assert adjusted.low < plain.low
    assert (adjusted.p_value < 0.05) == (adjusted.low > 0)


def test_with_unscored_samples_the_interval_is_that_of_the_bounds() -> None:
    """The first system has no score of three tasks."""
    scores = [1.0] * 8 + [0.5] * 12
    b = [0.5] * 3 + [0.0] * 8 + [0.5] * 12
    lowest = [0.0] * 3 + scores
    highest = [1.0] * 3 + scores
    result = compare_paired([math.nan] * 3 + scores, b, range(23), possible=((lowest, highest), (b, b)))
    assert result.is_bounded
    assert result.tasks == 20
    assert result.difference == pytest.approx(8 / 20)
    worst = compare_paired(lowest, b, range(23))
    assert result.low == worst.low
    assert result.p_value == worst.p_value
    assert result.high == compare_paired(highest, b, range(23)).high


def test_if_unscored_samples_could_make_either_system_the_better_one_nothing_is_significant() -> None:
    b = [0.5] * 20
    possible = ([0.0] * 20, [1.0] * 20)
    result = compare_paired([1.0] + [math.nan] * 19, b, range(20), possible=(possible, (b, b)))
    assert result.p_value == 1


@settings(max_examples=25)
@given(st.lists(TASK, min_size=1, max_size=20))
def test_the_interval_contains_the_difference_and_swapping_negates_it(tasks: list[tuple[float, float, int]]) -> None:
    a, b, clusters = zip(*tasks, strict=True)
    result = compare_paired(a, b, clusters)
    if result.clusters > 1:
        assert -1 <= result.low <= result.difference <= result.high <= 1
        assert (result.p_value < 0.05) == (result.low > 0 or result.high < 0)
    swapped = compare_paired(b, a, clusters)
    assert swapped.difference == pytest.approx(-result.difference)
    assert swapped.p_value == pytest.approx(result.p_value)
    assert swapped.wins == result.losses


@pytest.mark.parametrize("tasks", [8, 12, 25, 200])
def test_low_partial_scores_against_zeros_and_ones_raise_few_false_alarms(tasks: int, sweep: None) -> None:
    """The means are equal, but the differences are skewed."""
    random = np.random.default_rng(4)
    alarms = 0
    for _ in range(500):
        for mean in (0.05, 0.1, 0.2):
            ones = random.binomial(1, mean, tasks)
            partial = random.binomial(1, mean / 0.35, tasks) * random.choice([0.2, 0.35, 0.5], tasks)
            result = compare_paired(ones, partial, range(tasks))
            alarms += result.p_value < 0.05
    assert alarms / 1500 <= 0.06
