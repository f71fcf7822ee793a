"""The mean and its interval, against closed forms, statsmodels and simulations."""

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.mean import bounds, estimate_mean
from tests.statistics.simulation import SIZES, TEST_SPLIT, clusters_of, simulate

SCORES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=2, max_size=30)


def test_the_variance_is_that_of_statsmodels() -> None:
    values, clusters = simulate(np.random.default_rng(0), TEST_SPLIT, 0.25, 0.4), clusters_of(TEST_SPLIT)
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(clusters), "use_correction": False}
    )
    factor = len(TEST_SPLIT) / (len(TEST_SPLIT) - 1)
    assert clustered(values, clusters).variance == pytest.approx(float(fit.cov_params()[0, 0]) * factor)
    assert estimate_mean(values, clusters).mean == pytest.approx(float(fit.params[0]))


@pytest.mark.parametrize("tasks", [2, 8, 25, 239])
def test_all_zeros_and_all_ones_give_an_interval(tasks: int) -> None:
    """The upper end is near the exact one of Clopper and Pearson."""
    zeros, ones = estimate_mean([0] * tasks, range(tasks)), estimate_mean([1] * tasks, range(tasks))
    assert (zeros.mean, zeros.low) == (0, 0)
    assert 0.75 < zeros.high / (1 - 0.025 ** (1 / tasks)) < 1.25
    assert (1 - ones.high, 1 - ones.low) == pytest.approx((zeros.low, zeros.high))


@given(SCORES)
def test_the_interval_contains_the_mean_and_is_no_point(scores: list[tuple[float, int]]) -> None:
    estimate = estimate_mean([score for score, _ in scores], [cluster for _, cluster in scores])
    assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
    assert estimate.low < estimate.high
    assert estimate.mean == pytest.approx(math.fsum(score for score, _ in scores) / len(scores))


@pytest.mark.parametrize(
    ("values", "clusters", "message"),
    [
        ([], [], "At least one score is required, got none"),
        ([0.5, math.nan], "ab", "Each score must be a number from 0 to 1, got nan"),
        ([0.5, 1.0], "a", "got 2 scores and 1 clusters"),
    ],
)
def test_invalid_scores(values: list[float], clusters: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        estimate_mean(values, clusters)


def test_a_single_task_has_no_interval_and_new_studies_are_less_certain_than_these_tasks() -> None:
    assert math.isnan(estimate_mean([0.5], "a").low)
    estimate: Any = estimate_mean([0, 0, 1, 0.5, 0, 1], "abcdef", ["x", "x", "y", "y", "y", "z"])
    new = estimate.new_studies
    assert (new.macro_average, new.lowest, new.highest) == pytest.approx((0.5, 0.3, 0.625))
    assert 0 <= new.low <= estimate.low < estimate.high <= new.high <= 1


def test_bounds_count_unscored_samples_as_0_and_as_1() -> None:
    assert bounds([1.0, 0.5], 2) == pytest.approx((1.5 / 4, 3.5 / 4))
    assert bounds([1.0, 0.5], 0) == pytest.approx((0.75, 0.75))
    assert bounds([], 3) == (0, 1)


@pytest.mark.parametrize("data", SIZES)
def test_coverage(data: str, sweep: None) -> None:
    """Between 93 % and 97 % on average, for means like those of the paper's agents and above."""
    generator, sizes = np.random.default_rng(1), SIZES[data]
    clusters = clusters_of(sizes)
    hits = []
    for mean in (0.05, 0.1, 0.2, 0.25, 0.5):
        for correlation in (0.2, 0.6):
            for _ in range(500):
                estimate = estimate_mean(simulate(generator, sizes, mean, correlation), clusters)
                hits.append(estimate.low <= mean <= estimate.high)
    assert 0.93 <= np.mean(hits) <= 0.97
