"""Paired comparisons, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import beta, binomtest

from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.partial_scores import Bounds
from tests.fields import assert_fields

SCORE = st.sampled_from([0, 1 / 3, 0.5, 1])
CLUSTER = st.integers(0, 5)
TASK = st.tuples(SCORE, SCORE, CLUSTER)


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
        difference=(1 - 0.5 + 0 + 0) / 4,
        wins=1,
        losses=1,
        ties=2,
        tasks=4,
        clusters=4,
    )


def test_the_interval_combines_those_of_the_mean_gain_and_the_mean_loss() -> None:
    """Of 40 tasks, the first system wins 10 and loses 4.

    The intervals of the mean gain and the mean loss are Clopper and Pearson's. They are combined by the formula of Zou
    and Donner (2008), which needs the correlation of the two means. The variances and the covariance are those of the
    40 tasks and of half a task more (`ADDITIONAL_CLUSTERS`). With equal chances, this task is won, with gain 1 and
    loss 0, or lost, with gain 0 and loss 1.
    """
    first = [1] * 10 + [0] * 30
    second = [0] * 10 + [1] * 4 + [0] * 26
    gain, loss = 10 / 40, 4 / 40

    def variance(mean: float) -> float:
        of_tasks = mean * (1 - mean) / 39
        squared_deviation = ((1 - mean) ** 2 + (0 - mean) ** 2) / 2
        return of_tasks + 0.5 * squared_deviation / 40**2

    covariance_of_tasks = (0 - gain * loss) / 39  # no task has both a gain and a loss
    product_if_won = (1 - gain) * (0 - loss)
    product_if_lost = (0 - gain) * (1 - loss)
    product_of_deviations = (product_if_won + product_if_lost) / 2
    covariance = covariance_of_tasks + 0.5 * product_of_deviations / 40**2
    correlation = covariance / math.sqrt(variance(gain) * variance(loss))

    def clopper_pearson(count: int) -> tuple[float, float]:
        return beta.ppf(0.025, count, 40 - count + 1), beta.ppf(0.975, count + 1, 40 - count)

    def combined(gain_error: float, loss_error: float) -> float:
        """The error of the difference if gain and loss have these errors: the formula of Zou and Donner."""
        return math.sqrt(gain_error**2 + loss_error**2 - 2 * correlation * gain_error * loss_error)

    gain_low, gain_high = clopper_pearson(10)
    loss_low, loss_high = clopper_pearson(4)
    result = compare_paired(first, second, range(40))
    # At the low end of the difference, the gain is low and the loss is high.
    assert_fields(
        result,
        difference=gain - loss,
        low=gain - loss - combined(gain - gain_low, loss_high - loss),
        high=gain - loss + combined(gain_high - gain, loss - loss_low),
    )
    # The p-value is near that of the sign test, which counts the wins among the tasks that are not ties.
    assert result.p_value == pytest.approx(binomtest(10, 14).pvalue, rel=0.15)


def test_if_all_tasks_are_ties_the_interval_leaves_room_for_what_no_cluster_has_shown() -> None:
    """If a system wins a share of all such tasks, the probability that none of 239 shows it is (1 − share)^239.

    The interval ends at the share for which this probability is 0.045 = 1.8 · 0.025 (`UNSEEN_FACTOR` times the tail).
    """
    unseen_share = 1 - 0.045 ** (1 / 239)
    assert_fields(
        compare_paired([0.5] * 239, [0.5] * 239, range(239)),
        difference=0.0,
        low=-unseen_share,
        high=unseen_share,
        p_value=1.0,
    )


def test_a_p_value_is_the_significance_level_at_which_the_interval_reaches_0(scores: np.ndarray) -> None:
    """If five differences are read together, each interval has the confidence level 1 − 0.05 / 5 (Bonferroni).

    So if the low end of such an interval is 0, the unadjusted p-value is 0.05 / 5. The p-value that is adjusted for
    five differences is five times as large, 0.05.
    """
    first, second = scores

    def compare(shift: float, comparisons: int) -> PairedDifference:
        return compare_paired(first + shift, second, range(60), comparisons=comparisons)

    shift_to_0 = brentq(lambda shift: compare(shift, 5).low, 0, 0.2)  # with this shift, the low end is 0
    assert compare(shift_to_0, 5).p_value == pytest.approx(0.05)
    assert compare(shift_to_0, 1).p_value == pytest.approx(0.05 / 5)


@pytest.mark.parametrize("loss", [0.0, 0.01, 0.1])
def test_one_small_loss_hardly_matters(loss: float) -> None:
    """Of 30 tasks in 15 golds, the first system wins 18, and may lose a little on one of the others."""
    first = [0.8] * 18 + [0.5] * 12
    second = [0.0] * 18 + [0.5] * 11 + [0.5 + loss]
    result = compare_paired(first, second, [task // 2 for task in range(30)])
    assert result.low > 0.1
    assert result.p_value < 0.01


def test_a_difference_on_all_of_many_tasks_has_a_small_p_value() -> None:
    result = compare_paired([1] * 1000, [0] * 1000, range(1000))
    assert 0 < result.p_value < 1e-100  # it is not rounded to 0


def test_a_single_gold_decides_nothing() -> None:
    assert_fields(
        compare_paired([1, 1, 1], [0, 0, 0], "aaa"),
        difference=1.0,
        low=math.nan,
        high=math.nan,
        p_value=1.0,
        smallest_detectable=math.nan,
    )


@pytest.mark.parametrize(("chance", "difference"), [(0.02, 0.0545), (0.2, 0.112)])
def test_the_smallest_detectable_difference_is_found_with_power_0_8(chance: float, difference: float) -> None:
    """Two systems solve 239 tasks with chances that differ by `difference`, which is just detectable.

    The detectable difference is 2.80 standard errors: 1.96 for the level 0.05, and 0.84 for the power 0.8. The standard
    error depends on the difference of the chances. `difference` is the one that equals 2.80 of its standard errors.
    """
    random = np.random.default_rng(0)
    results = []
    for _ in range(400):
        first = random.binomial(1, chance + difference, 239)
        second = random.binomial(1, chance, 239)
        results.append(compare_paired(first, second, range(239)))
    found = [result.p_value < 0.05 for result in results]
    assert np.mean([result.smallest_detectable for result in results]) == pytest.approx(difference, abs=0.001)
    assert np.mean(found) == pytest.approx(0.8, abs=0.04)  # two standard errors of a share of 400 data sets


def test_with_several_comparisons_interval_and_p_value_are_adjusted_together(scores: np.ndarray) -> None:
    first, second = scores
    first += 0.15  # by so much that the difference is significant alone, and not among ten
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
    first = [math.nan, 1, 1, 0.5, 0.5]
    lowest = [0, 1, 1, 0.5, 0.5]
    highest = [1, 1, 1, 0.5, 0.5]
    second = [0.5, 0, 0, 0, 0.5]
    possible = (Bounds(lowest, highest), Bounds(second, second))
    worst = compare_paired(lowest, second, tasks)
    best = compare_paired(highest, second, tasks)
    assert_fields(
        compare_paired(first, second, tasks, possible=possible),
        difference=(1 + 1 + 0.5 + 0) / 4,  # without the first task
        low=worst.low,
        high=best.high,
        p_value=worst.p_value,  # with the lowest scores, the difference is nearer to 0
        tasks=4,
    )


def test_if_unscored_samples_could_make_either_system_the_better_one_nothing_is_significant() -> None:
    """The first system scores higher on the only task that both scored."""
    first = [1, math.nan, math.nan]
    possible_first = Bounds(lowest=[1, 0, 0], highest=[1, 1, 1])
    second = [0.5, 0.5, 0.5]
    possible_second = Bounds(lowest=second, highest=second)
    result = compare_paired(first, second, "abc", possible=(possible_first, possible_second))
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
