"""A configuration with its tasks, and what kind of configuration it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inspect_discoverybench.report.means import Row, interval_columns, mean_bound_columns
from inspect_discoverybench.results.configuration import Configuration
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import TaskResult, mean_score
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED
from inspect_discoverybench.statistics.mean import Estimate

AGENT, BEST, ORACLE, FLOOR = "agent", "best agent", "oracle", "floor"
"""Kinds of configurations."""


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
    def has_released_form(self) -> bool:
        """Whether a sample has HMS in the form of the released evaluator."""
        return any(RELEASED in result.score.values for result in self.results)

    @cached_property
    def released(self) -> Estimate | None:
        """Mean HMS in the form of the released evaluator; None if no sample has it."""
        return mean_score(self.tasks, RELEASED)

    @property
    def missing(self) -> int:
        """Number of samples without HMS, in all epochs."""
        return sum(task.scores().missing for task in self.tasks)

    @property
    def scored_ids(self) -> set[str]:
        """The ids of the tasks with a score."""
        return {task.sample.id for task in self.tasks if task.scores().known}

    @property
    def judges(self) -> set[str]:
        """The judges that scored its samples."""
        judges = {result.score.judge for result in self.results if result.score.is_scored}
        # A sample without a submission scores 0 without a judge.
        return {judge for judge in judges if judge}


def highest_hms(standings: Iterable[Standing]) -> float | None:
    """The highest mean HMS; None if no sample is scored."""
    means = [standing.hms for standing in standings if standing.hms is not None]
    return max(means, default=None)


def judges_of(standings: Iterable[Standing]) -> set[str]:
    """The judges that scored the samples of any of them."""
    judges: set[str] = set()
    for standing in standings:
        judges |= standing.judges
    return judges
