"""Paired comparisons, against closed forms and simulations."""

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, nct, t, ttest_1samp

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import grouped, t_interval
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.paired import EXACT_TEST, T_TEST, compare_paired, first_shares, holm
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
    with pytest.raises(InvalidArgument, match="the same tasks, got 1 and 2 scores"):
        compare_paired([1.0], [1.0, 0.0], "a")


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


def test_the_t_test_has_the_variance_and_the_degrees_of_freedom_of_the_general_formulas() -> None:
    """CR2 and Satterthwaite's degrees of freedom with matrices, as Pustejovsky and Tipton (2018) define them."""
    random, clusters = np.random.default_rng(0), np.repeat(range(5), [7, 3, 2, 1, 1])
    values = random.normal(size=14)
    residual_maker = np.eye(14) - 1 / 14
    weights = []
    for own in (clusters == cluster for cluster in range(5)):
        roots, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjustment = vectors @ np.diag(roots**-0.5) @ vectors.T
        weights.append(residual_maker[:, own] @ adjustment.sum(axis=0) / 14)
    gram = np.array(weights) @ np.array(weights).T
    error, degrees = grouped(values, clusters.tolist()).robust_error()
    assert error**2 == pytest.approx(((np.array(weights) @ values) ** 2).sum())
    assert degrees == pytest.approx(np.trace(gram) ** 2 / np.trace(gram @ gram))
    usual = ttest_1samp(values, 0)
    low, high, p_value = t_interval(values.mean(), *grouped(values, range(14)).robust_error())
    assert (low, high, p_value) == pytest.approx((*usual.confidence_interval(), usual.pvalue))


def test_from_25_tasks_on_interval_and_t_test_agree_and_the_power_does_not_depend_on_the_difference() -> None:
    a, b = np.random.default_rng(0).choice([0.2, 0.5, 0.8], (2, 60))
    first, shifted = (compare_paired(a + shift, b, range(60), ["x", "y", "z"] * 20) for shift in (0, 0.15))
    assert shifted.smallest_detectable == pytest.approx(first.smallest_detectable)
    in_errors = first.smallest_detectable / (first.high - first.difference) * t.isf(0.025, 59)
    assert nct.sf(t.isf(0.025, 59), 59, in_errors) == pytest.approx(0.8, abs=1e-4)
    assert shifted.p_value < 0.05 < first.p_value
    assert first.low < 0 < shifted.low
    new: Any = shifted.new_studies
    assert new.macro_average == pytest.approx(shifted.difference)
    assert new.p_value >= shifted.p_value
    for unknown in (None, math.nan, pd.NA):
        assert compare_paired(a, b, range(60), ["x", "y", unknown] * 20).new_studies is None
    # Means that two studies share by chance are no evidence about others.
    equal: Any = compare_paired([0.9, 0.5] * 13, [0.3, 0.5] * 13, range(26), ["x", "x", "y", "y"] * 6 + ["x", "y"])
    assert compare_paired([0.9, 0.5] * 13, [0.3, 0.5] * 13, range(26)).p_value < 0.001
    assert equal.new_studies.p_value > 0.05


def test_few_clusters_decide_nothing() -> None:
    result = compare_paired([1] * 30, [0] * 30, [0, 1, 2, 3, 4] * 6, ["x", "y"] * 15)
    assert (result.test, result.p_value, result.new_studies) == (EXACT_TEST, 2 / 2**5, None)
    assert np.isnan([result.low, result.high, result.smallest_detectable]).all()


def test_below_25_tasks_the_interval_contains_0_unless_both_tests_are_significant() -> None:
    """Five wins of five are not significant by the sign test, and 16 small differences not by the t-test."""
    result: Any = compare_paired([1] * 5 + [0] * 3, [0] * 8, range(8), "abcdefgh")
    assert (result.low, result.p_value, result.test) == (0, 2 / 2**5, EXACT_TEST)
    assert (result.new_studies.low <= 0, result.new_studies.p_value) == (True, result.p_value)
    result = compare_paired([0.1] * 7 + [0] * 9, [0] * 16, range(16))
    assert (result.low < 0, result.p_value > 0.05, result.test) == (True, True, T_TEST)


