"""Exact coverage of the intervals on these tasks, in models whose data sets can be enumerated.

An interval depends on a data set only through a few sums. `States` has the interval for every value of these sums, and
a model has their probabilities. `coverage.py --exact` prints the table. The tests of the statistics check some rows.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import binom
from simulation import DATA, Tasks

from inspect_discoverybench.statistics.clusters import ClusterMean, effective_number
from inspect_discoverybench.statistics.interval import SIGNIFICANCE_LEVEL, interval_of, widened_variance
from inspect_discoverybench.statistics.paired_interval import GainAndLoss

NUMBERS = (25, 100, 239)
"""Numbers of tasks."""

GOLDS = ("25 tasks, 3 studies (DB-REAL train)", "239 tasks, 6 studies (DB-REAL test)")
"""Names of released data, whose sizes of gold hypotheses are used."""

CLAIM_RATES = (0.002, 0.02, 0.1, 0.5, 0.98)
"""Probabilities that a hypothesis claims a relationship."""

LITE_TASKS = 48
"""Number of tasks of `split=lite`, each with its own gold hypothesis."""

PARTIAL_SCORES = (0.25, 0.5, 0.75)

PARTIAL_DIFFERENCES = (0.25, 0.5)

EDGE = (0.0003, 0.0005, 0.001, 0.002, 0.004, 0.006, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07)
MIDDLE = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9)
CHANCES = (0.0, *EDGE, *MIDDLE, *(1 - chance for chance in reversed(EDGE)), 1.0)
"""Chances of a value, from never to always."""

ROUNDING = 1e-12
TAIL = SIGNIFICANCE_LEVEL / 2


@dataclass(frozen=True)
class States:
    """The interval for every value of the sums that it depends on."""

    low: np.ndarray
    high: np.ndarray

    def coverage(self, probabilities: np.ndarray, truth: float) -> float:
        """The probability that the interval contains the truth, given the probability of every state."""
        contains = (self.low <= truth + ROUNDING) & (truth - ROUNDING <= self.high)
        return float(probabilities[contains].sum())

    def width(self, probabilities: np.ndarray) -> float:
        """The expected width of the interval."""
        return float(probabilities @ (self.high - self.low))


@dataclass(frozen=True)
class Coverage:
    """The coverage of an interval with given chances.

    Attributes:
        chances: The chance of each value that is not 0.
        coverage: The probability that the interval contains the truth.
        width: The expected width of the interval.
    """

    chances: tuple[float, ...]
    coverage: float
    width: float


def _intervals_of_means(means: Sequence[ClusterMean]) -> States:
    intervals = [interval_of(mean, TAIL, probability_unseen=TAIL, max_size=mean.count) for mean in means]
    return States(
        low=np.array([interval.low for interval in intervals]),
        high=np.array([interval.high for interval in intervals]),
    )


def _intervals_of_differences(differences: Sequence[GainAndLoss]) -> States:
    return States(
        low=np.array([each.low(TAIL) for each in differences]),
        high=np.array([-GainAndLoss(each.loss, each.gain, each.variance).low(TAIL) for each in differences]),
    )


class GoldModel:
    """Golds with these numbers of tasks. All tasks of a gold are solved, or none; golds are independent.

    The interval depends on the number of solved tasks, and on the sum of the squared sizes of the solved golds.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = np.array(sizes)
        self.tasks = int(self.sizes.sum())
        self.squares = int(self.sizes @ self.sizes)
        self.clusters = effective_number(self.sizes)
        self.solved, self.solved_squares = np.nonzero(self._table(0.5))

    def keep_states(self, kept: np.ndarray) -> None:
        """Keep only these states, each of which is a number of solved tasks and a sum of squared sizes."""
        self.solved = self.solved[kept]
        self.solved_squares = self.solved_squares[kept]

    def probabilities(self, chance: float) -> np.ndarray:
        """The probability of every state, if each gold is solved with this chance."""
        table: np.ndarray = self._table(chance)[self.solved, self.solved_squares]
        return table

    def _table(self, chance: float) -> np.ndarray:
        """Probabilities by the number of solved tasks, and by the sum of squares."""
        table = np.zeros((self.tasks + 1, self.squares + 1))
        table[0, 0] = 1
        for size, count in Counter(self.sizes.tolist()).items():
            before = table
            table = np.zeros_like(before)
            for solved, probability in enumerate(binom.pmf(range(count + 1), count, chance)):
                tasks = solved * size
                squares = tasks * size
                table[tasks:, squares:] += probability * before[: self.tasks + 1 - tasks, : self.squares + 1 - squares]
        return table

    def _means(self) -> list[ClusterMean]:
        mean = self.solved / self.tasks
        deviations = (self.solved_squares * (1 - 2 * mean) + mean**2 * self.squares) / self.tasks**2
        variances = np.maximum(0, deviations) * self.clusters / (self.clusters - 1)
        pairs = zip(mean.tolist(), variances.tolist(), strict=True)
        return [ClusterMean(mean, variance, self.clusters, self.tasks) for mean, variance in pairs]

    def of_mean(self) -> States:
        """The interval of the mean."""
        return _intervals_of_means(self._means())

    def of_difference(self) -> States:
        """The interval of the difference from a system that solves nothing, which therefore never wins."""
        nothing = ClusterMean(0.0, 0.0, self.clusters, self.tasks)
        return _intervals_of_differences(
            [GainAndLoss(mean, nothing, widened_variance(mean, lowest=-1)) for mean in self._means()]
        )

    def coverages(self, states: States, chances: Sequence[float] = CHANCES) -> Iterator[Coverage]:
        """The coverage for every chance."""
        for chance in chances:
            probabilities = self.probabilities(chance)
            yield Coverage((chance,), states.coverage(probabilities, chance), states.width(probabilities))


