"""How often the 95 % intervals contain the truth, on simulated scores with the studies and golds of the released data.

Each row averages over the chances of two systems to solve a task; "lowest" is the coverage at the least favourable
ones. On these tasks, the truth is the mean on these studies; on new studies, it is that of all studies. The last rows
are rates of claims, and the means in a ranking of systems of which one has many unscored samples. With --exact,
the data sets of simpler models are enumerated instead. With --labels, the intervals are those of Fleiss' kappa and of
the mean corrected by people's labels, on tasks drawn from DB-REAL test.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from statistics import fmean

import exact
import numpy as np
from measure import show
from simulation import DATA, SETTINGS, Tasks, coverage, simulate

from inspect_discoverybench.comparison.comparison import compare_systems
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.human_study.statistic import kappa
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.statistics.corrected_mean import corrected_mean
from inspect_discoverybench.statistics.mean import estimate_mean
from tests.typed_results import MISSING, result

DB_REAL_TEST = Tasks.of(DATA["239 tasks, 6 studies (DB-REAL test)"])

KNOWLEDGE = (0.5, 0.8, 0.95, 0.98)
"""Probabilities that an annotator knows the choice instead of guessing."""

CHOICES = (
    (0.45, 0.45, 0.1),
    (0.7, 0.2, 0.1),
)
"""Probabilities of the choices."""

CHANCES = (0.02, 0.1, 0.25, 0.5)
"""Probabilities that the judged system solves a task. The judge misses one success in four."""

INVENTED = (0.0, 0.15)
"""Probabilities that the judge gives a partial score instead of 0."""

PAIRS = (20, 40, 100)
"""Numbers of pairs with votes."""

LABELS = (
    (50, 0.0),
    (100, 0.0),
    (200, 0.0),
    (20, 0.8),
    (40, 0.6),
)
"""Numbers of labels, and shares of tasks without a submission."""

CLAIMS = replace(SETTINGS["usual"], values=(1,), shares=(1,))
"""Whether a hypothesis claims a relationship depends on study, gold hypothesis and task as scores usually do."""

RANKED = ("25 tasks, 3 studies (DB-REAL train)", "239 tasks, 6 studies (DB-REAL test)")
"""Data on which three systems are ranked."""

LOST = 1 / 3
"""Share of one of these systems' samples that are unscored. All of them are successes."""

Row = tuple[str | float, ...]

Draw = tuple[float, float, float]
"""The ends of an interval, and the truth."""


def rows_of_scores(count: int) -> list[Row]:
    """One row for each interval that is printed."""
    rows: list[Row] = []
    for name, setting in SETTINGS.items():
        for data in DATA:
            intervals = coverage(data, setting, count)
            printed = intervals.astype(object).where(intervals.notna(), "")  # no false alarms where there is an effect
            for interval, *figures in printed.itertuples(name=None):
                rows.append((name, data, interval, *figures))
    return rows


def covered(count: int, draws: Sequence[Callable[[], Draw]]) -> tuple[float, float, float]:
    """Average coverage, that of the least favourable draw, and mean width."""
    shares = []
    widths = []
    for draw in draws:
        contains = []
        for _ in range(count):
            low, high, truth = draw()
            contains.append(low <= truth <= high)
            widths.append(high - low)
        shares.append(fmean(contains))
    return fmean(shares), min(shares), fmean(widths)


def draw_kappa(random: np.random.Generator, pairs: int, knowledge: float, chances: tuple[float, ...]) -> Draw:
    """Kappa of three annotators: the probability that two of them know. What they know depends on the gold."""
    golds = random.permutation(DB_REAL_TEST.golds)[:pairs]
    of_gold = random.beta(2 * knowledge, 2 - 2 * knowledge, 239)  # two votes on one gold have a correlation of 1/3
    knows = random.random((pairs, 3)) < of_gold[golds].reshape(-1, 1)

    choice = random.choice(3, (pairs, 1), p=chances)
    votes = np.where(knows, choice, random.choice(3, (pairs, 3), p=chances))
    table = [np.bincount(row, minlength=3).tolist() for row in votes]
    estimate = kappa("kappa", table, golds.tolist())
    if estimate.low is None or estimate.high is None:  # not defined: all votes are one choice
        return draw_kappa(random, pairs, knowledge, chances)

    covariance = knowledge * (1 - knowledge) / 3
    return estimate.low, estimate.high, knowledge**2 + covariance


def draw_claims(random: np.random.Generator, rate: float) -> Draw:
    """The rate of claims on DB-REAL test."""
    [system] = simulate(random, DB_REAL_TEST, CLAIMS, [rate])
    estimate = estimate_mean(system.scores, DB_REAL_TEST.golds)
    return estimate.low, estimate.high, system.on_these_studies


def rows_of_claims(count: int) -> list[Row]:
    """One row for each rate."""
    random = np.random.default_rng(6)
    rows: list[Row] = []
    for rate in exact.CLAIM_RATES:
        figures = covered(count, [partial(draw_claims, random, rate)])
        rows.append((f"claims at a rate of {rate}", "239 tasks, 6 studies (DB-REAL test)", "mean", *figures, ""))
    return rows


