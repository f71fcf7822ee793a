"""The leaderboard: configurations by benchmark in their order, and which of them are best."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.charts import Style, agent_colors
from inspect_discoverybench.report.means import Row, interval_columns, mean_bound_columns
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.coverage import describe_coverage, task_count
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.sample_inputs import changed_inputs
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.task_result import TaskResult, mean_score, tasks_of
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.judge_record import is_offline
from inspect_discoverybench.scorer.released_form import RELEASED
from inspect_discoverybench.statistics.mean import Estimate

AGENT, BEST, ORACLE, FLOOR = "agent", "best agent", "oracle", "floor"
"""Kinds of configurations."""

KINDS_OF_NON_COMPETITORS = {"reflexion": ORACLE, "gold": ORACLE, "goal_echo": FLOOR}
"""Kinds of the agents whose results are not comparable with those of others: oracles see the gold hypothesis or scores,
and the floor restates the goal."""

MIN_COVERAGE = 0.9
"""Share of tasks that a competitor must have scored, at least. The tasks are those that the agent with the most scored
tasks has scored."""

ROUNDING = 1e-9
"""Means that differ by no more than this are equal."""


# Each standing equals only itself (`eq=False`). So it can be a key of a dictionary, although its lists have no hash.
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
        return self.key_columns | interval_columns(self.mean) | mean_bound_columns(self.tasks)

    @cached_property
    def results(self) -> list[ResultRow]:
        """The results of all tasks and epochs."""
        return [result for task in self.tasks for result in task.results]

    @property
    def tasks_by_id(self) -> dict[str, TaskResult]:
        """The tasks by the id of their sample. The ids pair them with the tasks of another configuration.

        If a study was edited between two runs, a sample has several versions, and the last one counts.
        """
        return {task.sample.id: task for task in self.tasks}

    @cached_property
    def mean(self) -> Estimate | None:
        """Mean HMS with its interval; None if no sample is scored."""
        return mean_score(self.tasks)

    @property
    def hms(self) -> float | None:
        """Mean HMS; None if no sample is scored."""
        return None if self.mean is None else self.mean.mean

    @cached_property
    def facets(self) -> dict[str, Estimate | None]:
        """The mean of each facet."""
        return {facet: mean_score(self.tasks, facet) for facet in FACET_KEYS}

    @property
    def has_released(self) -> bool:
        """Whether a sample has HMS in the form of the released evaluator."""
        return any(RELEASED in result.score.values for result in self.results)

    @cached_property
    def released(self) -> Estimate | None:
        """Mean HMS in the form of the released evaluator; None if no sample has it."""
        return mean_score(self.tasks, RELEASED)

    @property
    def missing(self) -> int:
        """Number of samples without HMS, in all epochs."""
        return sum(task.score().missing for task in self.tasks)

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
        runners_up: The competitors that are not the best, in decreasing order of HMS.
        no_best: Why no best agent is marked; None if one is.
    """

    name: str
    standings: Sequence[Standing]
    runners_up: Sequence[Standing]
    no_best: str | None

    @property
    def results(self) -> list[ResultRow]:
        """The results of all configurations."""
        return [result for standing in self.standings for result in standing.results]

    @property
    def judges(self) -> set[str]:
        """The judges that scored its configurations."""
        return _judges(self.standings)

    @property
    def floor(self) -> float | None:
        """The highest mean HMS of the floor; None if it was not run."""
        return _highest([standing for standing in self.standings if standing.kind == FLOOR])

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
    competitors = _competitors(standings)
    floor = _highest([standing for standing in standings if standing.kind == FLOOR])
    no_best = _reason_for_no_best(competitors, floor)
    best = _best(competitors) if no_best is None else []
    marked = [replace(standing, kind=BEST) if standing in best else standing for standing in standings]
    runners_up = [standing for standing in competitors if standing not in best]
    return Benchmark(
        name,
        standings=sorted(marked, key=_place),
        runners_up=sorted(runners_up, key=_place),
        no_best=no_best,
    )


def _place(standing: Standing) -> tuple[bool, bool, float]:
    """A key that sorts agents before oracles and the floor, then by decreasing HMS; those without HMS are last."""
    hms = standing.hms
    return standing.kind in (ORACLE, FLOOR), hms is None, -(hms or 0)


def _best(competitors: Sequence[Standing]) -> list[Standing]:
    """The competitors with the highest mean HMS: several if they are tied."""
    highest = _highest(competitors)
    if highest is None:
        return []
    return [standing for standing in competitors if standing.hms is not None and standing.hms >= highest - ROUNDING]


def _highest(standings: Sequence[Standing]) -> float | None:
    """The highest mean HMS; None if no sample is scored."""
    means = [standing.hms for standing in standings if standing.hms is not None]
    return max(means, default=None)


def _competitors(standings: Sequence[Standing]) -> list[Standing]:
    """Agents with enough tasks, as `MIN_COVERAGE` says. The mean over fewer tasks does not say which agent is better.

    A framing urges agents to find something, or allows them to find nothing. Agents with a framing do not compete.
    """
    agents = [
        standing for standing in standings if standing.kind == AGENT and standing.configuration.framing == NEUTRAL
    ]
    ids_by_agent = {agent: agent.scored_ids for agent in agents}
    reference_ids = max(ids_by_agent.values(), key=len, default=set())
    min_common = max(1, MIN_COVERAGE * len(reference_ids))  # an agent without any scored task does not compete
    return [agent for agent, ids in ids_by_agent.items() if len(ids & reference_ids) >= min_common]


def _reason_for_no_best(competitors: Sequence[Standing], floor: float | None) -> str | None:
    """Why none of the competitors can be called the best; None if one can."""
    judges = _judges(competitors)
    if any(is_offline(judge) for judge in judges):
        return "the judge is not a language model"
    if len(judges) > 1:
        return "different judges scored the samples"
    versions = set()
    for competitor in competitors:
        versions |= {(result.run.version_number, result.run.data_commit) for result in competitor.results}
    if len(versions) > 1 or _is_study_edited(competitors):
        return "the task versions or the data differ"
    if len(competitors) < 2:
        return "there is no other agent to compare with"
    highest = _highest(competitors)
    if highest is not None and floor is not None and highest <= floor:
        return "no agent is above the floor"
    return None


def _is_study_edited(standings: Sequence[Standing]) -> bool:
    """Whether samples with one id have different gold hypotheses, gold workflows or data files."""
    samples_by_id: defaultdict[str, list[SampleRecord]] = defaultdict(list)
    for standing in standings:
        for task in standing.tasks:
            samples_by_id[task.sample.id].append(task.sample)
    return any(_have_different_data(samples) for samples in samples_by_id.values())


def _have_different_data(samples: Sequence[SampleRecord]) -> bool:
    # All pairs, because what a sample does not record is not compared.
    for first, second in combinations(samples, 2):
        changes = changed_inputs(first.inputs, second.inputs)
        # Configurations with different hints have different task texts on purpose.
        if any(change != "task text" for change in changes):
            return True
    return False


def _judges(standings: Sequence[Standing]) -> set[str]:
    judges: set[str] = set()
    for standing in standings:
        judges |= standing.judges
    return judges
