"""How often the 95 % intervals contain the truth, on simulated scores with the studies and golds of the released data.

The probabilities of success of a study and of its clusters have beta distributions; a success is a partial score or 1.
Each row averages over means and correlations; "lowest" is the lowest coverage at one mean. On these tasks, the truth is
the mean on these studies; on new studies, it is that of all studies. With --labels, the intervals are those of people's
votes (agreement with HMS, Fleiss' kappa) and of the mean corrected by their labels, on tasks drawn from DB-REAL test.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from statistics import fmean
from typing import Any

import numpy as np
from inspect_ai.scorer import SampleScore, Score, ci_wilson
from measure import show
from scipy.stats import norm

from inspect_discoverybench.human_study.statistic import kappa
from inspect_discoverybench.statistics.corrected_mean import corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.paired import compare_paired

META_REGRESSION = [10, 8, 8] + [6] * 6 + [4] * 7 + [2] * 5
NLS = [6, 4] + [3] * 5 + [2] * 6 + [1] * 21
ARCHAEOLOGY = [2] * 2 + [1] * 34
OTHERS = [[3] * 4 + [2] * 2, [1] * 15, [4] + [2] * 4]
STUDIES = {
    "8 tasks": [[1]] * 8,
    "20, archaeology": [[2] + [1] * 18],
    "20 of DB-REAL train": [[3, 2, 2, 2], [2, 2], [2, 2, 1, 1, 1]],
    "25, DB-REAL train": [[3, 2, 2, 2, 1], [2, 2], [2] * 3 + [1] * 5],
    "38, archaeology": [ARCHAEOLOGY],
    "200, DB-SYNTH test": [[1] * size for size in (25, 24, 21, 20, 17, 17, 16, 15, 13, 10, 9, 8, 5)],
    "239, DB-REAL test": [META_REGRESSION, NLS, ARCHAEOLOGY, *OTHERS],
}
"""Number of tasks of each gold hypothesis, by study."""
STUDY_CORRELATIONS = (0.0, 0.035, 0.063)
"""Correlations of two tasks of one study, whose gold hypotheses differ."""
PARTIAL = ((1, 0.67, 0.5, 0.33), (0.5, 0.2, 0.2, 0.1))
MOSTLY_ONE = ((1, 0.67, 0.5), (0.85, 0.1, 0.05))
ZERO_OR_ONE = ((1,), (1.0,))
LEVELS = ((0.05, PARTIAL), (0.1, PARTIAL), (0.25, PARTIAL), (0.25, ZERO_OR_ONE), (0.5, PARTIAL), (0.9, MOSTLY_ONE))
CORRELATIONS = (0.1, 0.3, 0.6)
PAIRS = ((0.05, 0.05), (0.15, 0.05), (0.25, 0.25), (0.25, 0.1), (0.5, 0.5), (0.5, 0.2), (0.7, 0.6))
DEPENDENCES = ((0.2, 0.2, 0.0), (0.3, 0.3, 0.2), (0.3, 0.1, 0.5))
"""Shares of the latent variance within a study: of the cluster, of the task, and of system and cluster together."""
STUDY_SHARES = ((0.0, 0.0), (0.1, 0.0), (0.06, 0.06), (0.1, 0.1))
"""Shares of the latent variance: of the study, and of system and study together."""
VARIATIONS = [*product(STUDY_CORRELATIONS, CORRELATIONS)]
AGREEMENT = (0.75, 0.9, 0.95)
"""Shares of pairs on which HMS and people agree."""
KNOWLEDGE = [*product((0.5, 0.8, 0.95, 0.98), ((0.45, 0.45, 0.1), (0.7, 0.2, 0.1)))]
"""Probabilities that an annotator knows the choice instead of guessing, and of the choices."""
JUDGES = [*product((0.1, 0.25, 0.5), (0.0, 0.15))]
"""Means, and probabilities that the judge gives a partial score instead of 0. It misses one success in four."""
LABELS = [*product((50, 100, 200), (0.0,), (False, True)), (20, 0.8, False), (40, 0.6, False)]
"""Numbers of labels, shares of tasks without a submission, and whether half of the labels are of tasks judged 0."""

Interval = tuple[float, float]
Draw = tuple[Interval, float]
Method = Callable[["Layout", list[float]], Interval]


class Layout:
    """The gold hypothesis and the study of each task."""

    def __init__(self, studies: Sequence[Sequence[int]]) -> None:
        self.count = len(studies)
        self.sizes = [size for sizes in studies for size in sizes]
        self.of_gold = np.repeat(np.arange(self.count), [len(sizes) for sizes in studies])
        self.golds = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.studies = self.of_gold[self.golds]


def coverage(
    levels: Iterable[Any], variations: Sequence[Any], count: int, draw: Callable[[Any, Any], Draw]
) -> tuple[str, ...]:
    """Percentage of intervals that contain the truth: average and lowest level; and their mean width."""
    shares, widths = [], []
    for level in levels:
        drawn = [draw(level, variation) for variation in variations for _ in range(count)]
        shares.append(100 * fmean(low <= truth <= high for (low, high), truth in drawn))
        widths += [high - low for (low, high), _ in drawn]
    return f"{fmean(shares):.1f}", f"{min(shares):.1f}", f"{fmean(widths):.3f}"


def chances(rng: np.random.Generator, means: np.ndarray, correlation: float) -> np.ndarray:
    """Probabilities with these means, and this correlation of what happens with one of them."""
    spread = 1 / max(correlation, 1e-6) - 1
    return np.asarray(rng.beta(means * spread, (1 - means) * spread))


def scores(
    rng: np.random.Generator, layout: Layout, mean: float, kind: tuple[Sequence[float], ...], rhos: Sequence[float]
) -> tuple[list[float], float]:
    """Scores of one system, and its mean on these studies."""
    values, shares = kind
    if_solved = float(np.dot(values, shares))
    of_study = chances(rng, np.full(layout.count, mean / if_solved), rhos[0])
    of_gold = chances(rng, np.clip(of_study[layout.of_gold], 1e-9, 1), rhos[1])
    hits = rng.random(len(layout.golds)) < of_gold[layout.golds]
    drawn = np.where(hits, rng.choice(values, size=len(hits), p=shares), 0.0)
    return drawn.tolist(), if_solved * float(of_study[layout.studies].mean())


def pairs(
    rng: np.random.Generator, layout: Layout, means: Sequence[float], dependence: Sequence[float], of_studies: Interval
) -> tuple[list[list[float]], float]:
    """Scores of two systems on the same tasks, and the difference of their means on these studies."""
    (values, shares), (study, own) = PARTIAL, of_studies
    cluster, task, both = (share * (1 - study - own) for share in dependence)
    rest = 1 - study - own - cluster - task - both

    def effect(share: float, place: np.ndarray) -> np.ndarray:
        return np.asarray(np.sqrt(share) * rng.standard_normal(place.max() + 1)[place])

    tasks = np.arange(len(layout.golds))
    of_study, shared = effect(study, layout.studies), effect(cluster, layout.golds) + effect(task, tasks)
    systems, truths = [], []
    for mean in means:
        limit = norm.ppf(mean / np.dot(values, shares)) - of_study - effect(own, layout.studies)
        hits = shared + effect(both, layout.golds) + effect(rest, tasks) < limit
        systems.append(np.where(hits, rng.choice(values, size=len(tasks), p=shares), 0.0).tolist())
        truths.append(float(np.dot(values, shares) * norm.cdf(limit / np.sqrt(1 - study - own)).mean()))
    return systems, truths[0] - truths[1]


def ours(layout: Layout, values: list[float], is_new: bool = False) -> Interval:
    """The interval of this package on these tasks or on new studies."""
    estimate = estimate_mean(values, layout.golds.tolist(), layout.studies.tolist())
    ends = estimate.new_studies if is_new else estimate
    assert ends is not None
    return ends.low, ends.high


def wilson(layout: Layout, values: list[float]) -> Interval:
    """The clustered interval of Inspect's for the mean."""
    rows = zip(values, layout.golds.tolist(), strict=True)
    metric: Any = ci_wilson(cluster="gold")
    ends = metric([SampleScore(score=Score(value=value), sample_metadata={"gold": gold}) for value, gold in rows])
    return ends["lower"], ends["upper"]


