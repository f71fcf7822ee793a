"""Which samples of its tasks an experiment runs.

Inspect applies the same rules (https://inspect.aisi.org.uk/options.html), but tells their result only in a log.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

from inspect_ai import Task
from inspect_ai.dataset import Sample

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.definition import Arguments, Experiment
from inspect_discoverybench.experiment.yaml_file import YamlFile


@dataclass(frozen=True)
class Selection:
    """A selection of the samples of each task.

    Attributes:
        limit: Maximum number of samples; None for all.
        selectors: Patterns of sample ids, or `TASK:PATTERN` for one task; None for all samples.
        shuffle: Seed with which the samples are shuffled first; True for a random seed. None and False keep the order.
        where: Where the option `sample_id` is set, for error messages (`YamlFile.where`).
    """

    limit: int | None
    selectors: list[str] | None
    shuffle: bool | int | None
    where: str

    @classmethod
    def of(cls, experiment: Experiment, options: Arguments, file: YamlFile) -> "Selection":
        """Read the selection of an experiment.

        Raises:
            InvalidExperiment: Samples are selected by id and in another way.
        """
        limit = experiment.limits.samples
        shuffle = options.get("sample_shuffle")
        where = file.where("options", "sample_id")
        selectors = None
        sample_id = options.get("sample_id")
        if sample_id is not None:
            sample_ids = sample_id if isinstance(sample_id, list) else [sample_id]
            selectors = [str(selector) for selector in sample_ids]
            for name, value in (("limits.samples", limit), ("options.sample_shuffle", shuffle)):
                if value is not None:
                    raise InvalidExperiment(f"{where}: options.sample_id and {name} exclude each other. Omit one.")
        return cls(limit=limit, selectors=selectors, shuffle=shuffle, where=where)

    def samples_of(self, task: Task, task_names: Collection[str]) -> dict[int | str, Sample]:
        """The selected samples of a task by id, in order. The task's dataset is shuffled in place.

        Args:
            task: The task.
            task_names: Names of all tasks of the experiment.

        Raises:
            InvalidExperiment: The task has no sample with a selected id.
        """
        self._number_and_shuffle(task)
        if self.selectors is None:
            samples = list(task.dataset)[: self.limit]
        else:
            patterns = _patterns_for(task, task_names, self.selectors)
            samples = [sample for sample in task.dataset if _is_selected(sample, patterns)]
            # Without patterns, all selectors name other tasks, so this task is meant to run no samples.
            if patterns and not samples:
                listed = ", ".join(patterns)
                raise InvalidExperiment(f"{self.where}: options.sample_id: no sample of {task.name} matches {listed}.")
        # Every sample has an id now, but its type still allows None.
        return {sample.id: sample for sample in samples if sample.id is not None}

    def _number_and_shuffle(self, task: Task) -> None:
        """Number samples without id, and shuffle, as Inspect does.

        When the task is run, Inspect does not shuffle its dataset again, because the dataset is marked as shuffled. So
        the run has the order that is made here.
        """
        for number, sample in enumerate(task.dataset, start=1):
            if sample.id is None:
                sample.id = number
        if self.shuffle and not task.dataset.shuffled:
            task.dataset.shuffle(None if self.shuffle is True else self.shuffle)


def _patterns_for(task: Task, task_names: Collection[str], selectors: Collection[str]) -> list[str]:
    """The patterns that select samples of a task: those of selectors for this task or for all tasks."""
    names = {name.lower() for name in task_names}
    patterns = []
    for selector in selectors:
        name, colon, pattern = selector.partition(":")
        is_for_one_task = colon != "" and name.lower() in names  # a colon can also be part of a sample id
        if not is_for_one_task:
            patterns.append(selector)
        elif name.lower() == task.name.lower():
            patterns.append(pattern)
    return patterns


def _is_selected(sample: Sample, patterns: Collection[str]) -> bool:
    return any(fnmatchcase(_padded(sample.id), _padded(pattern)) for pattern in patterns)


def _padded(sample_id: int | str | None) -> str:
    """The id as Inspect compares it, in `normalise_sample_id`: numbers have leading zeros up to 20 digits.

    So `7` and `007` are one sample, and `1*` matches neither `1` nor `10`, because both begin with 0.
    """
    text = str(sample_id)
    return text.zfill(20) if text.isdigit() else text
