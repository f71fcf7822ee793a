"""Paired comparisons, against closed forms and simulations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.paired import compare_paired
from tests.fields import assert_fields

SCORE = st.sampled_from([0, 1 / 3, 0.5, 1])
TASK = st.tuples(SCORE, SCORE, st.integers(0, 5))

T_59 = float(t.isf(0.025, 59))
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


def test_both_systems_need_a_score_of_each_task() -> None:
    with pytest.raises(InvalidArgument, match="the same tasks, got 1 and 2 scores"):
        compare_paired([1], [1, 0], "a")


def test_without_a_task_that_both_scored_there_is_no_difference() -> None:
    possible = (([0], [1]), ([1], [1]))
    with pytest.raises(InvalidArgument, match="a task that both systems scored, got none"):
        compare_paired([math.nan], [1], "a", possible=possible)


def test_without_clusters_it_is_the_t_test_with_an_additional_variance(scores: np.ndarray) -> None:
    """The variance of a mean of n differences is s²/n; four more clusters with ±1/2 add 1/n²."""
    first, second = scores
    differences = first - second
    mean = differences.mean()
    variance = differences.var(ddof=1) / 60 + 1 / 60**2
    error = math.sqrt(variance)
    tail = t.sf(abs(mean) / error, 59)
    assert_fields(
        compare_paired(first, second, range(60)),
        difference=float(mean),
        low=float(mean - T_59 * error),
        high=float(mean + T_59 * error),
        p_value=float(2 * tail),
    )


def test_tasks_of_one_gold_count_as_one(scores: np.ndarray) -> None:
    first, second = scores
    single = compare_paired(first, second, range(60))
    tripled = np.repeat(scores, 3, axis=1)
    golds = np.repeat(range(60), 3)
    assert_fields(
        compare_paired(tripled[0], tripled[1], golds.tolist()),
        tasks=180,
        clusters=60,
        low=single.low,
        p_value=single.p_value,
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


@pytest.mark.parametrize(
    ("first", "second", "is_significant"),
    [
        ("111", "000", False),
        ("111111", "000000", True),
        ("111110", "000001", False),
    ],
)
def test_few_golds_decide_only_if_nearly_all_agree(first: str, second: str, is_significant: bool) -> None:
    result = compare_paired([*map(int, first)], [*map(int, second)], range(len(first)))
    assert (result.p_value < 0.05) == is_significant


def test_the_smallest_detectable_difference_is_found_with_power_0_8(scores: np.ndarray) -> None:
    first, second = scores
    result = compare_paired(first, second, range(60))
    half_width = result.high - result.difference
    in_standard_errors = result.smallest_detectable / half_width * T_59
    power = nct.sf(T_59, 59, in_standard_errors)
    assert power == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize("shift", [0, 0.1, 0.15, 0.2])
def test_with_several_comparisons_interval_and_p_value_are_adjusted_together(scores: np.ndarray, shift: float) -> None:
    first, second = scores
    plain = compare_paired(first + shift, second, range(60))
    adjusted = compare_paired(first + shift, second, range(60), comparisons=10)
    assert adjusted.p_value == pytest.approx(min(1, 10 * plain.p_value))
    assert adjusted.low < plain.low
    assert (adjusted.p_value < 0.05) == (adjusted.low > 0)


def test_with_unscored_samples_the_interval_is_that_of_the_bounds() -> None:
    """The first system has no score of two tasks."""
    second = [0.5, 0.5, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5]
    scored = [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5]
    lowest = [0, 0, *scored]
    highest = [1, 1, *scored]
    worst = compare_paired(lowest, second, range(10))
    best = compare_paired(highest, second, range(10))
    possible = ((lowest, highest), (second, second))
    assert_fields(
        compare_paired([math.nan, math.nan, *scored], second, range(10), possible=possible),
        difference=3 / 8,
        low=worst.low,
        high=best.high,
        p_value=worst.p_value,
        tasks=8,
    )


def test_if_unscored_samples_could_make_either_system_the_better_one_nothing_is_significant() -> None:
    second = [0.5] * 20
    possible = (([0.0] * 20, [1.0] * 20), (second, second))
    first = [1.0, *[math.nan] * 19]
    assert compare_paired(first, second, range(20), possible=possible).p_value == 1


@settings(max_examples=25)
@given(st.lists(TASK, min_size=1, max_size=20))
def test_the_interval_contains_the_difference_and_swapping_negates_it(tasks: list[tuple[float, float, int]]) -> None:
    first, second, clusters = zip(*tasks, strict=True)
    result = compare_paired(first, second, clusters)
    if result.clusters > 1:
        assert -1 <= result.low <= result.difference <= result.high <= 1
        leaves_out_0 = result.low > 0 or result.high < 0
        assert (result.p_value < 0.05) == leaves_out_0
    assert_fields(
        compare_paired(second, first, clusters),
        difference=-result.difference,
        p_value=result.p_value,
        wins=result.losses,
        losses=result.wins,
    )


@pytest.mark.parametrize("tasks", [8, 12, 25, 200])
def test_low_partial_scores_against_zeros_and_ones_raise_few_false_alarms(tasks: int, sweep: None) -> None:
    """The means are equal, but the differences are skewed."""
    random = np.random.default_rng(4)
    alarms = 0
    for _ in range(1500):
        mean = random.choice([0.05, 0.1, 0.2])
        ones = random.binomial(1, mean, tasks)
        is_partial = random.binomial(1, mean / 0.35, tasks)
        partial = is_partial * random.choice([0.2, 0.35, 0.5], tasks)
        result = compare_paired(ones, partial, range(tasks))
        alarms += result.p_value < 0.05
    assert alarms / 1500 <= 0.06
