"""How often the 95 % intervals contain the truth, on simulated scores with the clusters of the released data.

A cluster's probability of success has a beta distribution; a success is a partial score or 1. Each row averages over
means and correlations; "lowest" is the lowest coverage at one mean.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, ci, ci_wilson
from measure import show
from scipy.stats import norm

from inspect_discoverybench.statistics.calibration import corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.paired import compare_paired
from inspect_discoverybench.validation.agreement import kappa, share

CLUSTERS = {
    "8 tasks": [1] * 8,
    "8 of DB-REAL train": [3, 2, 2, 1],
    "20 of DB-REAL test": [2] + [1] * 18,
    "20 of DB-REAL train": [3] + [2] * 7 + [1] * 3,
    "25, DB-REAL train": [3] + [2] * 8 + [1] * 6,
    "38 tasks": [1] * 38,
    "38 in 22 clusters": [4, 4, 3, 3] + [2] * 6 + [1] * 12,
    "200, DB-SYNTH test": [1] * 200,
    "239, DB-REAL test": [10, 8, 8] + [6] * 7 + [4] * 9 + [3] * 9 + [2] * 19 + [1] * 70,
}
PARTIAL = ((1, 0.67, 0.5, 0.33), (0.5, 0.2, 0.2, 0.1))
MOSTLY_ONE = ((1, 0.67, 0.5), (0.85, 0.1, 0.05))
ZERO_OR_ONE = ((1,), (1.0,))
LEVELS = ((0.05, PARTIAL), (0.1, PARTIAL), (0.25, PARTIAL), (0.25, ZERO_OR_ONE), (0.5, PARTIAL), (0.9, MOSTLY_ONE))
CORRELATIONS = (0.1, 0.3, 0.6)
PAIRS = ((0.05, 0.05), (0.15, 0.05), (0.25, 0.25), (0.25, 0.1), (0.5, 0.5), (0.5, 0.2), (0.7, 0.6))
DEPENDENCES = ((0.2, 0.2, 0.0), (0.3, 0.3, 0.2), (0.3, 0.1, 0.5))
"""Shares of the latent variance: of the cluster, of the task, and of system and cluster together."""
JUDGES = ((0.05, 0.02), (0.15, 0.08))
"""How often a judge misses a success, and how often it sees one where there is none."""

ACCURACIES = (0.75, 0.9, 0.95)
"""How often HMS makes the same choice as people."""
KNOWLEDGE = (0.5, 0.8, 0.95, 0.98)
"""How often an annotator knows the true choice. Otherwise, the annotator guesses."""
CHOICES = ((0.45, 0.45, 0.1), (0.8, 0.15, 0.05))
"""Shares of the three choices."""

Interval = tuple[float, float]
Sizes = Sequence[int]


@dataclass(frozen=True)
class Coverage:
    """Percentage of intervals that contain the truth, and their mean width."""

    average: float
    lowest: float
    width: float

    @classmethod
    def of(cls, levels: Sequence[Sequence[tuple[Interval, float]]]) -> "Coverage":
        """Count, for each level, the intervals that contain the true value beside them."""
        shares = [100 * fmean(low <= truth <= high for (low, high), truth in level) for level in levels]
        widths = [high - low for level in levels for (low, high), _ in level]
        return cls(fmean(shares), min(shares), fmean(widths))

    def cells(self) -> tuple[str, ...]:
        """The columns of the table."""
        return f"{self.average:.1f}", f"{self.lowest:.1f}", f"{self.width:.3f}"


def clusters_of(sizes: Sizes) -> list[int]:
    """The cluster of each task."""
    return np.repeat(np.arange(len(sizes)), sizes).tolist()


def scores(
    rng: np.random.Generator, sizes: Sizes, mean: float, correlation: float, kind: tuple[Sequence[float], ...]
) -> list[float]:
    """Scores of one system."""
    values, shares = kind
    success = mean / float(np.dot(values, shares))
    spread = 1 / correlation - 1
    probabilities = rng.beta(success * spread, (1 - success) * spread, size=len(sizes))
    hits = rng.random(sum(sizes)) < np.repeat(probabilities, sizes)
    return [float(score) for score in np.where(hits, rng.choice(values, size=sum(sizes), p=shares), 0.0)]


def pairs(
    rng: np.random.Generator, sizes: Sizes, means: Sequence[float], dependence: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Scores of two systems on the same tasks."""
    values, shares = PARTIAL
    tasks, count = sum(sizes), len(sizes)
    cluster, task, both = dependence
    shared = np.sqrt(cluster) * np.repeat(rng.standard_normal(count), sizes) + np.sqrt(task) * rng.standard_normal(
        tasks
    )
    systems = []
    for mean in means:
        own = np.sqrt(both) * np.repeat(rng.standard_normal(count), sizes)
        latent = shared + own + np.sqrt(1 - cluster - task - both) * rng.standard_normal(tasks)
        hits = latent < norm.ppf(mean / np.dot(values, shares))
        systems.append(np.where(hits, rng.choice(values, size=tasks, p=shares), 0.0).tolist())
    return systems[0], systems[1]