class ValueModel:
    """Independent tasks, each with one of two values or 0.

    The interval depends on how often each value occurs.
    """

    def __init__(self, tasks: int, first: float, second: float) -> None:
        self.tasks = tasks
        self.first = first
        self.second = second
        counts = [pair for pair in product(range(tasks + 1), repeat=2) if sum(pair) <= tasks]
        self.counts = np.array(counts)
        self.others = tasks - self.counts.sum(axis=1)

    def probabilities(self, first: float, second: float) -> np.ndarray:
        """The probability of every state, given the chances of the two values."""
        other = max(0.0, 1 - first - second)
        logarithms = gammaln(self.tasks + 1) - gammaln(self.others + 1) - gammaln(self.counts + 1).sum(axis=1)
        logarithms += xlogy(self.counts, [first, second]).sum(axis=1) + xlogy(self.others, other)
        chances: np.ndarray = np.exp(logarithms)
        return chances

    def _means(self, first: float, second: float) -> list[ClusterMean]:
        """The mean for every state, with these values."""
        mean = self.counts @ [first, second] / self.tasks
        squares = self.counts @ [first**2, second**2] / self.tasks
        variances = np.maximum(0, squares - mean**2) / (self.tasks - 1)
        pairs = zip(mean.tolist(), variances.tolist(), strict=True)
        return [ClusterMean(mean, variance, self.tasks, self.tasks) for mean, variance in pairs]

    def of_mean(self) -> States:
        """The interval of the mean."""
        return _intervals_of_means(self._means(self.first, self.second))

    def of_difference(self) -> States:
        """The interval of the mean difference."""
        gains = self._means(max(0.0, self.first), max(0.0, self.second))
        losses = self._means(max(0.0, -self.first), max(0.0, -self.second))
        totals = self._means(self.first, self.second)
        triples = zip(gains, losses, totals, strict=True)
        return _intervals_of_differences(
            [GainAndLoss(gain, loss, widened_variance(total, lowest=-1)) for gain, loss, total in triples]
        )

    def coverages(self, states: States) -> Iterator[Coverage]:
        """The coverage for all pairs of chances."""
        for first, second in product(CHANCES, repeat=2):
            if first + second <= 1:
                probabilities = self.probabilities(first, second)
                truth = first * self.first + second * self.second
                yield Coverage((first, second), states.coverage(probabilities, truth), states.width(probabilities))


def golds_of(data: str) -> GoldModel:
    """The golds of released data, by its name in `DATA`."""
    return GoldModel(list(Counter(Tasks.of(DATA[data]).golds).values()))


Row = tuple[str, str, str, float, str, float]


def _row(interval: str, model: str, tasks: str, coverages: Iterator[Coverage], middle: tuple[float, ...]) -> Row:
    by_chances = {each.chances: each for each in coverages}
    lowest = min(by_chances.values(), key=lambda each: each.coverage)
    place = " and ".join(f"{chance:.4g}" for chance in lowest.chances)
    return interval, model, tasks, lowest.coverage, place, by_chances[middle].width


def rows() -> Iterator[Row]:
    """Rows of the table: the lowest coverage over all chances, where it is, and a width in the middle."""
    for tasks in NUMBERS:
        single = GoldModel([1] * tasks)
        yield _row("mean", "0 or 1", str(tasks), single.coverages(single.of_mean()), (0.25,))
        for value in PARTIAL_SCORES:
            graded = ValueModel(tasks, 1, value)
            yield _row("mean", f"0, {value} or 1", str(tasks), graded.coverages(graded.of_mean()), (0.2, 0.1))
        yield _row("difference", "0 or 1", str(tasks), single.coverages(single.of_difference()), (0.25,))

        values = [(1, -1), *((1, sign * value) for value in PARTIAL_DIFFERENCES for sign in (1, -1)), (0.5, -0.5)]
        for first, second in values:
            pair = ValueModel(tasks, first, second)
            coverages = pair.coverages(pair.of_difference())
            yield _row("difference", f"{first}, 0 or {second}", str(tasks), coverages, (0.2, 0.1))
    for data in GOLDS:
        golds = golds_of(data)
        yield _row("mean", "golds all or nothing", data, golds.coverages(golds.of_mean()), (0.25,))
        yield _row("difference", "golds all or nothing", data, golds.coverages(golds.of_difference()), (0.25,))
    yield from rows_of_claims()


def rows_of_claims() -> Iterator[Row]:
    """Rows for the rate of claims, each at one rate: the hypotheses on one gold all claim a relationship, or none."""
    models = {data: golds_of(data) for data in GOLDS}
    models[f"{LITE_TASKS} tasks (DB-REAL lite)"] = GoldModel([1] * LITE_TASKS)
    for name, model in models.items():
        for each in model.coverages(model.of_mean(), CLAIM_RATES):
            [rate] = each.chances
            yield "claim rate", "golds all or nothing", name, each.coverage, f"{rate:.4g}", each.width
