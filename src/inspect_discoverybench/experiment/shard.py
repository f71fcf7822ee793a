"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import gcd
from pathlib import Path
from urllib.parse import urlparse

from inspect_ai import Task, task_with
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.experiment.eval_set import EvalSet
from inspect_discoverybench.results.log_files import read_summaries

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


def assign_samples(runs: Sequence[SampleIds], count: int) -> list[list[SampleIds]]:
    """Divide the samples of all runs among shards, by their positions only.

    Two shards differ by at most one sample of each run, and by at most one sample in total if all runs have equally
    many. Samples stay in their shard when `limits.samples` increases. All epochs of a sample are in one shard.

    Returns:
        For each shard, its sample ids of each run.
    """
    shards: list[list[SampleIds]] = [[] for _ in range(count)]
    for run, samples in enumerate(runs):
        parts: list[SampleIds] = [[] for _ in range(count)]
        for position, sample in enumerate(samples):
            number = _shard_of(run, position, len(runs), count)
            parts[number].append(sample)
        for shard, part in zip(shards, parts, strict=True):
            shard.append(part)
    return shards


def _shard_of(run: int, position: int, runs: int, count: int) -> int:
    """Index of the shard for the sample at a position in a run."""
    # The first samples of all runs go to shards in turn, then the second ones, and so on. One is skipped whenever the
    # turn is back at the first shard; otherwise a run would always meet the same shards.
    turn = position * runs + run
    skipped = position * gcd(runs, count) // count
    return (turn + skipped) % count


def shard_dry_runs(dry_run: Sequence[EvalLog], count: int) -> dict[str, list[EvalLog]]:
    """The dry run of each shard, by `K/N`, from that of the whole experiment."""
    samples_of_runs = [_sample_ids(log) for log in dry_run]
    dry_runs = {}
    for number, samples_of_shard in enumerate(assign_samples(samples_of_runs, count), start=1):
        logs = []
        for log, ids in zip(dry_run, samples_of_shard, strict=True):
            logs.append(_with_samples(log, ids))
        shard = Shard(number, count)
        dry_runs[str(shard)] = logs
    return dry_runs


def _sample_ids(log: EvalLog) -> SampleIds:
    return list(log.eval.dataset.sample_ids or [])


def _with_samples(log: EvalLog, ids: SampleIds) -> EvalLog:
    """A dry run with these samples, as if the run had no others."""
    copy = log.model_copy(deep=True)
    copy.eval.dataset.sample_ids = ids
    copy.eval.dataset.samples = len(ids)
    copy.eval.config.limit = None
    copy.eval.config.sample_id = None
    return copy


def restrict_to_shard(eval_set: EvalSet, shard: Shard, dry_run: Sequence[EvalLog]) -> EvalSet:
    """Restrict an experiment to the samples of a shard, by its dry run, and to its log directory.

    Runs without samples are left out.

    Raises:
        InvalidExperiment: An option does not work with shards.
    """
    if eval_set.arguments.get("sample_shuffle") is True:
        where = eval_set.file.where("options")
        raise InvalidExperiment(
            f"{where}: --shard needs a seed in options.sample_shuffle, such as 7. All shards must have the same order."
        )

    parent = eval_set.experiment.log_dir
    arguments = dict(eval_set.arguments)
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
            tasks.append(_restrict(task, set(ids)))
    return replace(eval_set, cells=cells, tasks=tasks, arguments=arguments)


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


def _restrict(task: Task, ids: set[int | str]) -> Task:
    dataset = task.dataset.filter(lambda sample: sample.id in ids)
    return task_with(task, dataset=dataset)
