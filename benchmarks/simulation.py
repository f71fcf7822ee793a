"""Simulated scores of two systems on the tasks of the released data, and how often intervals contain the truth.

Whether a system solves a task is decided by a sum of normal effects: of its study, gold hypothesis and task, shared by
the systems or a system's own. What is solved scores 1 or partially. `coverage.py` prints
tables, and the tests of the statistics check some of them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.new_studies import NewStudies
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired
from inspect_discoverybench.statistics.partial_scores import Bounds

DB_REAL_TEST = (
    "10 8 8 6 6 6 6 6 6 4 4 4 4 4 4 4 2 2 2 2 2"
    "|6 4 3 3 3 3 3 2 2 2 2 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
    "|2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
    "|3 3 3 3 2 2|1 1 1 1 1 1 1 1 1 1 1 1 1 1 1|4 2 2 2 2"
)

DOMAINS = "25 24 21 20 17 17 16 15 13 10 9 8 5"
"""Number of tasks of each domain of DB-SYNTH test. Each task has its own gold hypothesis."""

DB_SYNTH_TEST = "|".join(" 1" * int(tasks) for tasks in DOMAINS.split())

DATA = {
    "8 tasks, 8 studies": "1|1|1|1|1|1|1|1",
    "12 tasks, 2 studies": "3 2 1|2 2 1 1",
    "25 tasks, 3 studies (DB-REAL train)": "3 2 2 2 1|2 2|2 2 2 1 1 1 1 1",
    "38 tasks, 1 study (archaeology)": DB_REAL_TEST.split("|")[2],
    "200 tasks, 13 studies (DB-SYNTH test)": DB_SYNTH_TEST,
    "239 tasks, 6 studies (DB-REAL test)": DB_REAL_TEST,
}
"""Number of tasks of each gold hypothesis, by study."""

Chance = float | np.ndarray
"""The probability to solve a task, the same for all tasks or one for each."""

Interval = Estimate | PairedDifference | NewStudies

CHANCES = (
    (0.05, 0.05),
    (0.2, 0.2),
    (0.5, 0.5),
    (0.1, 0.0),
    (0.2, 0.0),
    (0.3, 0.1),
    (0.6, 0.3),
)
"""Probabilities that the two systems solve a task. With 0.2, 80 % of the scores are 0."""


@dataclass(frozen=True)
class Setting:
    """What scores depend on: shares of the variance of whether a task is solved. The rest is of each epoch.

    Attributes:
        study: Share of the study, shared by both systems.
        gold: Share of the gold hypothesis.
        task: Share of the task.
        own_study: Share of the study for each system by itself.
        own_gold: Share of the gold hypothesis for each system by itself.
        epochs: Number of epochs, which are averaged.
        values: Scores of what is solved at least in part.
        shares: Their shares.
        lost: Share of solved tasks without a score.
    """

    study: float = 0.05
    gold: float = 0.3
    task: float = 0.1
    own_study: float = 0.05
    own_gold: float = 0.1
    epochs: int = 1
    values: tuple[float, ...] = (1, 0.67, 0.5, 0.33)
    shares: tuple[float, ...] = (0.5, 0.2, 0.2, 0.1)
    lost: float = 0.0


SOLVED_OR_NOT: dict[str, Any] = {
    "values": (1,),
    "shares": (1,),
    "study": 0,
    "task": 0,
}

SETTINGS = {
    "usual": Setting(),
    "no effects of studies": Setting(study=0, own_study=0),
    "three epochs": Setting(task=0.4, epochs=3),
    "golds nearly all or nothing": Setting(own_study=0, gold=0.4, own_gold=0.4, **SOLVED_OR_NOT),
    "studies all or nothing": Setting(own_study=1, gold=0, own_gold=0, **SOLVED_OR_NOT),
    "half of the successes unscored": Setting(lost=0.5),
}


@dataclass(frozen=True)
class Tasks:
    """The gold hypothesis and the study of each task, as numbers from 0."""

    golds: Sequence[int]
    studies: Sequence[int]

    @classmethod
    def of(cls, data: str) -> "Tasks":
        """The tasks of one of the texts in `DATA`."""
        golds: list[int] = []
        studies: list[int] = []
        gold = 0
        for study, sizes in enumerate(data.split("|")):
            for size in sizes.split():
                golds += [gold] * int(size)
                studies += [study] * int(size)
                gold += 1
        return cls(golds, studies)

    @property
    def numbers(self) -> range:
        """The number of each task."""
        return range(len(self.golds))


@dataclass(frozen=True)
class System:
    """A system.

    Attributes:
        scores: The score of each task; NaN if it is lost.
        lowest: The lowest score that each task could have had.
        highest: The highest one.
        expected: The expected score of each task in its study.
        on_new_studies: The true mean on all studies of which these are a sample.
    """

    scores: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    expected: np.ndarray
    on_new_studies: float

    @property
    def on_these_studies(self) -> float:
        """The true mean on these studies."""
        return float(self.expected.mean())


def simulate(random: np.random.Generator, tasks: Tasks, setting: Setting, chances: Sequence[Chance]) -> list[System]:
    """Draw the scores of systems with these chances to solve a task."""
    study = _effect(random, setting.study, tasks.studies)
    gold = _effect(random, setting.gold, tasks.golds)
    task = _effect(random, setting.task, tasks.numbers)
    return [_system(random, tasks, setting, chance, study, gold + task) for chance in chances]


def _effect(random: np.random.Generator, share: float, clusters: Sequence[int]) -> np.ndarray:
    """A normal effect of each task's cluster with this variance."""
    count = max(clusters) + 1
    return np.take(random.normal(0, math.sqrt(share), count), clusters)


