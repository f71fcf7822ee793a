"""Simulated scores of two systems on the tasks of the released data, and how often intervals contain the truth.

Whether a system solves a task is decided by a sum of normal effects: of its study, gold hypothesis and task, shared by
the systems or a system's own. What is solved scores 1 or partially. `coverage.py` prints
tables, and the tests of the statistics check some of them.
"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.new_studies import NewStudies
from inspect_discoverybench.statistics.paired import PairedDifference, compare_paired

DB_REAL_TEST = (
    "10 8 8 6 6 6 6 6 6 4 4 4 4 4 4 4 2 2 2 2 2"
    "|6 4 3 3 3 3 3 2 2 2 2 2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
    "|2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
    "|3 3 3 3 2 2|1 1 1 1 1 1 1 1 1 1 1 1 1 1 1|4 2 2 2 2"
)

DB_SYNTH_TEST = "|".join(" 1" * tasks for tasks in (25, 24, 21, 20, 17, 17, 16, 15, 13, 10, 9, 8, 5))

DATA = {
    "8 tasks, 8 studies": "1|1|1|1|1|1|1|1",
    "12 tasks, 2 studies": "3 2 1|2 2 1 1",
    "25 tasks, 3 studies (DB-REAL train)": "3 2 2 2 1|2 2|2 2 2 1 1 1 1 1",
    "38 tasks, 1 study (archaeology)": DB_REAL_TEST.split("|")[2],
    "200 tasks, 13 studies (DB-SYNTH test)": DB_SYNTH_TEST,
    "239 tasks, 6 studies (DB-REAL test)": DB_REAL_TEST,
}
"""Number of tasks of each gold hypothesis, by study."""

Interval = Estimate | PairedDifference | NewStudies

PARTIAL_SCORES = (1, 0.67, 0.5, 0.33)
SHARES = (0.5, 0.2, 0.2, 0.1)

CHANCES = ((0.05, 0.05), (0.2, 0.2), (0.5, 0.5), (0.1, 0.0), (0.2, 0.0), (0.3, 0.1), (0.6, 0.3))
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
        partial: Whether half of what is solved scores less than 1.
        lost: Share of solved tasks without a score.
    """

    study: float = 0.05
    gold: float = 0.3
    task: float = 0.1
    own_study: float = 0.05
    own_gold: float = 0.1
    epochs: int = 1
    partial: bool = True
    lost: float = 0.0


SETTINGS = {
    "usual": Setting(),
    "no effects of studies": Setting(study=0, own_study=0),
    "three epochs": Setting(task=0.4, epochs=3),
    "golds nearly all or nothing": Setting(study=0, own_study=0, task=0, gold=0.4, own_gold=0.4, partial=False),
    "studies all or nothing": Setting(study=0, gold=0, task=0, own_gold=0, own_study=1, partial=False),
    "half of the successes unscored": Setting(lost=0.5),
}


class Tasks:
    """The gold hypothesis and the study of each task, as numbers."""

    def __init__(self, data: str) -> None:
        self.golds: list[int] = []
        self.studies: list[int] = []
        gold = 0
        for study, sizes in enumerate(data.split("|")):
            for size in sizes.split():
                self.golds += [gold] * int(size)
                self.studies += [study] * int(size)
                gold += 1


@dataclass(frozen=True)
class System:
    """Scores of a system, and the true mean on these studies and on all of which they are a sample."""

    scores: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    on_these_studies: float
    on_new_studies: float


def simulate(random: np.random.Generator, tasks: Tasks, setting: Setting, chances: tuple[float, float]) -> list[System]:
    """Draw the scores of two systems."""

    def effect(share: float, clusters: list[int]) -> np.ndarray:
        normal = random.standard_normal(max(clusters) + 1)
        return np.multiply(np.sqrt(share), normal[clusters])

    numbers = list(range(len(tasks.golds)))
    study = effect(setting.study, tasks.studies)
    gold_and_task = effect(setting.gold, tasks.golds) + effect(setting.task, numbers)
    systems = []
    for chance in chances:
        limit = ndtri(chance) - study - effect(setting.own_study, tasks.studies)
        own_gold = effect(setting.own_gold, tasks.golds)
        within_studies = 1 - setting.study - setting.own_study
        noise = within_studies - setting.gold - setting.task - setting.own_gold
        scores = np.zeros(len(numbers))
        for _ in range(setting.epochs):
            is_solved = gold_and_task + own_gold + effect(max(noise, 0), numbers) < limit
            values = random.choice(PARTIAL_SCORES, len(numbers), p=SHARES) if setting.partial else 1.0
            scores += np.where(is_solved, values, 0.0) / setting.epochs
        is_lost = (scores > 0) & (random.random(len(numbers)) < setting.lost)
        score_if_solved = np.dot(PARTIAL_SCORES, SHARES) if setting.partial else 1.0
        in_each_study = ndtr(limit / np.sqrt(max(within_studies, 1e-12)))
        systems.append(
            System(
                scores=np.where(is_lost, np.nan, scores),
                lowest=np.where(is_lost, 0.0, scores),
                highest=np.where(is_lost, 1.0, scores),
                on_these_studies=score_if_solved * in_each_study.mean(),
                on_new_studies=score_if_solved * chance,
            )
        )
    return systems


def intervals(tasks: Tasks, setting: Setting, systems: list[System]) -> dict[str, tuple[Interval, float]]:
    """The intervals that are printed for two systems, each with the truth."""
    a, b = systems
    if np.isnan(a.scores + b.scores).all():  # nothing to print
        return {}
    possible = possible_pair = None
    if setting.lost:
        possible = (a.lowest, a.highest)
        possible_pair = (possible, (b.lowest, b.highest))
    mean = estimate_mean(a.scores, tasks.golds, tasks.studies, possible)
    difference = compare_paired(a.scores, b.scores, tasks.golds, tasks.studies, possible_pair)
    printed: dict[str, tuple[Interval | None, float]] = {
        "mean, these tasks": (mean, a.on_these_studies),
        "difference, these tasks": (difference, a.on_these_studies - b.on_these_studies),
        "mean, new studies": (mean.new_studies, a.on_new_studies),
        "difference, new studies": (difference.new_studies, a.on_new_studies - b.on_new_studies),
    }
    return {
        name: (interval, truth)
        for name, (interval, truth) in printed.items()
        if interval is not None and not math.isnan(interval.low)
    }


def coverage(data: str, setting: Setting, count: int) -> pd.DataFrame:
    """How often each printed interval contains the truth, in this number of data sets for each pair of chances.

    The rows are intervals. `average` is over all chances, `lowest` is at the least favourable ones. `false_alarms` is
    how often the interval of a difference leaves out the 0 that is the truth.
    """
    random = np.random.default_rng(1)
    tasks = Tasks(DATA[data])
    rows = []
    for chances in CHANCES * count:
        systems = simulate(random, tasks, setting, chances)
        for name, (interval, truth) in intervals(tasks, setting, systems).items():
            contains = interval.low <= truth <= interval.high
            is_alarm = None
            if truth == 0 and name.startswith("difference"):
                is_alarm = not contains
            rows.append((name, chances, contains, interval.high - interval.low, is_alarm))
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