def mean_coverage(layout: Layout, count: int, method: Method, is_new: bool = False) -> tuple[str, ...]:
    """Coverage of an interval of the mean."""
    rng, correlations = np.random.default_rng(1), STUDY_CORRELATIONS[1:] if is_new else STUDY_CORRELATIONS

    def draw(level: tuple[float, tuple[Sequence[float], ...]], rhos: Sequence[float]) -> Draw:
        values, truth = scores(rng, layout, *level, rhos)
        return method(layout, values), level[0] if is_new else truth

    return coverage(LEVELS, [*product(correlations, CORRELATIONS)], count, draw)


def paired_coverage(layout: Layout, count: int, is_new: bool) -> tuple[str, ...]:
    """Coverage of the interval of the difference, and percentage of significant tests where there is none."""
    rng, significant = np.random.default_rng(2), []

    def draw(means: Sequence[float], variation: tuple[Sequence[float], tuple[float, float]]) -> Draw:
        (first, second), truth = pairs(rng, layout, means, *variation)
        result = compare_paired(first, second, layout.golds.tolist(), layout.studies.tolist())
        tested = result.new_studies if is_new else result
        assert tested is not None
        if means[0] == means[1] and (is_new or not variation[1][1]):  # on these tasks, none in each study
            significant.append(tested.p_value <= 0.05)
        return (tested.low, tested.high), means[0] - means[1] if is_new else truth

    shares = STUDY_SHARES[2:] if is_new else STUDY_SHARES
    return *coverage(PAIRS, [*product(DEPENDENCES, shares)], count, draw), f"{100 * fmean(significant):.1f}"


