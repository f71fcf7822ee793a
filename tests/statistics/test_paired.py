"""Paired comparisons, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t

from inspect_discoverybench.statistics.paired import compare_paired
from tests.fields import assert_fields

SCORE = st.sampled_from([0, 1 / 3, 0.5, 1])
CLUSTER = st.integers(0, 5)
TASK = st.tuples(SCORE, SCORE, CLUSTER)

T_59 = 2.0009953780
"""Quantile of Student's t with 59 degrees of freedom for a 95 % interval."""


@pytest.fixture
def scores() -> np.ndarray:
    """Of two systems on 60 tasks."""
    random = np.random.default_rng(0)
    return random.choice([0.2, 0.5, 0.8], (2, 60))


def test_wins_losses_and_ties() -> None:
    """0.1 + 0.2 is not 0.3 in floating-point numbers."""
    first = [1, 0.5, 0, 0.1 + 0.2]
    second = [0, 1, 0, 0.3]
    assert_fields(
        compare_paired(first, second, "abcd"),
        difference=0.125,
        wins=1,
        losses=1,
        ties=2,
        tasks=4,
        clusters=4,
    )


def test_without_clusters_it_is_the_t_test_with_an_additional_variance(scores: np.ndarray) -> None:
    """The variance of a mean of n differences is s²/n; four more clusters with ±1/2 add 1/n²."""
    first, second = scores
    differences = first - second
    mean = differences.mean()
    variance = differences.var(ddof=1) / 60
    additional = 1 / 60**2
    error = math.sqrt(variance + additional)
    half_width = T_59 * error
    distance = abs(mean) / error
    tail = t.sf(distance, 59)
    assert_fields(
        compare_paired(first, second, range(60)),
        difference=mean,
        low=mean - half_width,
        high=mean + half_width,
        p_value=2 * tail,
    )


def test_a_single_gold_decides_nothing() -> None:
    assert_fields(
        compare_paired([1, 1, 1], [0, 0, 0], "aaa"),
        difference=1.0,
        low=math.nan,
        high=math.nan,
        p_value=1.0,
        smallest_detectable=math.nan,
    )


def test_the_smallest_detectable_difference_is_found_with_power_0_8(scores: np.ndarray) -> None:
    first, second = scores
    result = compare_paired(first, second, range(60))
    half_width = result.high - result.difference
    error = half_width / T_59
    noncentrality = result.smallest_detectable / error
    power = nct.sf(T_59, 59, noncentrality)
    assert power == pytest.approx(0.8, abs=1e-4)


def test_with_several_comparisons_interval_and_p_value_are_adjusted_together(scores: np.ndarray) -> None:
    first, second = scores
    first += 0.15
    plain = compare_paired(first, second, range(60))
    adjusted = compare_paired(first, second, range(60), comparisons=10)
    ten_times = 10 * plain.p_value
    assert plain.p_value < 0.05
    assert plain.low > 0
    assert adjusted.p_value == pytest.approx(ten_times)
    assert adjusted.p_value > 0.05
    assert adjusted.low < 0


def test_with_unscored_samples_the_interval_is_that_of_the_bounds() -> None:
    """The first system has no score of the first task."""
    tasks = "abcde"
    second = [0.5, 0, 0, 0, 0.5]
    lowest = [0, 1, 1, 0.5, 0.5]
    highest = [1, 1, 1, 0.5, 0.5]
    first = [math.nan, 1, 1, 0.5, 0.5]
    possible = ((lowest, highest), (second, second))
    worst = compare_paired(lowest, second, tasks)
    best = compare_paired(highest, second, tasks)
    assert_fields(
        compare_paired(first, second, tasks, possible=possible),
        difference=0.625,
        low=worst.low,
        high=best.high,
        p_value=worst.p_value,
        tasks=4,
    )


def test_if_unscored_samples_could_make_either_system_the_better_one_nothing_is_significant() -> None:
    second = [0.5, 0.5, 0.5]
    lowest = [0, 0, 0]
    highest = [1, 1, 1]
    first = [1, math.nan, math.nan]
    possible = ((lowest, highest), (second, second))
    result = compare_paired(first, second, "abc", possible=possible)
    assert result.p_value == 1


@settings(max_examples=25)
@given(st.lists(TASK, min_size=1, max_size=20))
def test_the_interval_contains_the_difference_and_swapping_negates_it(tasks: list[tuple[float, float, int]]) -> None:
    first, second, clusters = zip(*tasks, strict=True)
    result = compare_paired(first, second, clusters)
    if result.clusters > 1:
        assert -1 <= result.low <= result.difference <= result.high <= 1
        is_significant = result.p_value < 0.05
        contains_0 = result.low <= 0 <= result.high
        assert is_significant != contains_0
    assert_fields(
        compare_paired(second, first, clusters),
        difference=-result.difference,
        p_value=result.p_value,
        wins=result.losses,
        losses=result.wins,
    )
