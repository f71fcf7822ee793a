"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlparse

from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.experiment.eval_set import EvalSet
from inspect_discoverybench.results.log_files import read_summaries
from inspect_discoverybench.results.run_record import TASK_SAMPLES

MAX_SHARDS = 10_000
"""Far above useful numbers: no released split has as many samples."""

SampleIds = list[int | str]


@dataclass(frozen=True)
class Shard:
    """One part of an experiment: its number, from 1, and the number of parts."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read `K/N`.

        Raises:
            InvalidArgument: The text is not of this form, or K is not between 1 and N.
        """
        match = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", text)
        if match:
            number = int(match[1])
            count = int(match[2])
            if 1 <= number <= count <= MAX_SHARDS:
                return cls(number, count)
        raise InvalidArgument(
            f"--shard must be K/N with 1 ≤ K ≤ N ≤ {MAX_SHARDS:,}, such as 1/4 for the first of four, got {text}."
        )

    def log_dir(self, parent: str) -> str:
        """Log directory of the shard, in that of the experiment."""
        digits = len(str(self.count))
        number = str(self.number).zfill(digits)
        return f"{parent.rstrip('/')}/shard-{number}-of-{self.count}"

    def samples_of(self, samples: SampleIds, run: int) -> SampleIds:
        """The samples of the shard among those of the run with this number.

        The samples of a run go to the shards in turn, so that two shards differ by at most one of them. Samples stay in
        their shard when `limits.samples` increases.
        """
        # Each run begins with another shard: otherwise the first shards would have the last samples of all runs.
        first = (self.number - 1 - run) % self.count
        return samples[first :: self.count]


def shard_dry_runs(dry_run: Sequence[EvalLog], count: int) -> dict[str, list[EvalLog]]:
    """The dry run of each shard, by `K/N`, from that of the whole experiment.

    All epochs of a sample are in one shard.
    """
    dry_runs = {}
    for number in range(1, count + 1):
        shard = Shard(number, count)
        logs = []
        for run, log in enumerate(dry_run):
            ids = shard.samples_of(_sample_ids(log), run)
            logs.append(_with_samples(log, ids))
        dry_runs[str(shard)] = logs
    return dry_runs


def _sample_ids(log: EvalLog) -> SampleIds:
    return list(log.eval.dataset.sample_ids or [])


def _with_samples(log: EvalLog, ids: SampleIds) -> EvalLog:
    """A dry run with these samples, as if the run had no others."""
    copy = log.model_copy(deep=True)
    dataset = copy.eval.dataset
    dataset.sample_ids = ids
    dataset.samples = len(ids)
    # Already applied in the dry run.
    config = copy.eval.config
    config.limit = None
    config.sample_id = None
    return copy


def restrict_to_shard(eval_set: EvalSet, shard: Shard, dry_run: Sequence[EvalLog]) -> EvalSet:
    """Restrict an experiment to the samples of a shard, by its dry run, and to its log directory.

    Runs without samples are left out.

    Raises:
        InvalidExperiment: An option does not work with shards.
    """
    arguments = dict(eval_set.arguments)
    if arguments.get("sample_shuffle") is True:
        where = eval_set.file.where("options")
        raise InvalidExperiment(
            f"{where}: --shard needs a seed in options.sample_shuffle, such as 7. All shards must have the same order."
        )

    parent = eval_set.experiment.log_dir
    arguments.setdefault("eval_set_id", _eval_set_id(parent, shard.count))
    arguments["log_dir"] = shard.log_dir(parent)
    arguments["metadata"] = arguments["metadata"] | {"shard": str(shard)}
    # Already applied in the dry run.
    arguments["limit"] = None
    arguments["sample_id"] = None

    cells = []
    tasks = []
    for cell, task, log in zip(eval_set.cells, eval_set.tasks, dry_run, strict=True):
        ids = _sample_ids(log)
        if ids:
            cells.append(cell)
            tasks.append(_restrict_task(task, set(ids)))
    return replace(eval_set, cells=cells, tasks=tasks, arguments=arguments)


def _restrict_task(task: Task, ids: set[int | str]) -> Task:
    dataset = task.dataset.filter(lambda sample: sample.id in ids)
    metadata = {**(task.metadata or {}), TASK_SAMPLES: len(task.dataset)}
    return task_with(task, dataset=dataset, metadata=metadata)


def _eval_set_id(log_dir: str, count: int) -> str:
    """Inspect's id of the eval set. It is equal in all shards, so that a shard that was started twice is read once."""
    for log in read_summaries(log_dir):
        recorded = log.header.eval.eval_set_id
        if recorded is not None:  # shards keep it if their logs are moved
            return recorded

    address = log_dir
    if not urlparse(log_dir).scheme:
        address = str(Path(log_dir).resolve())
    digest = sha256(f"{address} {count}".encode())
    return digest.hexdigest()[:32]
