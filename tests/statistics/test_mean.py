"""The mean and its interval, against closed forms and other implementations."""

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score, ci_wilson

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.clusters import cluster_mean
from inspect_discoverybench.statistics.mean import bounds, estimate_mean
from tests.fields import assert_fields

TASK = st.tuples(st.floats(0, 1), st.integers(0, 5))

VALUES = np.random.default_rng(0).choice([0.0, 0.0, 0.5, 1.0], 60)

PAIRS_OF_TASKS = [task // 2 for task in range(60)]
"""Clusters of two tasks each."""


def test_the_variance_is_that_of_statsmodels() -> None:
    settings = {
        "groups": np.array(PAIRS_OF_TASKS),
        "use_correction": False,
    }
    model = sm.OLS(VALUES, np.ones(60))
    fit = model.fit(cov_type="cluster", cov_kwds=settings)
    without_correction = float(fit.cov_params()[0, 0])
    result = cluster_mean(VALUES, PAIRS_OF_TASKS)
    assert result.variance == pytest.approx(without_correction * 30 / 29)


def test_clusters_of_different_sizes_count_as_fewer_of_equal_ones() -> None:
    """(Σ n)² / Σ n² of 3, 1 and 1 is 25 / 11."""
    result = cluster_mean([0, 1, 0, 1, 1], "aaabc")
    assert result.clusters == pytest.approx(25 / 11)


def test_with_equal_clusters_the_interval_is_inspects_clustered_wilson_interval() -> None:
    scores = []
    for value, cluster in zip(VALUES, PAIRS_OF_TASKS, strict=True):
        score = Score(value=float(value))
        scores.append(SampleScore(score=score, sample_metadata={"gold": cluster}))
    metric: Any = ci_wilson(cluster="gold")
    expected = metric(scores)
    assert_fields(
        estimate_mean(VALUES, PAIRS_OF_TASKS),
        low=expected["lower"],
        high=expected["upper"],
    )


@pytest.mark.parametrize("clusters", [2, 8, 25, 117])
def test_all_zeros_and_all_ones_give_an_interval_from_the_number_of_clusters(clusters: int) -> None:
    golds = [*range(clusters)] * 3
    zeros = estimate_mean([0] * len(golds), golds)
    ones = estimate_mean([1] * len(golds), golds)
    clopper_pearson = 1 - 0.025 ** (1 / clusters)
    assert zeros.low == 0
    assert zeros.high > 0.9 * clopper_pearson
    assert ones.high == 1
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


@pytest.mark.parametrize(
    ("values", "clusters", "message"),
    [
        ([], "", "At least one score is required, got none"),
        ([0.5, math.nan], "ab", "Each score must be a number from 0 to 1, got nan"),
        ([0.5, 1.0], "a", "got 2 scores and 1 clusters"),
    ],
)
def test_invalid_scores(values: list[float], clusters: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        estimate_mean(values, clusters)


def test_with_unscored_samples_the_interval_is_that_of_the_bounds() -> None:
    """Task b has no score. Task c has one of two epochs, which scored 0.4."""
    lowest = [1, 0, 0.2, 0]
    highest = [1, 1, 0.7, 0]
    assert_fields(
        estimate_mean([1, math.nan, 0.4, 0], "abcd", possible=(lowest, highest)),
        mean=1.4 / 3,
        low=estimate_mean(lowest, "abcd").low,
        high=estimate_mean(highest, "abcd").high,
        tasks=3,
        clusters=3,
    )


def test_without_any_score_there_is_no_mean() -> None:
    with pytest.raises(InvalidArgument, match="At least one score is required"):
        estimate_mean([math.nan], "a", possible=([0], [1]))


@pytest.mark.parametrize(
    ("values", "unscored", "expected"),
    [
        ([1.0, 0.5], 2, (0.375, 0.875)),
        ([1.0, 0.5], 0, (0.75, 0.75)),
        ([], 3, (0, 1)),
    ],
)
def test_bounds_count_unscored_samples_as_0_and_as_1(
    values: list[float], unscored: int, expected: tuple[float, float]
) -> None:
    assert bounds(values, unscored) == pytest.approx(expected)