def judged(rng: np.random.Generator, true: Sequence[float], misses: float, false_alarms: float) -> list[float]:
    """A judge's scores. One in ten partial scores is another one."""
    values, shares = PARTIAL
    chance, other = rng.random((3, len(true))), rng.choice(values, size=len(true), p=shares)
    array = np.asarray(true)
    verdict = np.where(array > 0, chance[0] >= misses, chance[0] < false_alarms)
    return [float(score) for score in np.where(verdict, np.where((array == 0) | (chance[1] < 0.1), other, array), 0.0)]


def ours(values: list[float], clusters: list[int]) -> Interval:
    """The interval of this package."""
    estimate = estimate_mean(values, clusters)
    return estimate.low, estimate.high


def inspects(metric: Metric) -> Callable[[list[float], list[int]], Interval]:
    """An interval of Inspect's."""

    def interval(values: list[float], clusters: list[int]) -> Interval:
        samples = [
            SampleScore(score=Score(value=value), sample_metadata={"cluster": cluster})
            for value, cluster in zip(values, clusters, strict=True)
        ]
        ends = metric(samples)  # type: ignore[arg-type]
        assert isinstance(ends, dict)
        return float(ends["lower"] or 0), float(ends["upper"] or 0)

    return interval


def mean_coverage(sizes: Sizes, count: int, interval: Callable[[list[float], list[int]], Interval] = ours) -> Coverage:
    """Coverage of an interval of the mean."""
    rng, clusters = np.random.default_rng(1), clusters_of(sizes)
    return Coverage.of(
        [
            [
                (interval(scores(rng, sizes, mean, correlation, kind), clusters), mean)
                for correlation in CORRELATIONS
                for _ in range(count)
            ]
            for mean, kind in LEVELS
        ]
    )


def paired_coverage(sizes: Sizes, count: int) -> tuple[Coverage, float]:
    """Coverage of the interval of the difference, and percentage of significant tests where there is none."""
    rng, clusters = np.random.default_rng(2), clusters_of(sizes)
    levels, significant = [], []
    for means in PAIRS:
        level = []
        for dependence in DEPENDENCES:
            for _ in range(count):
                first, second = pairs(rng, sizes, means, dependence)
                result = compare_paired(first, second, clusters)
                level.append(((result.low, result.high), means[0] - means[1]))
                if means[0] == means[1]:
                    significant.append(result.p_value <= 0.05)
        levels.append(level)
    return Coverage.of(levels), 100 * fmean(significant)


def share_coverage(count: int, pairs: int) -> Coverage:
    """Coverage of the share of pairs on which HMS agrees, for pairs drawn from DB-REAL test."""
    rng, golds = np.random.default_rng(4), np.array(clusters_of(CLUSTERS["239, DB-REAL test"]))

    def intervals(accuracy: float) -> Iterator[tuple[Interval, float]]:
        for correlation in CORRELATIONS:
            for _ in range(count):
                chances = beta(rng, accuracy, correlation)
                sample = rng.choice(golds, pairs, replace=False)
                agrees = rng.random(pairs) < chances[sample]
                result = share(agrees.tolist(), [str(gold) for gold in sample])
                assert result.interval is not None
                yield (result.interval.low, result.interval.high), accuracy

    return Coverage.of([list(intervals(accuracy)) for accuracy in ACCURACIES])


