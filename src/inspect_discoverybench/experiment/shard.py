"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import gcd
from pathlib import Path
from urllib.parse import urlparse

from inspect_ai import Task, task_identifier, task_with
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.experiment.log_folder import is_locked
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.results.log_files import is_scored, read_summaries, sample_keys

MAX_SHARDS = 10_000

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
        shard = cls(int(match[1]), int(match[2])) if match else cls(0, 0)
        if not 1 <= shard.number <= shard.count <= MAX_SHARDS:
            raise InvalidArgument(
                f"--shard must be K/N with 1 ≤ K ≤ N ≤ {MAX_SHARDS:,}, such as 1/4 for the first of four, got {text}."
            )
        return shard

    def log_dir(self, parent: str) -> str:
        """Log directory of the shard, in that of the experiment."""
        return f"{parent.rstrip('/')}/shard-{self.number:0{len(str(self.count))}}-of-{self.count}"


def assign_samples(runs: Sequence[SampleIds], count: int) -> list[list[SampleIds]]:
    """Divide the samples of all runs among shards, by their positions only.

    Two shards differ by at most one sample of each run, and by at most one sample in total if all runs have equally
    many. Samples stay in their shard when `limits.samples` increases. All epochs of a sample are in one shard.

    Returns:
        For each shard, its sample ids of each run.
    """
    shards: list[list[SampleIds]] = [[[] for _ in runs] for _ in range(count)]
    for run, samples in enumerate(runs):
        for position, sample in enumerate(samples):
            # The first samples of all runs go to shards in turn, then the second ones, and so on. One is skipped
            # whenever the turn is back at the first shard; otherwise a run would always meet the same shards.
            turn = position * len(runs) + position * gcd(len(runs), count) // count
            shards[(turn + run) % count][run].append(sample)
    return shards


def shard_dry_runs(dry_run: Sequence[EvalLog], count: int) -> dict[str, list[EvalLog]]:
    """The dry run of each shard, by `K/N`, from that of the whole experiment."""
    samples = assign_samples([[*(log.eval.dataset.sample_ids or [])] for log in dry_run], count)
    return {
        str(Shard(number, count)): [_with_samples(log, ids) for log, ids in zip(dry_run, runs, strict=True)]
        for number, runs in enumerate(samples, start=1)
    }


def _with_samples(log: EvalLog, ids: SampleIds) -> EvalLog:
    dataset = log.eval.dataset.model_copy(update={"sample_ids": ids, "samples": len(ids)})
    config = log.eval.config.model_copy(update={"limit": None, "sample_id": None})
    return log.model_copy(update={"eval": log.eval.model_copy(update={"dataset": dataset, "config": config})})


def restrict_to_shard(plan: ExperimentPlan, shard: Shard, dry_run: Sequence[EvalLog]) -> ExperimentPlan:
    """Restrict a plan to the samples of a shard, by its dry run, and to its log directory.

    Runs without samples are left out.

    Raises:
        InvalidExperiment: An option does not work with shards.
    """
    if plan.arguments.get("sample_shuffle") is True or plan.arguments.get("bundle_dir") is not None:
        raise InvalidExperiment(
            f"{plan.source.where('options')}: --shard needs a seed in options.sample_shuffle, such as 7, so that all "
            "shards have the same order, and cannot be used with options.bundle_dir: run `inspect view bundle` at the "
            "end."
        )
    parent = plan.experiment.log_dir
    # Equal in all shards, so that a shard that was started twice is read once. Shards that are moved keep it.
    recorded = next((log.header.eval.eval_set_id for log in read_summaries(parent)), None)
    place = parent if urlparse(parent).scheme else str(Path(parent).resolve())
    arguments = {
        "eval_set_id": recorded or sha256(f"{place} {shard.count}".encode()).hexdigest()[:32],
        **plan.arguments,
        "log_dir": shard.log_dir(parent),
        "metadata": {**plan.arguments["metadata"], "shard": str(shard)},
        # Already applied in the dry run.
        "limit": None,
        "sample_id": None,
    }
    samples = [{*(log.eval.dataset.sample_ids or [])} for log in dry_run]
    runs = [(cell, _restrict(task, ids)) for (cell, task), ids in zip(plan.runs, samples, strict=True) if ids]
    return replace(plan, runs=tuple(runs), arguments=arguments)


def _restrict(task: Task, ids: set[int | str]) -> Task:
    for position, sample in enumerate(task.dataset, start=1):
        if sample.id is None:  # Inspect numbers such samples by their position in the whole dataset
            sample.id = position
    return task_with(task, dataset=task.dataset.filter(lambda sample: sample.id in ids))


@dataclass(frozen=True)
class ShardStatus:
    """The state of a shard: `finished`, `running` or `missing`, and its samples by how they ended, in all epochs."""

    shard: str
    state: str
    samples: int
    finished: int
    missing: int
    errors: int
    unscored: int


def shard_status(shard: str, log_dir: str, dry_run: Sequence[EvalLog]) -> ShardStatus:
    """Read the state of a shard from its log directory and its dry run.

    Raises:
        UnreadableLog: A log is damaged.
    """
    planned = {(task_identifier(log, None), *key) for log in dry_run for key in sample_keys(log)}
    # Check the lock before reading the logs: a shard that ends in between counts as running, not as missing.
    is_running = is_locked(log_dir)
    ended = [
        ((log.run, str(sample.id), sample.epoch), log, sample)
        for log in read_summaries(log_dir)
        for sample in log.samples
        if sample.completed
    ]
    finished = planned & {key for key, _, sample in ended if not sample.error}
    failed = planned & {key for key, _, _ in ended} - finished
    scored = {key for key, log, sample in ended if is_scored(sample) or not log.header.eval.scorers}
    is_complete = planned <= {key for key, log, _ in ended if log.is_complete}
    return ShardStatus(
        shard=shard,
        state="running" if is_running else "finished" if is_complete else "missing",
        samples=len(planned),
        finished=len(finished),
        missing=len(planned - finished - failed),
        errors=len(failed),
        unscored=len(finished - scored),
    )
