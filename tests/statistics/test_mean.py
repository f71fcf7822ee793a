"""The mean and its interval, against closed forms and other implementations."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import cluster_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.partial_scores import Bounds
from tests.fields import assert_fields

SCORE = st.floats(0, 1)
CLUSTER = st.integers(0, 5)
TASK = st.tuples(SCORE, CLUSTER)


def test_the_variance_is_that_of_statsmodels_with_a_correction_for_the_effective_number_of_clusters() -> None:
    """statsmodels has a correction for the number of clusters, which is turned off here."""
    values = [0, 1, 0, 1, 1]
    clusters = [0, 0, 0, 1, 2]
    model = sm.OLS(values, np.ones(5))
    settings = {"groups": np.array(clusters), "use_correction": False}
    fit = model.fit(cov_type="cluster", cov_kwds=settings)
    [[without_correction]] = fit.cov_params()
    effective = (3 + 1 + 1) ** 2 / (3**2 + 1 + 1)  # (Σ n)² / Σ n² for clusters with n tasks
    correction = effective / (effective - 1)

    result = cluster_mean(values, clusters)
    assert result.effective_clusters == pytest.approx(effective)
    assert result.variance == pytest.approx(without_correction * correction)


@pytest.mark.parametrize("solved", [1, 5, 10, 19])
def test_the_interval_of_golds_that_are_all_or_nothing_is_clopper_and_pearsons(solved: int) -> None:
    """There are 20 golds with three tasks each."""
    clusters = [*range(20)] * 3
    scores = [cluster < solved for cluster in clusters]
    assert_fields(
        estimate_mean(scores, clusters),
        low=float(beta.ppf(0.025, solved, 20 - solved + 1)),
        high=float(beta.ppf(0.975, solved + 1, 20 - solved)),
    )


def test_the_effective_size_is_that_of_zeros_and_ones_with_the_same_variance() -> None:
    """There are 20 golds with three tasks each. All tasks of five golds are solved, and one task of each other gold."""
    clusters = [*range(20)] * 3
    scores = [1] * 20 + [cluster < 5 for cluster in range(20)] * 2
    mean = 0.5
    # A quarter of the golds have the mean 1, and the others have 1/3.
    variance_of_golds = (1 - 1 / 3) ** 2 * 1 / 4 * 3 / 4
    variance_of_mean = variance_of_golds / (20 - 1)  # the unbiased estimate
    # A gold shifts the mean by a twentieth of its deviation, and adds the square of this shift to the variance. Half of
    # such a square is added (`ADDITIONAL_CLUSTERS`), for a gold whose mean is 0 or 1, and so 0.5 away from the mean of
    # all.
    shift = 0.5 / 20
    widened_variance = variance_of_mean + 0.5 * shift**2

    size = mean * (1 - mean) / widened_variance  # of zeros and ones with this mean
    assert 20 < size < 60  # between the number of golds and the number of tasks, which are its limits
    successes = failures = size / 2
    assert_fields(
        estimate_mean(scores, clusters),
        mean=mean,
        low=float(beta.ppf(0.025, successes, failures + 1)),
        high=float(beta.ppf(0.975, successes + 1, failures)),
    )


def test_the_effective_size_is_at_most_the_number_of_tasks() -> None:
    """The interval is that of 25 zeros and ones with this mean.

    The small variance of these scores would give a larger size, and so a narrower interval.
    """
    scores = [0.5] * 24 + [0.6]
    estimate = estimate_mean(scores, range(25))
    successes = 25 * estimate.mean
    failures = 25 - successes
    assert_fields(
        estimate,
        low=float(beta.ppf(0.025, successes, failures + 1)),
        high=float(beta.ppf(0.975, successes + 1, failures)),
    )


@pytest.mark.parametrize("clusters", [2, 25, 117])
def test_all_zeros_and_all_ones_give_an_interval_from_the_number_of_clusters(clusters: int) -> None:
    golds = range(clusters)
    of_zeros = estimate_mean([0] * clusters, golds)
    of_ones = estimate_mean([1] * clusters, golds)
    clopper_pearson = 1 - 0.025 ** (1 / clusters)
    assert_fields(of_zeros, low=0.0, high=clopper_pearson)
    assert_fields(of_ones, low=1 - clopper_pearson, high=1.0)


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
def test_no_score_at_all_and_scores_that_are_not_from_0_to_1_are_refused(scores: list[float]) -> None:
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
        estimate_mean(scores, "abcd", possible=Bounds(lowest, highest)),
        mean=1.4 / 3,
        low=worst.low,
        high=best.high,
        tasks=3,
        clusters=3,
    )
