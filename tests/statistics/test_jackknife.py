"""The jackknife, against closed forms for a mean and a simulation of annotators."""

from collections.abc import Sequence
from statistics import fmean, variance

import numpy as np
import pytest
from scipy.stats import t

from inspect_discoverybench.statistics.jackknife import jackknife_interval
from tests.statistics.simulation import TEST_SPLIT, clusters_of


def test_for_a_mean_it_is_wilsons_interval_with_the_effective_sample_size() -> None:
    """The jackknife's variance of a mean is s²/n. Written out for values from −1 to 1."""
    values = [-0.5, 1.0, 0.0, 0.25, 0.5]
    share = (fmean(values) + 1) / 2
    typical = share * (1 - share) / 5
    size = share * (1 - share) / ((5 * variance(values) / 4 / 5 + 6 * typical) / 11)
    ratio = t.ppf(0.975, 10) ** 2 / size
    center, half_width = share + ratio / 2, np.sqrt(ratio * share * (1 - share) + ratio**2 / 4)
    expected = [2 * (center - half_width) / (1 + ratio) - 1, 2 * (center + half_width) / (1 + ratio) - 1]
    assert jackknife_interval(values, fmean) == pytest.approx(expected)


def test_a_statistic_that_is_not_defined_has_no_interval() -> None:
    def ratio(rows: Sequence[float]) -> float | None:
        return rows[0] / sum(rows) if sum(rows) else None

    assert jackknife_interval([0.0, 0.0], ratio) is None
    assert jackknife_interval([0.0, 1.0], ratio) is None
    assert jackknife_interval([1.0], fmean) is None


def kappa(groups: Sequence[np.ndarray]) -> float | None:
    """Fleiss' kappa of three annotators, in the words of Fleiss (1971)."""
    rows = np.concatenate(groups)
    agreement = ((rows**2).sum(axis=1) - 3).mean() / 6
    chance = ((rows.sum(axis=0) / rows.sum()) ** 2).sum()
    return float((agreement - chance) / (1 - chance)) if chance < 1 else None


@pytest.mark.parametrize("pairs", [20, 40, 100])
def test_coverage_of_kappa(pairs: int, sweep: None) -> None:
    """An annotator knows the true choice with a probability that depends on the gold, or else guesses.

    Kappa is the probability that two annotators both know it.
    """
    generator, golds = np.random.default_rng(4), np.array(clusters_of(TEST_SPLIT))
    hits = []
    for knowledge, correlation in ((0.98, 0.3), (0.95, 0.1), (0.95, 0.3), (0.8, 0.1), (0.8, 0.3), (0.5, 0.3)):
        spread, truth = 1 / correlation - 1, knowledge**2 + correlation * knowledge * (1 - knowledge)
        for _ in range(150 if pairs < 100 else 80):
            chances = generator.beta(knowledge * spread, (1 - knowledge) * spread, len(TEST_SPLIT))
            sample = golds[generator.choice(len(golds), pairs, replace=False)]
            guesses, choices = generator.choice(3, (2, pairs, 3), p=(0.45, 0.45, 0.1))
            knows = generator.random((pairs, 3)) < chances[sample][:, None]
            votes = np.where(knows, choices[:, :1], guesses)
            counts = np.stack([(votes == choice).sum(axis=1) for choice in range(3)], axis=1)
            ends = jackknife_interval([counts[sample == gold] for gold in np.unique(sample)], kappa)
            assert ends is not None
            hits.append(ends[0] <= truth <= ends[1])
    assert 0.93 <= np.mean(hits) <= 0.98
