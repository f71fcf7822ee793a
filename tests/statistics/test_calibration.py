"""The mean corrected for the judge's errors, against closed forms and simulations."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.calibration import corrected_mean
from tests.statistics.simulation import TEST_SPLIT, clusters_of, simulate

CLUSTERS = clusters_of(TEST_SPLIT)


def test_the_estimate_and_its_interval_by_hand() -> None:
    """Double sampling as in Cochran (1977, chapter 12): 40 tasks, of which every second one is labelled.

    The judge scores 16 tasks 1, so the judged mean is 0.4. Half of these are labelled, and 6 of the 8 labels are 0:
    the mean error is −6 / 20. Each sum of squares of the influence, times 40²:
    - 24 tasks scored 0: 12 without label, 0.4² each; 12 with, (−0.4 + 2 · 0.3)².
    - 16 tasks scored 1: 8 without label, 0.6² each; 2 right, (0.6 + 2 · 0.3)²; 6 wrong, (0.6 − 2 · 0.7)².
    """
    judged = [1.0] * 16 + [0.0] * 24
    true = [1.0, math.nan] * 2 + [0.0, math.nan] * 18
    squares = 12 * 0.4**2 + 12 * 0.2**2 + 8 * 0.6**2 + 2 * 1.2**2 + 6 * 0.8**2
    # Student's t with 19 degrees of freedom, and an additional label with an error of 1/2.
    half_width = 2.0930240544 * np.sqrt(20 / 19 * squares / 40**2 + 0.5**2 / 20**2)
    estimate = corrected_mean(judged, true, range(40))
    assert estimate.mean == pytest.approx(0.1)
    assert estimate.high == pytest.approx(0.1 + half_width)
    assert (estimate.low, estimate.tasks, estimate.clusters) == (0, 40, 40)
    # 40 more tasks that the judge scored 0 and that need no label halve mean and correction, but are no labels.
    squares = 40 * 0.05**2 + 12 * 0.2**2 + 12 * 0.1**2 + 8 * 0.8**2 + 2 * 1.1**2 + 6 * 0.9**2
    half_width = 2.0930240544 * np.sqrt(20 / 19 * squares + 0.5**2 * 2**2) / 80
    more = corrected_mean([*judged, *[0.0] * 40], [*true, *[math.nan] * 40], range(80), [0.5] * 40 + [0] * 40)
    assert (more.mean, more.high) == pytest.approx((0.05, 0.05 + half_width))


def test_a_judge_whose_scores_say_nothing_leaves_the_weighted_mean_of_the_labels() -> None:
    random = np.random.default_rng(2)
    true = np.array(simulate(random, TEST_SPLIT, 0.5, 0.3))
    probabilities = np.where(true > 0, 0.8, 0.3)
    sample = np.flatnonzero(random.random(239) < probabilities).tolist()
    labels = labels_of(sample, true)
    estimate = corrected_mean([0.5] * 239, labels, CLUSTERS, probabilities.tolist())
    assert estimate.mean == pytest.approx(np.average(true[sample], weights=1 / probabilities[sample]))
    assert np.mean(true[sample]) > estimate.mean + 0.1


def labels_of(sample: list[int], true: Sequence[float] | np.ndarray) -> list[float]:
    """The true scores of a sample of the tasks."""
    return [float(true[task]) if task in set(sample) else math.nan for task in range(len(true))]


@pytest.mark.parametrize(
    ("labelled", "chance", "message"),
    [(1, 1.0, "at least 10 gold hypotheses, got 1"), (0, 1.0, "At least one score"), (239, 0.0, "above 0, got 0")],
)
def test_invalid_labels(labelled: int, chance: float, message: str) -> None:
    true = [1.0] * labelled + [math.nan] * (239 - labelled)
    with pytest.raises(InvalidArgument, match=message):
        corrected_mean([0.5] * 239, true, CLUSTERS, [chance] * 239)


def test_coverage(sweep: None) -> None:
    """Of a judge that misses one success in four."""
    random = np.random.default_rng(3)
    hits = []
    for mean in (0.1, 0.25, 0.5):
        for _ in range(200):
            true = simulate(random, TEST_SPLIT, mean, 0.3)
            judged = [score * float(random.random() >= 0.25) for score in true]
            sample = random.choice(len(true), 100, replace=False).tolist()
            estimate = corrected_mean(judged, labels_of(sample, true), CLUSTERS)
            hits.append(estimate.low <= mean <= estimate.high)
    assert 0.93 <= np.mean(hits) <= 0.97  # the standard error of 600 data sets is 0.9 %