def skewed_alarms(layout: Layout, count: int) -> str:
    """Percentage of significant tests between scores of 0 and 1 and low partial scores with the same mean."""
    rng, golds, significant = np.random.default_rng(3), layout.golds.tolist(), []
    for mean in (0.05, 0.1, 0.2) * count:
        first, second = rng.random((2, len(golds))) < [[mean], [mean / 0.35]]
        partial = second * rng.choice([0.2, 0.35, 0.5], len(golds))
        significant.append(compare_paired(first.astype(float).tolist(), partial.tolist(), golds).p_value <= 0.05)
    return f"{100 * fmean(significant):.1f}"


def agreement_coverage(layout: Layout, pairs: int, count: int) -> tuple[str, ...]:
    """Coverage of the interval of the share of pairs on which HMS and people agree."""
    rng = np.random.default_rng(4)

    def draw(level: float, rhos: Sequence[float]) -> Draw:
        values, truth = scores(rng, layout, level, ZERO_OR_ONE, rhos)
        sample = rng.choice(len(values), pairs, replace=False)
        estimate = estimate_mean(np.array(values)[sample].tolist(), layout.golds[sample].tolist())
        return (estimate.low, estimate.high), truth

    return coverage(AGREEMENT, VARIATIONS, count, draw)


def kappa_coverage(layout: Layout, pairs: int, count: int) -> tuple[str, ...]:
    """Coverage of the interval of Fleiss' kappa of three annotators: the probability that two of them know."""
    rng = np.random.default_rng(5)

    def draw(level: tuple[float, Sequence[float]], rhos: Sequence[float]) -> Draw:
        knowledge, shares = level
        of_study = chances(rng, np.full(layout.count, knowledge), rhos[0])
        of_gold = chances(rng, np.clip(of_study[layout.of_gold], 1e-9, 1 - 1e-9), rhos[1])
        golds = layout.golds[rng.choice(len(layout.golds), pairs, replace=False)]
        knows = rng.random((pairs, 3)) < of_gold[golds][:, None]
        votes = np.where(knows, rng.choice(3, (pairs, 1), p=shares), rng.choice(3, (pairs, 3), p=shares))
        result = kappa("kappa", [np.bincount(row, minlength=3).tolist() for row in votes], golds.tolist())
        if result.low is None or result.high is None:  # not defined: without one gold, all votes are one choice
            return draw(level, rhos)
        truth = (of_study**2 + rhos[1] * of_study * (1 - of_study))[layout.studies].mean()
        return (result.low, result.high), float(truth)

    return coverage(KNOWLEDGE, VARIATIONS, count, draw)


