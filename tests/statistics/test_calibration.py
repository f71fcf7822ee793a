"""The mean corrected for the judge's errors."""

import sys

import numpy as np
import pytest

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.statistics.calibration import corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.statistics.simulation import TEST_SPLIT, clusters_of, simulate

CLUSTERS = clusters_of(TEST_SPLIT)


def biased(random: np.random.Generator, true: list[float]) -> list[float]:
    """A judge that misses one success in four."""
    return [score * float(random.random() >= 0.25) for score in true]


def test_a_biased_judge_is_corrected() -> None:
    """Averaged over data sets, so that the bias is seen and not the sampling error."""
    random = np.random.default_rng(0)
    raw, corrected = [], []
    for _ in range(10):
        true = simulate(random, TEST_SPLIT, 0.3, 0.3)
        judged = biased(random, true)
        sample = random.choice(len(true), 100, replace=False).tolist()
        estimate = corrected_mean(judged, sample, [true[task] for task in sample], CLUSTERS)
        raw.append(float(np.mean(judged) - np.mean(true)))
        corrected.append(estimate.mean - float(np.mean(true)))
        assert 0 <= estimate.low < estimate.mean < estimate.high <= 1
        assert (estimate.tasks, estimate.clusters) == (239, 117)
    assert np.mean(raw) < -0.05
    assert abs(np.mean(corrected)) < 0.02


def test_with_every_task_labelled_the_judge_does_not_matter() -> None:
    true = simulate(np.random.default_rng(1), TEST_SPLIT, 0.3, 0.3)
    estimate = corrected_mean([0.5] * 239, range(239), true, CLUSTERS)
    assert estimate.mean == pytest.approx(np.mean(true))


def test_labels_drawn_by_stratum_are_weighted() -> None:
    """The judge's errors are among its zeros, of which few are labelled. Only the probabilities tell how many exist."""
    random = np.random.default_rng(2)
    weighted, unweighted = [], []
    for _ in range(15):
        true = simulate(random, TEST_SPLIT, 0.5, 0.3)
        judged = [score * float(random.random() >= 0.4) for score in true]
        high = [task for task, score in enumerate(judged) if score > 0]
        low = [task for task, score in enumerate(judged) if score == 0]
        sample = [*high, *random.choice(low, 40, replace=False).tolist()]
        probabilities = [1.0 if score > 0 else 40 / len(low) for score in judged]
        # A judge whose scores say nothing, so that the calibration alone cannot undo the selection.
        labels, constant = [true[task] for task in sample], [0.5] * len(true)
        weighted.append(corrected_mean(constant, sample, labels, CLUSTERS, probabilities).mean - np.mean(true))
        unweighted.append(corrected_mean(constant, sample, labels, CLUSTERS).mean - np.mean(true))
    assert abs(np.mean(weighted)) < 0.02
    assert np.mean(unweighted) > 0.05


def test_labels_that_all_agree_give_an_interval() -> None:
    sample = list(range(0, 239, 4))
    estimate = corrected_mean([0.0] * 239, sample, [0.0] * len(sample), CLUSTERS)
    labels_only = estimate_mean([0.0] * len(sample), [CLUSTERS[task] for task in sample])
    assert (estimate.mean, estimate.low, estimate.high) == (0, 0, labels_only.high)


@pytest.mark.parametrize(
    ("labelled", "true", "message"),
    [
        ([0], [1.0], "at least 10 gold hypotheses, got 1"),
        ([], [], "At least one true score"),
        ([0, 300], [1.0, 1.0], "an index below 239, got 300"),
        ([-1], [1.0], "got -1"),
        ([0, 0], [1.0, 1.0], "labelled more than once"),
        ([0, 1], [1.0], "1 values and 2 clusters"),
    ],
)
def test_invalid_labels(labelled: list[int], true: list[float], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        corrected_mean([0.5] * 239, labelled, true, CLUSTERS)


@pytest.mark.parametrize(("probabilities", "message"), [([0.5], "got 1"), ([0.0] * 239, "above 0")])
def test_invalid_probabilities(probabilities: list[float], message: str) -> None:
    sample = list(range(0, 239, 4))
    with pytest.raises(InvalidArgument, match=message):
        corrected_mean([0.5] * 239, sample, [0.5] * len(sample), CLUSTERS, probabilities)


def test_without_the_library_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cje", None)
    sample = list(range(0, 239, 4))
    with pytest.raises(InvalidArgument, match=r"pip install 'inspect-discoverybench\[calibration\]'"):
        corrected_mean([0.5] * 239, sample, [0.5] * len(sample), CLUSTERS)


def test_coverage(sweep: None) -> None:
    random = np.random.default_rng(3)
    hits = []
    for mean in (0.1, 0.25, 0.5):
        for _ in range(60):
            true = simulate(random, TEST_SPLIT, mean, 0.3)
            sample = random.choice(len(true), 100, replace=False).tolist()
            estimate = corrected_mean(biased(random, true), sample, [true[task] for task in sample], CLUSTERS)
            hits.append(estimate.low <= mean <= estimate.high)
    assert 0.92 <= np.mean(hits) <= 0.98  # the standard error of 180 data sets is 1.6 %
