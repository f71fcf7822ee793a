"""The leaderboard: configurations by benchmark in their order, and which of them are best."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import Style, agent_colors
from inspect_discoverybench.report.means import Row, interval_columns, missing_columns
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.coverage import describe_coverage, task_count
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import TaskResult, mean_score, tasks_of
from inspect_discoverybench.scorer.judge_record import is_offline
from inspect_discoverybench.statistics.mean import Estimate

AGENT, BEST, ORACLE, FLOOR = "agent", "best agent", "oracle", "floor"
"""Kinds of configurations."""

ROLES = {"reflexion": ORACLE, "gold": ORACLE, "goal_echo": FLOOR}
"""Agents whose results are not comparable with those of others: oracles see the gold hypothesis or scores, and the
floor restates the goal."""

MIN_COVERAGE = 0.9
"""Minimum share of the tasks of the agent with the most scored tasks that a competitor has scored, too."""

ROUNDING = 1e-9
"""Means that differ by no more than this are equal."""


@dataclass(frozen=True, eq=False)
class Standing:
    """A configuration with its tasks.

    Attributes:
        configuration: The configuration.
        tasks: Its tasks, with the scores of one judge for each sample.
        kind: What it is: an agent, the best agent of its benchmark, an oracle or the floor.
    """

    configuration: Configuration
    tasks: Sequence[TaskResult]
    kind: str

    @property
    def name(self) -> str:
        """Agent, model and settings."""
        return self.configuration.name

    @property
    def label(self) -> str:
        """The name, with the kind unless it is just an agent."""
        return self.name if self.kind == AGENT else f"{self.name}, {self.kind}"

    @property
    def key_columns(self) -> Row:
        """Columns that begin the rows of tables."""
        return {
            "benchmark": self.configuration.benchmark,
            "configuration": self.name,
            "agent": self.configuration.agent,
            "model": self.configuration.model,
        }

    @property
    def hms_columns(self) -> Row:
        """Columns that begin the rows of tables with mean HMS."""
        return self.key_columns | interval_columns(self.mean) | missing_columns(self.tasks)

    @cached_property
    def results(self) -> list[ResultRow]:
        """The results of all tasks and epochs."""
        return [result for task in self.tasks for result in task.results]

    @cached_property
    def mean(self) -> Estimate | None:
        """Mean HMS with its interval; None if no sample is scored."""
        return mean_score(self.tasks)

    @property
    def hms(self) -> float:
        """Mean HMS; −1 if no sample is scored."""
        return -1.0 if self.mean is None else self.mean.mean

    @property
    def scored_ids(self) -> set[str]:
        """The ids of the tasks with a score."""
        return {task.sample.id for task in self.tasks if task.score().known}

    @property
    def judges(self) -> set[str]:
        """The judges that scored it."""
        scored = [result.score for result in self.results if result.score.is_scored]
        return {score.judge for score in scored if score.judge}


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
    def results(self) -> list[ResultRow]:
        """The results of all configurations."""
        return [result for standing in self.standings for result in standing.results]

    @property
    def judges(self) -> set[str]:
        """The judges that scored any of them."""
        return _judges(self.standings)

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
        tasks = {result.sample.id for result in results}
        if min(self.sizes) < len(tasks):
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
            results: The results, each sample with one score; judges are named.
            pool_splits: Whether the splits of a task are one benchmark.
        """
        configurations = configurations_of(results, pool_splits)
        by_configuration: dict[Configuration, list[ResultRow]] = defaultdict(list)
        for configuration, result in zip(configurations, results, strict=True):
            by_configuration[configuration].append(result)

        by_benchmark: dict[str, list[Standing]] = defaultdict(list)
        for configuration, own_results in by_configuration.items():
            tasks = tasks_of(own_results)
            kind = ROLES.get(configuration.agent, AGENT)
            standing = Standing(configuration, list(tasks.values()), kind)
            by_benchmark[configuration.benchmark].append(standing)

        benchmarks = []
        for name, standings in sorted(by_benchmark.items()):
            benchmark = _ranked(name, standings)
            benchmarks.append(benchmark)
        return cls(benchmarks)

    @property
    def standings(self) -> list[Standing]:
        """The configurations of all benchmarks."""
        return [standing for benchmark in self.benchmarks for standing in benchmark.standings]

    @cached_property
    def style(self) -> Style:
        """What the charts have in common."""
        titles = {benchmark.name: benchmark.title for benchmark in self.benchmarks}
        agents = {standing.configuration.agent for standing in self.standings}
        return Style(titles, agent_colors(agents))


def _ranked(name: str, standings: Sequence[Standing]) -> Benchmark:
    """Put the configurations of a benchmark in order, and mark the best agents."""
    floors = [standing for standing in standings if standing.kind == FLOOR]
    competitors = _competitors(standings)
    highest = _highest(competitors)
    no_best = _reason_for_no_best(competitors, _highest(floors))

    ranked = []
    for standing in standings:
        is_highest = standing.hms >= highest - ROUNDING
        is_best = is_highest and standing in competitors and not no_best
        ranked.append(replace(standing, kind=BEST) if is_best else standing)
    ranked.sort(key=lambda standing: standing.hms, reverse=True)
    ranked.sort(key=lambda standing: standing.kind in (ORACLE, FLOOR))
    return Benchmark(name, ranked, no_best)


def _highest(standings: Sequence[Standing]) -> float:
    """The highest mean HMS; −1 if there are none."""
    return max((standing.hms for standing in standings), default=-1.0)


def _competitors(standings: Sequence[Standing]) -> list[Standing]:
    """Agents that scored enough of the same tasks: other means do not say which configuration is better.

    Agents that a framing urges, or allows to find nothing, are not compared with others.
    """
    agents = [
        standing for standing in standings if standing.kind == AGENT and standing.configuration.framing == NEUTRAL
    ]
    scored = {standing: standing.scored_ids for standing in agents}
    most = max(scored.values(), key=len, default=set())
    enough = max(1, MIN_COVERAGE * len(most))
    return [agent for agent, ids in scored.items() if len(ids & most) >= enough]


def _reason_for_no_best(competitors: Sequence[Standing], floor: float) -> str:
    """Why none of them can be called the best; empty if one can."""
    judges = _judges(competitors)
    if any(is_offline(judge) for judge in judges):
        return "the judge is not a language model"
    if len(judges) > 1:
        return "different judges scored the samples"
    runs = [result.run for agent in competitors for result in agent.results]
    if len({(run.version_number, run.data_commit) for run in runs}) > 1:
        return "the task versions or the data differ"
    if len(competitors) < 2:
        return "there is no other agent to compare with"
    if _highest(competitors) <= floor:
        return "no agent is above the floor"
    return ""


def _judges(standings: Sequence[Standing]) -> set[str]:
    judges: set[str] = set()
    for standing in standings:
        judges |= standing.judges
    return judges