def corrected_coverage(layout: Layout, labels: int, silent: float, by_score: bool, count: int) -> tuple[str, ...]:
    """Coverage of the interval of the mean that is corrected for the judge's errors."""
    rng = np.random.default_rng(6)

    def draw(level: tuple[float, float], rhos: Sequence[float]) -> Draw:
        values, truth = scores(rng, layout, level[0], PARTIAL, rhos)
        is_silent, is_missed, is_invented = (rng.random(len(values)) < share for share in (silent, 0.25, level[1]))
        true = np.where(is_silent, 0.0, values)
        judged = np.where(true > 0, true * ~is_missed, 0.5 * (is_invented & ~is_silent))
        labelled, drawn = np.full(len(values), math.nan), np.zeros(len(values))
        for stratum in (judged == 0, judged > 0) if by_score else (judged >= 0,):
            members = np.flatnonzero(stratum & ~is_silent)
            sample = rng.choice(members, min(len(members), labels // (1 + by_score)), replace=False)
            labelled[sample], drawn[members] = true[sample], len(sample) / max(1, len(members))
        result = corrected_mean(
            judged.tolist(), labelled.tolist(), layout.golds.tolist(), drawn.tolist(), [1] * len(judged)
        )
        return (result.low, result.high), truth * (1 - silent)

    return coverage(JUDGES, VARIATIONS, count, draw)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="data sets per mean and correlations")
    parser.add_argument("--labels", action="store_true", help="the intervals of votes and labels instead")
    options = parser.parse_args()
    count, rows = options.count, list[tuple[str, ...]]()
    for pairs in (20, 40, 100) if options.labels else ():
        layout, name = Layout(STUDIES["239, DB-REAL test"]), f"{pairs} pairs"
        rows.append(("share of agreement", name, *agreement_coverage(layout, pairs, count), ""))
        rows.append(("kappa", name, *kappa_coverage(layout, pairs, count // 5), ""))
    for labels, silent, by_score in LABELS if options.labels else ():
        layout, name = Layout(STUDIES["239, DB-REAL test"]), f"{labels} labels{', half of 0' * by_score}"
        name += f", {silent:.0%} silent" if silent else ""
        rows.append(("corrected mean", name, *corrected_coverage(layout, labels, silent, by_score, count), ""))
    for name, studies in () if options.labels else STUDIES.items():
        layout = Layout(studies)
        rows.append(("mean, these tasks", name, *mean_coverage(layout, count, ours), ""))
        rows.append(("Inspect's ci_wilson", name, *mean_coverage(layout, count // 5, wilson), ""))
        rows.append(("difference, these tasks", name, *paired_coverage(layout, count, False)))
        rows.append(("0 and 1 against partial", name, "", "", "", skewed_alarms(layout, 5 * count)))
        if layout.count > 1:
            rows.append(
                ("mean, new studies", name, *mean_coverage(layout, count, partial(ours, is_new=True), True), "")
            )
            rows.append(("difference, new studies", name, *paired_coverage(layout, count, True)))
    show("Coverage of the 95 % intervals (%)", ("interval", "data", "average", "lowest", "width", "false alarms"), rows)


if __name__ == "__main__":
    main()