def kappa_coverage(count: int, pairs: int) -> Coverage:
    """Coverage of Fleiss' kappa of three annotators: the probability that two of them both know the true choice."""
    rng, golds = np.random.default_rng(5), np.array(clusters_of(CLUSTERS["239, DB-REAL test"]))

    def intervals(knowledge: float, shares: Sequence[float]) -> Iterator[tuple[Interval, float]]:
        for correlation in (0.001, 0.3):
            for _ in range(count):
                sample = rng.choice(golds, pairs, replace=False)
                knows = rng.random((pairs, 3)) < beta(rng, knowledge, correlation)[sample][:, None]
                truth, guesses = rng.choice(3, (pairs, 1), p=shares), rng.choice(3, (pairs, 3), p=shares)
                votes = np.where(knows, truth, guesses)
                table = np.stack([(votes == choice).sum(axis=1) for choice in range(3)], axis=1)
                interval = kappa(table.tolist(), [str(gold) for gold in sample]).interval
                if interval is not None:  # with 20 pairs and skewed choices, 2 % of the data sets have no interval
                    yield (interval.low, interval.high), knowledge**2 + correlation * knowledge * (1 - knowledge)

    return Coverage.of([list(intervals(knowledge, shares)) for knowledge in KNOWLEDGE for shares in CHOICES])


def beta(rng: np.random.Generator, mean: float, correlation: float) -> np.ndarray:
    """A probability for each gold hypothesis of DB-REAL test."""
    spread = 1 / correlation - 1
    return rng.beta(mean * spread, (1 - mean) * spread, len(CLUSTERS["239, DB-REAL test"]))


def corrected_coverage(sizes: Sizes, labels: int, count: int) -> Coverage:
    """Coverage of the mean corrected for a judge's errors."""
    rng, clusters = np.random.default_rng(3), clusters_of(sizes)

    def intervals(mean: float) -> Iterator[tuple[Interval, float]]:
        for misses, false_alarms in JUDGES:
            for _ in range(count):
                true = scores(rng, sizes, mean, 0.3, PARTIAL)
                sample = rng.choice(len(true), labels, replace=False).tolist()
                estimate = corrected_mean(
                    judged(rng, true, misses, false_alarms), sample, [true[task] for task in sample], clusters
                )
                yield (estimate.low, estimate.high), mean

    return Coverage.of([list(intervals(mean)) for mean in (0.1, 0.25, 0.5)])


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="data sets per mean and correlation")
    count = parser.parse_args().count
    rows: list[tuple[str, ...]] = []
    for name, sizes in CLUSTERS.items():
        rows.append(("mean", name, *mean_coverage(sizes, count).cells(), ""))
    wilson = inspects(ci_wilson(cluster="cluster"))
    bootstrap = inspects(ci(method="bootstrap", cluster="cluster"))
    for name in ("8 tasks", "25, DB-REAL train", "239, DB-REAL test"):
        rows.append(("Inspect's ci_wilson", name, *mean_coverage(CLUSTERS[name], count // 5, wilson).cells(), ""))
        rows.append(("Inspect's bootstrap", name, *mean_coverage(CLUSTERS[name], count // 20, bootstrap).cells(), ""))
    for name, sizes in CLUSTERS.items():
        coverage, size = paired_coverage(sizes, count // (2 if sum(sizes) < 100 else 5))
        rows.append(("difference", name, *coverage.cells(), f"{size:.1f}"))
    for pair_count in (20, 40, 100):
        rows.append(("share of agreement", f"{pair_count} pairs", *share_coverage(count, pair_count).cells(), ""))
        rows.append(("kappa", f"{pair_count} pairs", *kappa_coverage(count // 10, pair_count).cells(), ""))
    for labels in (50, 100, 200):
        coverage = corrected_coverage(CLUSTERS["239, DB-REAL test"], labels, count // 10)
        rows.append((f"corrected, {labels} labels", "239, DB-REAL test", *coverage.cells(), ""))
    show("Coverage of the 95 % intervals (%)", ("interval", "data", "average", "lowest", "width", "false alarms"), rows)


if __name__ == "__main__":
    main()
