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

SCORE = st.floats(0, 1)
CLUSTER = st.integers(0, 5)
TASK = st.tuples(SCORE, CLUSTER)

T_19 = 2.0930240544
"""Quantile of Student's t with 19 degrees of freedom for a 95 % interval."""


def test_the_variance_is_that_of_statsmodels_with_a_correction_for_the_effective_number_of_clusters() -> None:
    """(Σ n)² / Σ n² of clusters with 3, 1 and 1 tasks is 25 / 11. statsmodels does not correct here."""
    values = [0, 1, 0, 1, 1]
    clusters = [0, 0, 0, 1, 2]
    model = sm.OLS(values, np.ones(5))
    settings = {"groups": np.array(clusters), "use_correction": False}
    fit = model.fit(cov_type="cluster", cov_kwds=settings)
    [[without_correction]] = fit.cov_params()
    effective = 25 / 11
    correction = effective / (effective - 1)

    result = cluster_mean(values, clusters)
    assert result.clusters == pytest.approx(effective)
    assert result.variance == pytest.approx(without_correction * correction)


def test_the_interval_is_wilsons_with_four_more_clusters() -> None:
    """20 clusters, of which 5 score 1. Without the four, the effective size is 19: one less than the clusters.

    The ends are the means from which 1/4 is as far away as the quantile of t allows.
    """
    clusters = [*range(20)] * 3
    scores = [cluster < 5 for cluster in clusters]
    estimate = estimate_mean(scores, clusters)
    additional = 4 / 20**2
    per_value = 1 / 19 + additional
    for end in (estimate.low, estimate.high):
        binary_variance = end * (1 - end)
        variance = binary_variance * per_value
        half_width = T_19 * math.sqrt(variance)
        distance = abs(end - 0.25)
        assert distance == pytest.approx(half_width)


@pytest.mark.parametrize("clusters", [2, 25, 117])
def test_all_zeros_and_all_ones_give_an_interval_from_the_number_of_clusters(clusters: int) -> None:
    golds = range(clusters)
    zeros = [0] * clusters
    ones = [1] * clusters
    of_zeros = estimate_mean(zeros, golds)
    of_ones = estimate_mean(ones, golds)
    exponent = 1 / clusters
    clopper_pearson = 1 - 0.025**exponent
    mirrored = 1 - of_zeros.high
    assert of_zeros.high > 0.9 * clopper_pearson
    assert of_ones.low == pytest.approx(mirrored)


@given(st.lists(TASK, min_size=2, max_size=30))
def test_the_interval_contains_the_mean_and_is_no_point(tasks: list[tuple[float, int]]) -> None:
    scores, clusters = zip(*tasks, strict=True)
    estimate = estimate_mean(scores, clusters)
    mean = np.mean(scores)
    assert estimate.mean == pytest.approx(mean)
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
