"""How often the 95 % intervals contain the truth, on simulated scores with the clusters of the released data.

A cluster's probability of success has a beta distribution; a success is a partial score or 1. Each row averages over
means and correlations; "lowest" is the lowest coverage at one mean.
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import numpy as np
from inspect_ai.scorer import Metric, SampleScore, Score, ci, ci_wilson
from measure import show
from scipy.stats import norm

from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.paired import compare_paired

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

Interval = tuple[float, float]
Method = Callable[[list[float], list[int]], Interval]
Sizes = Sequence[int]
Level = TypeVar("Level")
Variation = TypeVar("Variation")


def coverage(
    levels: Iterable[Level],
    variations: Sequence[Variation],
    count: int,
    draw: Callable[[Level, Variation], tuple[Interval, float]],
) -> tuple[str, ...]:
    """Percentage of intervals that contain the truth: average and lowest level; and their mean width.

    Args:
        levels: What sets the truth.
        variations: What else varies.
        count: Number of data sets for each level and variation.
        draw: Returns the interval of one data set, and the truth.
    """
    shares, widths = [], []
    for level in levels:
        drawn = [draw(level, variation) for variation in variations for _ in range(count)]
        shares.append(100 * fmean(low <= truth <= high for (low, high), truth in drawn))
        widths += [high - low for (low, high), _ in drawn]
    return f"{fmean(shares):.1f}", f"{min(shares):.1f}", f"{fmean(widths):.3f}"


def clusters_of(sizes: Sizes) -> list[int]:
    """The cluster of each task."""
    return np.repeat(np.arange(len(sizes)), sizes).tolist()


def scores(
    rng: np.random.Generator, sizes: Sizes, mean: float, kind: tuple[Sequence[float], ...], correlation: float
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


def ours(values: list[float], clusters: list[int]) -> Interval:
    """The interval of this package."""
    estimate = estimate_mean(values, clusters)
    return estimate.low, estimate.high


def inspects(metric: Metric) -> Method:
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


def mean_coverage(sizes: Sizes, count: int, method: Method = ours) -> tuple[str, ...]:
    """Coverage of an interval of the mean."""
    rng, clusters = np.random.default_rng(1), clusters_of(sizes)
    return coverage(
        LEVELS, CORRELATIONS, count, lambda level, rho: (method(scores(rng, sizes, *level, rho), clusters), level[0])
    )


def paired_coverage(sizes: Sizes, count: int) -> tuple[str, ...]:
    """Coverage of the interval of the difference, and percentage of significant tests where there is none."""
    rng, clusters, significant = np.random.default_rng(2), clusters_of(sizes), []

    def draw(means: Sequence[float], dependence: Sequence[float]) -> tuple[Interval, float]:
        result = compare_paired(*pairs(rng, sizes, means, dependence), clusters)
        if means[0] == means[1]:
            significant.append(result.p_value <= 0.05)
        return (result.low, result.high), means[0] - means[1]

    return *coverage(PAIRS, DEPENDENCES, count, draw), f"{100 * fmean(significant):.1f}"


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="data sets per mean and correlation")
    count = parser.parse_args().count
    rows = [("mean", name, *mean_coverage(sizes, count), "") for name, sizes in CLUSTERS.items()]
    wilson, bootstrap = ci_wilson(cluster="cluster"), ci(method="bootstrap", cluster="cluster")
    for name in ("8 tasks", "25, DB-REAL train", "239, DB-REAL test"):
        for label, metric, fewer in (("ci_wilson", wilson, 5), ("bootstrap", bootstrap, 20)):
            measured = mean_coverage(CLUSTERS[name], count // fewer, inspects(metric))
            rows.append((f"Inspect's {label}", name, *measured, ""))
    for name, sizes in CLUSTERS.items():
        rows.append(("difference", name, *paired_coverage(sizes, count // (2 if sum(sizes) < 100 else 5))))
    show("Coverage of the 95 % intervals (%)", ("interval", "data", "average", "lowest", "width", "false alarms"), rows)


if __name__ == "__main__":
    main()
