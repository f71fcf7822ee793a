"""The leaderboard: configurations by benchmark in their order, and which of them are best."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.report.charts import Style, agent_colors
from inspect_discoverybench.report.competition import Competition
from inspect_discoverybench.report.standing import AGENT, BEST, FLOOR, ORACLE, Standing, highest_hms, judges_of
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.coverage import describe_coverage, task_count
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import tasks_of

KINDS_OF_NON_COMPETITORS = {"reflexion": ORACLE, "gold": ORACLE, "goal_echo": FLOOR}
"""Kinds of the agents whose results are not comparable with those of others: oracles see the gold hypothesis or scores,
and the floor restates the goal."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with its configurations, in decreasing order of HMS; oracles and the floor are last.

    Attributes:
        name: Task and split.
        standings: The configurations.
        runners_up: The competitors that are not the best, in decreasing order of HMS.
        reason_for_no_best: Why no best agent is marked; None if one is.
    """

    name: str
    standings: Sequence[Standing]
    runners_up: Sequence[Standing]
    reason_for_no_best: str | None

    @property
    def results(self) -> list[ResultRow]:
        """The results of all configurations."""
        return [result for standing in self.standings for result in standing.results]

    @property
    def judges(self) -> set[str]:
        """The judges that scored its configurations."""
        return judges_of(self.standings)

    @property
    def floor(self) -> float | None:
        """The highest mean HMS of the floor; None if it was not run."""
        return highest_hms(standing for standing in self.standings if standing.kind == FLOOR)

    @property
    def sizes(self) -> list[int]:
        """The number of tasks that each configuration ran."""
        return [len(standing.tasks) for standing in self.standings]

    @property
    def available(self) -> int:
        """Number of tasks of the benchmark."""
        return task_count(self.name, self.results)

    @property
    def is_complete(self) -> bool:
        """Whether a configuration ran all tasks."""
        return max(self.sizes) >= self.available

    @cached_property
    def title(self) -> str:
        """The name, with the tasks that were run."""
        results = self.results
        sample_ids = {result.sample.id for result in results}
        # If a configuration ran fewer tasks than all configurations together, the configurations ran different tasks.
        if min(self.sizes) < len(sample_ids):
            return f"{self.name}: up to {max(self.sizes)} of {self.available} tasks, not the same for all"
        coverage = describe_coverage(self.name, results)
        return f"{self.name}: {coverage}"


@dataclass(frozen=True)
class Leaderboard:
    """All benchmarks, in alphabetical order."""

    benchmarks: Sequence[Benchmark]

    @classmethod
    def of(cls, results: Sequence[ResultRow], pool_splits: bool = False) -> "Leaderboard":
        """Rank the configurations of results.

        Args:
            results: The results, each sample with one score. Different judges have different names (`name_judges`).
            pool_splits: Whether the splits of a task are one benchmark.
        """
        configurations = configurations_of(results, pool_splits)
        by_configuration: dict[Configuration, list[ResultRow]] = defaultdict(list)
        for configuration, result in zip(configurations, results, strict=True):
            by_configuration[configuration].append(result)

        by_benchmark: dict[str, list[Standing]] = defaultdict(list)
        for configuration, own_results in by_configuration.items():
            kind = KINDS_OF_NON_COMPETITORS.get(configuration.agent, AGENT)
            tasks = tasks_of(own_results)
            standing = Standing(configuration, list(tasks.values()), kind)
            by_benchmark[configuration.benchmark].append(standing)
        return cls([_ranked(name, standings) for name, standings in sorted(by_benchmark.items())])

    @property
    def standings(self) -> list[Standing]:
        """The configurations of all benchmarks."""
        return [standing for benchmark in self.benchmarks for standing in benchmark.standings]

    @cached_property
    def style(self) -> Style:
        """Titles of benchmarks and colours of agents, for all charts."""
        titles = {benchmark.name: benchmark.title for benchmark in self.benchmarks}
        agents = {standing.configuration.agent for standing in self.standings}
        return Style(titles, agent_colors(agents))


def _ranked(name: str, standings: Sequence[Standing]) -> Benchmark:
    """Put the configurations of a benchmark in order, and mark the best agents."""
    competition = Competition.of(standings)
    marked = [replace(standing, kind=BEST) if standing in competition.best else standing for standing in standings]
    return Benchmark(
        name,
        standings=sorted(marked, key=_sort_key),
        runners_up=sorted(competition.runners_up, key=_sort_key),
        reason_for_no_best=competition.reason_for_no_best,
    )


def _sort_key(standing: Standing) -> tuple[bool, bool, float]:
    """A key that sorts agents before oracles and the floor, then by decreasing HMS; those without HMS are last."""
    hms = standing.hms
    return standing.kind in (ORACLE, FLOOR), hms is None, -(hms or 0)
