"""Paired comparisons, against closed forms and simulations."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, nct, t

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.statistics.paired import EXACT_TEST, SAMPLED_TEST, compare_paired, smallest_effect_size
from tests.statistics.simulation import SIZES, clusters_of, simulate

PAIRS = st.lists(
    st.tuples(st.sampled_from([0, 1 / 3, 0.5, 1]), st.sampled_from([0, 1 / 3, 0.5, 1]), st.integers(0, 5)),
    min_size=1,
    max_size=20,
)


def test_wins_losses_and_ties() -> None:
    result = compare_paired([1, 0.5, 0, 0.1 + 0.2], [0, 1, 0, 0.3], "abcd")
    assert (result.wins, result.losses, result.ties) == (1, 1, 2)
    assert result.difference == pytest.approx(0.125)


@pytest.mark.parametrize(("wins", "losses"), [(8, 0), (5, 3)])
def test_for_wins_and_losses_of_1_the_test_is_the_exact_sign_test(wins: int, losses: int) -> None:
    a, b = [1] * wins + [0] * losses + [1] * 5, [0] * wins + [1] * losses + [1] * 5
    result = compare_paired(a, b, range(len(a)))
    assert result.p_value == pytest.approx(float(binomtest(wins, wins + losses).pvalue))
    assert result.test == EXACT_TEST


def test_the_signs_of_whole_clusters_are_flipped() -> None:
    """All 2³ assignments of signs to the sums 2, 0.5 and −1, written out."""
    a, b = [1, 1, 0.5, 0], [0, 0, 0, 1]
    sums = (2, 0.5, -1)
    flipped = [
        sum(sign * total for sign, total in zip(signs, sums, strict=True)) for signs in product((1, -1), repeat=3)
    ]
    expected = np.mean([abs(total) >= abs(sum(sums)) for total in flipped])
    assert compare_paired(a, b, "aabc").p_value == pytest.approx(expected)


def test_many_clusters_are_permuted_at_random_and_repeatably() -> None:
    generator = np.random.default_rng(0)
    a, b = generator.choice([0, 0.5, 1], 60).tolist(), generator.choice([0, 0.5], 60).tolist()
    first = compare_paired(a, b, range(60))
    assert first.test == SAMPLED_TEST
    assert first == compare_paired(a, b, range(60))
    assert first.p_value < 0.01
    assert first.low > 0


def test_a_single_cluster_decides_nothing() -> None:
    result = compare_paired([1, 1], [0, 0], "aa")
    assert (result.low, result.high, result.p_value) == (-1, 1, 1)
    assert math.isnan(result.smallest_detectable)


@pytest.mark.parametrize("units", [2, 72, 120, 1449])
def test_a_paired_t_test_detects_the_smallest_effect_size_with_a_power_of_80_percent(units: int) -> None:
    """For each of these numbers, some version of statsmodels and SciPy gives no value or a wrong one."""
    critical = t.isf(0.025, units - 1)
    assert nct.sf(critical, units - 1, smallest_effect_size(units) * math.sqrt(units)) == pytest.approx(0.8, abs=1e-4)


@settings(max_examples=25)
@given(PAIRS)
def test_the_interval_contains_the_difference_and_swapping_negates_it(rows: list[tuple[float, float, int]]) -> None:
    a, b, clusters = ([row[n] for row in rows] for n in range(3))
    result, swapped = compare_paired(a, b, clusters), compare_paired(b, a, clusters)
    assert -1 <= result.low <= result.difference <= result.high <= 1
    assert 0 < result.p_value <= 1
    assert swapped.p_value == result.p_value
    assert swapped.difference == pytest.approx(-result.difference)
    assert (swapped.wins, swapped.losses, swapped.ties) == (result.losses, result.wins, result.ties)


def test_two_systems_need_scores_of_the_same_tasks() -> None:
    with pytest.raises(InvalidArgument, match="the same tasks, got 1 and 2 scores"):
        compare_paired([1.0], [1.0, 0.0], "a")


@pytest.mark.parametrize("data", SIZES)
def test_coverage_and_false_alarms(data: str, sweep: None) -> None:
    """Two systems whose scores are independent within a cluster's difficulty, with and without a difference."""
    generator, sizes = np.random.default_rng(2), SIZES[data]
    clusters = clusters_of(sizes)
    hits, significant = [], []
    count = 300 if len(clusters) < 100 else 200
    for first, second in ((0.25, 0.25), (0.25, 0.1), (0.5, 0.5), (0.5, 0.2)):
        for _ in range(count):
            a, b = (simulate(generator, sizes, mean, 0.3) for mean in (first, second))
            result = compare_paired(a, b, clusters)
            hits.append(result.low <= first - second <= result.high)
            if first == second:
                significant.append(result.p_value <= 0.05)
    assert 0.93 - 0.01 <= np.mean(hits) <= 0.97 + 0.01  # the standard error of 800 to 1200 data sets is 0.7 %
    assert np.mean(significant) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(significant))  # 6.8 % or 7.2 %