@settings(max_examples=25)
@given(PAIRS)
def test_the_interval_contains_the_difference_and_swapping_negates_it(rows: list[tuple[float, float, int]]) -> None:
    a, b, clusters = ([row[n] for row in rows] for n in range(3))
    result, swapped = compare_paired(a, b, clusters), compare_paired(b, a, clusters)
    assert result.clusters < 6 or -1 <= result.low <= result.difference <= result.high <= 1
    assert result.clusters < 6 or (result.p_value < 0.05) == (result.low > 0 or result.high < 0)
    assert 0 < result.p_value <= 1
    assert swapped.p_value == result.p_value
    assert swapped.difference == pytest.approx(-result.difference)
    assert (swapped.wins, swapped.losses, swapped.ties) == (result.losses, result.wins, result.ties)


@pytest.mark.parametrize("data", [name for name, sizes in SIZES.items() if len(sizes) >= 6])
def test_coverage_and_false_alarms(data: str, sweep: None) -> None:
    """Two systems with and without a difference, and two with equal means, of which one has low partial scores only."""
    generator, sizes = np.random.default_rng(2), SIZES[data]
    clusters = clusters_of(sizes)
    hits, significant, skewed = [], [], []
    count = 1000 if len(clusters) < 20 else 500
    for first, second in ((0.25, 0.25), (0.25, 0.1), (0.5, 0.5), (0.5, 0.2)):
        for _ in range(count):
            a, b = (simulate(generator, sizes, mean, 0.3) for mean in (first, second))
            result = compare_paired(a, b, clusters)
            hits.append(result.low <= first - second <= result.high)
            if first == second:
                significant.append(result.p_value <= 0.05)
    for mean in (0.05, 0.1, 0.2) * 1000:
        first_hits, second_hits = generator.random((2, len(clusters))) < [[mean], [mean / 0.35]]
        partial = generator.choice([0.2, 0.35, 0.5], len(clusters)) * second_hits
        skewed.append(compare_paired(first_hits.astype(float), partial, clusters).p_value <= 0.05)
    assert 0.93 <= np.mean(hits) <= 0.97  # the standard error of 2000 data sets is 0.5 %
    assert max(np.mean(significant), np.mean(skewed)) <= 0.06


@pytest.mark.parametrize("sizes", [[25, 24, 21, 20, 17, 17, 16, 15, 13, 10, 9, 8, 5], [100, 69, 38, 16, 10, 6]])
def test_coverage_and_false_alarms_on_new_studies(sizes: list[int], sweep: None) -> None:
    """Each study has an effect on each system; with the studies of DB-SYNTH test and of DB-REAL test."""
    generator, studies, hits = np.random.default_rng(6), clusters_of(sizes), []
    for first, second in [(0.25, 0.25), (0.5, 0.2)] * 400:
        a, b = (simulate(generator, sizes, mean, 0.06) for mean in (first, second))
        paired: Any = compare_paired(a, b, range(len(a)), studies).new_studies
        mean: Any = estimate_mean(a, range(len(a)), studies).new_studies
        hits.append((paired.low <= first - second <= paired.high, mean.low <= first <= mean.high))
    assert min(np.mean(hits, axis=0)) >= 0.93
    assert np.mean(hits[::2], axis=0)[0] >= 0.94  # between equal systems, an interval without 0 is a false alarm


def test_holm_by_hand() -> None:
    """The smallest is multiplied by 4, the next by 3, and so on, and none falls below one before it."""
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([]) == []
    assert holm([0.2]) == pytest.approx([0.2])


def test_a_dominant_system_is_always_first_equal_systems_share_each_draw_and_whole_clusters_are_drawn() -> None:
    """With one cluster each draw is the data; with five, the second system is sometimes first."""
    assert first_shares(np.array([[1, 1, 1], [0, 0.5, 0]]), "abc") == [1, 0]
    assert first_shares(np.array([[1, 0, 0.5]] * 3), "abc") == pytest.approx([1 / 3] * 3)
    scores = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    assert first_shares(scores, "aaaaa") == [1, 0]
    assert 0.1 < first_shares(scores, "abcde")[1] < 0.5