def ranked(random: np.random.Generator, tasks: Tasks) -> dict[str, Draw]:
    """The intervals in the ranking of three systems that solve half of the tasks."""
    systems = []
    truths = {}
    simulated_systems = simulate(random, tasks, SETTINGS["usual"], [0.5, 0.5, 0.5])
    for name, simulated in zip(("lossy", "second", "third"), simulated_systems, strict=True):
        scores = simulated.scores.copy()
        if name == "lossy":
            successes = random.permutation(np.flatnonzero(scores))
            scores[successes[: round(LOST * len(scores))]] = MISSING
        rows = [
            result(f"task {number}", score, gold_hypothesis=f"gold {gold}", study=f"study {study}")
            for number, (score, gold, study) in enumerate(zip(scores, tasks.golds, tasks.studies, strict=True))
        ]
        configuration, *_ = configurations_of(rows)  # one for each row, all equal
        systems.append(System(name, configuration, rows))
        truths[name] = simulated.on_these_studies
    ranking = compare_systems(systems, {}).ranking
    return {rank.system: (rank.estimate.low, rank.estimate.high, truths[rank.system]) for rank in ranking}


def rows_of_rankings(count: int) -> list[Row]:
    """One row for the system whose samples are lost and one for another, on each of the data."""
    random = np.random.default_rng(7)
    rows: list[Row] = []
    for data in RANKED:
        rankings = [ranked(random, Tasks.of(DATA[data])) for _ in range(count)]
        for name, label in {"lossy": "that system", "second": "another"}.items():
            draws = (ranking[name] for ranking in rankings)
            figures = covered(count, [partial(next, draws)])
            rows.append(("a third of one system's samples unscored", data, f"ranking, {label}", *figures, ""))
    return rows


def each_task(random: np.random.Generator, share: float) -> np.ndarray:
    """Whether something that happens to this share of the tasks happens to each of them."""
    return np.less(random.random(239), share)


def draw_corrected(random: np.random.Generator, labels: int, silent: float, chance: float, invented: float) -> Draw:
    """The mean corrected by labels. Some tasks have no submission, and need no label."""
    [system] = simulate(random, DB_REAL_TEST, SETTINGS["usual"], [chance])
    is_silent = each_task(random, silent)
    true = np.where(is_silent, 0.0, system.scores)
    is_seen = each_task(random, 0.75)
    is_invented = each_task(random, invented) & ~is_silent
    judged = np.where(true > 0, true * is_seen, np.where(is_invented, 0.5, 0.0))

    submitted = np.flatnonzero(~is_silent)
    drawn = random.permutation(submitted)[:labels]
    labelled = np.full(239, np.nan)
    labelled[drawn] = true[drawn]
    probability = len(drawn) / len(submitted)
    probabilities = np.where(is_silent, 0.0, probability)
    estimate = corrected_mean(
        judged,
        labelled,
        DB_REAL_TEST.golds,
        probabilities,
        weights=np.ones(239),
    )
    return estimate.low, estimate.high, system.on_these_studies * (1 - silent)


def rows_of_labels(count: int) -> list[Row]:
    """One row for each number of pairs or labels."""
    random = np.random.default_rng(5)
    rows: list[Row] = []
    for pairs in PAIRS:
        figures = covered(count, [partial(draw_kappa, random, pairs, *case) for case in product(KNOWLEDGE, CHOICES)])
        rows.append(("Fleiss' kappa", f"{pairs} pairs", *figures))
    for labels, silent in LABELS:
        draws = [partial(draw_corrected, random, labels, silent, *case) for case in product(CHANCES, INVENTED)]
        figures = covered(count, draws)
        rows.append(("corrected mean", f"{labels} labels, {silent:.0%} without a submission", *figures))
    return rows


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500, help="data sets for each pair of chances")
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--exact", action="store_true", help="the exact coverage in models that can be enumerated")
    tables.add_argument("--labels", action="store_true", help="the intervals of votes and labels")
    options = parser.parse_args()
    figures = {
        "average": ".1%",
        "lowest": ".1%",
        "width": ".2f",
    }
    if options.exact:
        columns = {"interval": "", "scores": "", "tasks": "", "lowest": ".1%", "at the chances": "", "width": ".3f"}
        rows: list[Row] = list(exact.rows())
    elif options.labels:
        columns = {"interval": "", "labels": "", **figures}
        rows = rows_of_labels(options.count)
    else:
        columns = {"setting": "", "data": "", "interval": "", **figures, "false alarms": ".1%"}
        rows = rows_of_scores(options.count)
        rows += rows_of_claims(options.count)
        rows += rows_of_rankings(options.count // 5)  # a comparison of three systems takes longer
    show("Coverage of the 95 % intervals", columns, rows)


if __name__ == "__main__":
    main()