def _system(
    random: np.random.Generator,
    tasks: Tasks,
    setting: Setting,
    chance: Chance,
    study: np.ndarray,
    gold_and_task: np.ndarray,
) -> System:
    own_study = _effect(random, setting.own_study, tasks.studies)
    own_gold = _effect(random, setting.own_gold, tasks.golds)
    limit = ndtri(chance) - study - own_study
    within_studies = 1 - setting.study - setting.own_study
    noise = within_studies - setting.gold - setting.task - setting.own_gold

    scores = np.zeros(len(tasks.numbers))
    for _ in range(setting.epochs):
        of_epoch = _effect(random, max(0.0, noise), tasks.numbers)
        is_solved = gold_and_task + own_gold + of_epoch < limit
        values = random.choice(setting.values, len(scores), p=setting.shares)
        scores += np.where(is_solved, values, 0.0) / setting.epochs
    is_lost = (random.random(len(scores)) < setting.lost) & (scores > 0)

    score_if_solved = float(np.dot(setting.values, setting.shares))
    chance_in_study = ndtr(limit / math.sqrt(max(within_studies, 1e-12)))
    return System(
        scores=np.where(is_lost, np.nan, scores),
        lowest=np.where(is_lost, 0.0, scores),
        highest=np.where(is_lost, 1.0, scores),
        expected=score_if_solved * chance_in_study,
        on_new_studies=score_if_solved * float(np.mean(chance)),
    )


def intervals(tasks: Tasks, setting: Setting, systems: Sequence[System]) -> dict[str, tuple[Any, float]]:
    """The intervals that are printed for two systems, each with the truth."""
    a, b = systems
    if np.isnan(a.scores + b.scores).all():  # nothing to print
        return {}
    possible = possible_pair = None
    if setting.lost:
        possible = Bounds(a.lowest, a.highest)
        possible_pair = (possible, Bounds(b.lowest, b.highest))
    mean = estimate_mean(a.scores, tasks.golds, tasks.studies, possible)
    difference = compare_paired(a.scores, b.scores, tasks.golds, tasks.studies, possible_pair)
    difference_here = a.on_these_studies - b.on_these_studies
    difference_there = a.on_new_studies - b.on_new_studies
    printed: dict[str, tuple[Interval | None, float]] = {
        "mean, these tasks": (mean, a.on_these_studies),
        "difference, these tasks": (difference, difference_here),
        "mean, new studies": (mean.new_studies, a.on_new_studies),
        "difference, new studies": (difference.new_studies, difference_there),
    }
    return {name: pair for name, pair in printed.items() if _is_given(pair[0])}


def _is_given(interval: Interval | None) -> bool:
    return interval is not None and not math.isnan(interval.low)


def coverage(data: str, setting: Setting, count: int) -> pd.DataFrame:
    """How often each printed interval contains the truth, in this number of data sets for each pair of chances.

    The rows are intervals. `average` is over all chances, `lowest` is at the least favourable ones. `false_alarms` is
    how often the interval of a difference leaves out the 0 that is the truth.
    """
    random = np.random.default_rng(1)
    tasks = Tasks.of(DATA[data])
    rows = []
    for chances in CHANCES * count:
        systems = simulate(random, tasks, setting, chances)
        for name, (interval, truth) in intervals(tasks, setting, systems).items():
            contains = interval.low <= truth <= interval.high
            width = interval.high - interval.low
            is_alarm = None
            if truth == 0 and name.startswith("difference"):
                is_alarm = not contains
            rows.append((name, chances, contains, width, is_alarm))
    drawn = pd.DataFrame(rows, columns=["interval", "chances", "contains", "width", "is_alarm"])
    by_chances = drawn.groupby(["interval", "chances"]).contains.mean()
    by_interval = drawn.groupby("interval")
    return pd.DataFrame(
        {
            "average": by_interval.contains.mean(),
            "lowest": by_chances.groupby("interval").min(),
            "width": by_interval.width.mean(),
            "false_alarms": by_interval.is_alarm.mean(),
        }
    )
