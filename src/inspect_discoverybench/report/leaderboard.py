"""The leaderboard: configurations by benchmark in their order, and which of them are best."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.report.charts import agent_colors
from inspect_discoverybench.report.judges import is_offline
from inspect_discoverybench.report.means import estimate
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.coverage import describe_coverage, is_complete, task_count
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.task import Task, tasks_of

AGENT, BEST, ORACLE, FLOOR = "agent", "best agent", "oracle", "floor"
"""Kinds of configurations."""

ROLES = {"reflexion": ORACLE, "gold": ORACLE, "goal_echo": FLOOR}
"""Agents whose results are not comparable with those of others: oracles see the gold hypothesis or scores, and the
floor restates the goal."""

MIN_COVERAGE = 0.9
"""Minimum number of scored tasks of a competitor, as a share of the largest number in its benchmark."""

ROUNDING = 1e-9
"""Means that differ by no more than this are equal."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A configuration with its tasks.

    Attributes:
        configuration: The configuration.
        tasks: Its tasks, with the scores of one judge for each sample.
        kind: What it is: an agent, the best agent of its benchmark, an oracle or the floor.
        competes: Whether its mean can be compared with those of other agents.
    """

    configuration: Configuration
    tasks: Sequence[Task]
    kind: str
    competes: bool = False

    @property
    def name(self) -> str:
        """Agent, model and settings."""
        return self.configuration.name

    @property
    def key_columns(self) -> dict[str, object]:
        """Columns that begin the rows of tables."""
        return {"benchmark": self.configuration.benchmark, "configuration": self.name}

    @cached_property
    def results(self) -> list[Result]:
        """The results of all tasks and epochs."""
        return [result for task in self.tasks for result in task.results]

    @cached_property
    def hms(self) -> float:
        """Mean HMS; NaN if no sample is scored."""
        return estimate(self.tasks).mean

    @property
    def scored_tasks(self) -> int:
        """Number of tasks with a score."""
        return sum(not math.isnan(task.score().mean) for task in self.tasks)

    @property
    def judges(self) -> set[str]:
        """The judges that scored it."""
        return {result.score.judge for result in self.results if result.score.judge and result.score.is_scored}


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with its configurations, in decreasing order of HMS; oracles and the floor are last.

    Attributes:
        name: Task and split.
        standings: The configurations.
        no_best: Why no best agent is marked; empty if one is.
    """

    name: str
    standings: Sequence[Standing]
    no_best: str

    @property
    def results(self) -> list[Result]:
        """The results of all configurations."""
        return [result for standing in self.standings for result in standing.results]

    @property
    def is_complete(self) -> bool:
        """Whether a configuration ran all tasks."""
        return any(is_complete(self.name, standing.results) for standing in self.standings)

    @cached_property
    def title(self) -> str:
        """The name, with the tasks that were run."""
        sizes = [len(standing.tasks) for standing in self.standings]
        results = self.results
        tasks = {result.sample.id for result in results}
        if min(sizes) == len(tasks):  # all configurations ran the same tasks
            return f"{self.name}: {describe_coverage(self.name, results)}"
        return f"{self.name}: {min(sizes)} to {max(sizes)} of {task_count(self.name, results)} tasks"


@dataclass(frozen=True)
class Leaderboard:
    """All benchmarks, in alphabetical order."""

    benchmarks: Sequence[Benchmark]

    @classmethod
    def of(cls, results: Sequence[Result], pool_splits: bool = False) -> "Leaderboard":
        """Rank the configurations of results.

        Args:
            results: The results, each sample with one score; judges are named.
            pool_splits: Whether the splits of a task are one benchmark.
        """
        by_configuration: dict[Configuration, list[Result]] = {}
        for configuration, result in zip(configurations_of(results, pool_splits), results, strict=True):
            by_configuration.setdefault(configuration, []).append(result)

        by_benchmark: dict[str, list[Standing]] = {}
        for configuration, rows in by_configuration.items():
            kind = ROLES.get(configuration.agent, AGENT)
            standing = Standing(configuration, [*tasks_of(rows).values()], kind)
            by_benchmark.setdefault(configuration.benchmark, []).append(standing)
        return cls([_ranked(name, standings) for name, standings in sorted(by_benchmark.items())])

    @property
    def standings(self) -> list[Standing]:
        """The configurations of all benchmarks."""
        return [standing for benchmark in self.benchmarks for standing in benchmark.standings]

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """Titles of panels by the name of the benchmark."""
        return {benchmark.name: benchmark.title for benchmark in self.benchmarks}

    @cached_property
    def colors(self) -> Mapping[str, str]:
        """A colour for each agent."""
        return agent_colors({standing.configuration.agent for standing in self.standings})


def _ranked(name: str, standings: Sequence[Standing]) -> Benchmark:
    """Put the configurations of a benchmark in order, and mark those that compete and the best of them."""
    no_best = _reason_for_no_best(standings)
    competitors = _competitors(standings)
    highest = max((standing.hms for standing in competitors), default=math.nan)

    marked = []
    for standing in standings:
        competes = standing in competitors
        is_best = competes and not no_best and standing.hms >= highest - ROUNDING
        marked.append(replace(standing, competes=competes, kind=BEST if is_best else standing.kind))
    marked.sort(key=_place)
    return Benchmark(name, marked, no_best)


def _place(standing: Standing) -> tuple[bool, float]:
    """Sort key: agents by decreasing HMS, those without a score last; then oracles and the floor."""
    hms = -math.inf if math.isnan(standing.hms) else standing.hms
    return standing.kind in (ORACLE, FLOOR), -hms


def _covered(standings: Sequence[Standing]) -> list[Standing]:
    """Agents with enough scored tasks: means over few tasks say nothing about which configuration is better."""
    agents = [standing for standing in standings if standing.kind == AGENT and standing.scored_tasks]
    most = max((agent.scored_tasks for agent in agents), default=0)
    return [agent for agent in agents if agent.scored_tasks >= MIN_COVERAGE * most]


def _competitors(standings: Sequence[Standing]) -> list[Standing]:
    """Agents whose means can be compared: they have enough scored tasks, and were judged alike."""
    covered = _covered(standings)
    judges = {judge for agent in covered for judge in agent.judges}
    return covered if len(judges) <= 1 else []


def _reason_for_no_best(standings: Sequence[Standing]) -> str:
    covered = _covered(standings)
    judges = {judge for agent in covered for judge in agent.judges}
    floors = [standing.hms for standing in standings if standing.kind == FLOOR]
    if len(judges) > 1:
        return "different judges scored the samples"
    if any(is_offline(judge) for judge in judges):
        return "the judge is no language model"
    if len(covered) < 2:
        return "there is no other agent to compare with"
    if floors and max(agent.hms for agent in covered) <= max(floors):
        return "no agent is above the floor"
    return ""
