"""A task of a system: the results of one sample in all its epochs, and their score."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.sample_inputs import changed_inputs
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.statistics.mean import Estimate, estimate_mean
from inspect_discoverybench.statistics.partial_scores import PartialScores, bounds

TaskId = tuple[str, str]
"""Name of Inspect's task, and id of the sample, with a number for further versions of it."""


@dataclass(frozen=True)
class TaskResult:
    """The results of one sample, one per epoch; there is at least one."""

    results: Sequence[ResultRow]

    @property
    def sample(self) -> SampleRecord:
        """The sample in the first epoch, with the goal and its properties."""
        return self.results[0].sample

    @property
    def cluster(self) -> str:
        """The gold hypothesis, or if there is none, the task's own id.

        The scores of tasks in one cluster are not independent of each other.
        """
        return self.sample.gold_hypothesis or self.sample.id

    def is_asked_about(self, key: str) -> bool:
        """Whether the judge is asked about a key of the score.

        If the judge is not asked, the task is left out for this key: the score of the task does not count as missing.
        """
        is_placebo = self.results[0].run.is_placebo
        # On a placebo, the judge is not asked about claims if the gold hypothesis also holds on the permuted columns,
        # because a claim may then be true. The metadata of the sample say whether the gold hypothesis holds there, so
        # the task is left out even if all of its results ended with an error.
        if key == CLAIM_KEY and is_placebo and self.sample.survives_permutation:
            return False

        # In all other cases, only the keys of a score tell what the judge was asked. A result that ended with an error
        # has no score. If no result has a score, the judge counts as asked, so the score of the key is missing.
        scored_results = [result for result in self.results if result.score.keys]
        return all(key in result.score.keys for result in scored_results)

    def scores(self, key: str = "hms") -> PartialScores:
        """The score of each epoch."""
        return PartialScores([result.score.value(key) for result in self.results])


def tasks_of(results: Iterable[ResultRow]) -> dict[TaskId, TaskResult]:
    """The tasks of one system.

    If a study was edited between two runs, a sample has several versions, which are different tasks. The first version
    has the id of the sample. The others have this id with a number.
    """
    samples: dict[TaskId, list[ResultRow]] = defaultdict(list)
    for result in results:
        samples[result.run.task, result.sample.id].append(result)

    tasks = {}
    for (task_name, sample_id), rows in samples.items():
        for number, version in enumerate(_versions(rows), start=1):
            version_id = sample_id if number == 1 else f"{sample_id} ({number})"
            tasks[task_name, version_id] = version
    return tasks


def _versions(results: Iterable[ResultRow]) -> list[TaskResult]:
    """Divide the results of a sample by its inputs. The versions are in the order in which they were first run."""
    versions: list[list[ResultRow]] = []
    for result in results:
        matching = [
            version for version in versions if not changed_inputs(version[0].sample.inputs, result.sample.inputs)
        ]
        if matching:
            # Several can match, because an input that a log does not record is not compared.
            matching[0].append(result)
        else:
            versions.append([result])
    return [TaskResult(rows) for rows in versions]


def edited_samples(tasks: Iterable[TaskResult]) -> dict[str, list[str]]:
    """The samples with several versions, by id, with what differs between the first version and any later one."""
    first_versions: dict[TaskId, TaskResult] = {}
    edited: dict[str, list[str]] = {}
    for task in tasks:
        sample = task.sample
        task_id = (task.results[0].run.task, sample.id)
        if task_id not in first_versions:
            first_versions[task_id] = task
            continue
        changes = edited.setdefault(sample.id, [])
        for name in changed_inputs(first_versions[task_id].sample.inputs, sample.inputs):
            if name not in changes:
                changes.append(name)
    return edited


def mean_score(tasks: Sequence[TaskResult], key: str = "hms") -> Estimate | None:
    """The mean of a score, with an interval that covers all values that missing scores could have.

    None if no task is scored.
    """
    scores = [task.scores(key) for task in tasks]
    if not any(score.known for score in scores):
        return None
    return estimate_mean(
        [score.mean for score in scores],
        clusters=[task.cluster for task in tasks],
        studies=[task.sample.study for task in tasks],
        possible=bounds(scores),
    )
