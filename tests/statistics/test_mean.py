"""The mean and its interval, against closed forms and other implementations."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import cluster_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.fields import assert_fields

TASK = st.tuples(st.floats(0, 1), st.integers(0, 5))

VALUES = np.random.default_rng(0).choice([0.0, 0.0, 0.5, 1.0], 60)

T_19 = 2.0930240544
"""Quantile of Student's t with 19 degrees of freedom for a 95 % interval."""

PAIRS_OF_TASKS = [task // 2 for task in range(60)]
"""Clusters of two tasks each."""


def test_the_variance_is_that_of_statsmodels() -> None:
    settings = {
        "groups": np.array(PAIRS_OF_TASKS),
        "use_correction": False,
    }
    model = sm.OLS(VALUES, np.ones(60))
    fit = model.fit(cov_type="cluster", cov_kwds=settings)
    [[without_correction]] = fit.cov_params()
    result = cluster_mean(VALUES, PAIRS_OF_TASKS)
    assert result.variance == pytest.approx(without_correction * 30 / 29)


def test_clusters_of_different_sizes_count_as_fewer_of_equal_ones() -> None:
    """(Σ n)² / Σ n² of 3, 1 and 1 is 25 / 11."""
    result = cluster_mean([0, 1, 0, 1, 1], "aaabc")
    assert result.clusters == pytest.approx(25 / 11)


def test_the_interval_is_wilsons_with_four_more_clusters() -> None:
    """20 clusters, of which 5 score 1. Without the four, the effective size is 19: one less than the clusters.

    The ends are the means from which 1/4 is as far away as the quantile of t allows.
    """
    clusters = np.repeat(range(20), 3)
    estimate = estimate_mean(clusters < 5, clusters.tolist())
    per_value = 1 / 19 + 4 / 20**2
    for end in (estimate.low, estimate.high):
        variance = end * (1 - end) * per_value
        error = math.sqrt(variance)
        distance = abs(end - 0.25)
        assert distance == pytest.approx(T_19 * error)


@pytest.mark.parametrize("clusters", [2, 25, 117])
def test_all_zeros_and_all_ones_give_an_interval_from_the_number_of_clusters(clusters: int) -> None:
    golds = range(clusters)
    values = np.zeros(clusters)
    zeros = estimate_mean(values, golds)
    ones = estimate_mean(values + 1, golds)
    clopper_pearson = 1 - 0.025 ** (1 / clusters)
    assert zeros.high > 0.9 * clopper_pearson
    assert ones.low == pytest.approx(1 - zeros.high)


@given(st.lists(TASK, min_size=2, max_size=30))
def test_the_interval_contains_the_mean_and_is_no_point(tasks: list[tuple[float, int]]) -> None:
    scores, clusters = zip(*tasks, strict=True)
    estimate = estimate_mean(scores, clusters)
    assert estimate.mean == pytest.approx(np.mean(scores))
    if estimate.clusters == 1:
        assert math.isnan(estimate.low)
    else:
        assert 0 <= estimate.low <= estimate.mean <= estimate.high <= 1
        assert estimate.low < estimate.high


@pytest.mark.parametrize("scores", [[], [math.nan], [1.5]])
def test_invalid_scores(scores: list[float]) -> None:
    tasks = range(len(scores))
    with pytest.raises(InvalidArgument):
        estimate_mean(scores, tasks)


def test_with_unscored_samples_the_interval_is_that_of_the_bounds() -> None:
    """Task b has no score. Task c has one of two epochs, which scored 0.4."""
    scores = [1, math.nan, 0.4, 0]
    lowest = [1, 0, 0.2, 0]
    highest = [1, 1, 0.7, 0]
    worst = estimate_mean(lowest, "abcd")
    best = estimate_mean(highest, "abcd")
    assert_fields(
        estimate_mean(scores, "abcd", possible=(lowest, highest)),
        mean=1.4 / 3,
        low=worst.low,
        high=best.high,
        tasks=3,
        clusters=3,
    )
