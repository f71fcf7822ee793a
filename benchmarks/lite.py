"""What `split=lite` is worth beside random samples of DB-REAL test and the whole, on simulated scores.

Two systems are simulated with the studies and gold hypotheses of the released tasks. A choice of tasks estimates what
a system is expected to score on all of them. All figures are in points of 100.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from measure import require_data, show
from simulation import SETTINGS, Chance, System, Tasks, simulate

from inspect_discoverybench.dataset.published_study import study_of
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.statistics.paired import compare_paired

CHANCE = 0.3
"""Probability to solve a task, which gives a mean HMS of 23."""

ODDS_RATIO = 4
"""Of golds with ten goals to those with one, where golds with more goals are easier."""

META_REGRESSION = "heyard2024"
"""The study of `meta_regression` and `meta_regression_raw`."""

Row = tuple[str | float, ...]

Choose = Callable[[np.random.Generator], np.ndarray]
"""Draws the numbers of some tasks."""


@dataclass(frozen=True)
class Population:
    """The tasks that a choice stands for.

    Attributes:
        name: Their name.
        tasks: The gold hypothesis and the study of every task of DB-REAL test.
        members: Numbers of the tasks that are meant.
        lite: Those of them that are in `split=lite`.
    """

    name: str
    tasks: Tasks
    members: np.ndarray
    lite: np.ndarray

    def choices(self) -> dict[str, Choose]:
        """Ways to choose tasks, by name."""
        count = len(self.lite)
        return {
            f"all {len(self.members)}": lambda random: self.members,
            f"`split=lite`, {count}": lambda random: self.lite,
            f"{count} random ones": lambda random: random.permutation(self.members)[:count],
            f"one of each of {count} random golds": partial(self._one_of_each_gold, count),
        }

    def _one_of_each_gold(self, count: int, random: np.random.Generator) -> np.ndarray:
        shuffled = random.permutation(self.members)
        _, firsts = np.unique(np.take(self.tasks.golds, shuffled), return_index=True)
        return random.permutation(shuffled[firsts])[:count]


@dataclass
class Errors:
    """Errors of a choice's estimates over simulated data sets.

    Attributes:
        of_mean: Of the mean score.
        from_all: Distance of the mean score from that of all tasks in the same data set.
        of_difference: Of the mean difference of two systems.
        on_new_studies: Of the mean score, as an estimate of the mean on new studies.
        detectable: The smallest detectable difference that a paired comparison states.
    """

    of_mean: list[float] = field(default_factory=list)
    from_all: list[float] = field(default_factory=list)
    of_difference: list[float] = field(default_factory=list)
    on_new_studies: list[float] = field(default_factory=list)
    detectable: list[float] = field(default_factory=list)

    def add(self, population: Population, chosen: np.ndarray, a: System, b: System) -> None:
        """Add a data set."""
        members = population.members
        mean = a.scores[chosen].mean()
        expected = a.expected[members].mean()
        difference = mean - b.scores[chosen].mean()
        expected_difference = expected - b.expected[members].mean()
        golds = np.take(population.tasks.golds, chosen).tolist()
        self.of_mean.append(mean - expected)
        self.from_all.append(mean - a.scores[members].mean())
        self.of_difference.append(difference - expected_difference)
        self.on_new_studies.append(mean - a.on_new_studies)
        self.detectable.append(compare_paired(a.scores[chosen], b.scores[chosen], golds).smallest_detectable)

    def figures(self) -> tuple[float, ...]:
        """Bias, standard error, typical distance from all tasks, and so on, in points of 100."""
        figures = (
            np.mean(self.of_mean),
            np.std(self.of_mean),
            np.sqrt(np.mean(np.square(self.from_all))),
            np.std(self.of_difference),
            np.mean(self.detectable),
            np.std(self.on_new_studies),
        )
        return tuple(100 * float(figure) for figure in figures)


def populations() -> list[Population]:
    """DB-REAL test, and its two folders on meta-regression, which share gold hypotheses."""
    goals = [SampleMetadata.model_validate(sample.metadata) for sample in released_samples("real", "test", Hints())]
    ids = [goal.sample_id for goal in goals]
    lite = [ids.index(str(sample.id)) for sample in released_samples("real", "lite", Hints())]
    studies = [study_of({"dataset": goal.dataset}) for goal in goals]
    tasks = Tasks(golds=_numbered([goal.gold_hypothesis for goal in goals]), studies=_numbered(studies))

    meta_regression = np.flatnonzero([study == META_REGRESSION for study in studies])
    return [
        Population("DB-REAL test", tasks, members=np.arange(len(goals)), lite=np.array(lite)),
        Population("meta-regression", tasks, members=meta_regression, lite=np.intersect1d(meta_regression, lite)),
    ]


def _numbered(names: Sequence[str | None]) -> list[int]:
    _, numbers = np.unique(np.array(names, str), return_inverse=True)
    numbered: list[int] = numbers.tolist()
    return numbered


def easier_with_more_goals(tasks: Tasks) -> np.ndarray:
    """The chance to solve each task, whose odds rise with the number of goals of its gold hypothesis."""
    sizes = np.bincount(tasks.golds)[tasks.golds]
    odds = CHANCE / (1 - CHANCE) * ODDS_RATIO ** ((sizes - 1) / 9)
    chances: np.ndarray = odds / (1 + odds)
    return chances


def rows(count: int) -> list[Row]:
    """One row for each choice of tasks and population."""
    random = np.random.default_rng(1)
    found: list[Row] = []
    for population in populations():
        models: dict[str, Chance] = {
            "all golds alike": CHANCE,
            "golds with more goals are easier": easier_with_more_goals(population.tasks),
        }
        choices = population.choices()
        for model, chance in models.items():
            errors = {name: Errors() for name in choices}
            for _ in range(count):
                a, b = simulate(random, population.tasks, SETTINGS["usual"], (chance, chance))
                for name, choose in choices.items():
                    errors[name].add(population, choose(random), a, b)
            found += [(population.name, model, name, *errors[name].figures()) for name in choices]
    return found


def main() -> None:
    """Print one table."""
    require_data()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="data sets for each model")
    options = parser.parse_args()
    columns = {
        "tasks": "",
        "model": "",
        "choice": "",
        "bias": "+.1f",
        "standard error": ".1f",
        "from all": ".1f",
        "of a difference": ".1f",
        "detectable": ".1f",
        "on new studies": ".1f",
    }
    show(
        "What split=lite is worth, in points of 100",
        columns,
        rows(options.count),
        "From all: typical distance from the mean of all tasks in the same run.",
        "Of a difference, on new studies: standard errors.",
        "Detectable: the smallest difference of two systems that a paired comparison detects with power 0.8.",
    )


if __name__ == "__main__":
    main()
