"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import gcd
from pathlib import Path
from urllib.parse import urlparse

from inspect_ai import task_with
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors import InvalidArgument, InvalidExperiment
from inspect_discoverybench.experiment.run import ExperimentPlan, ExperimentRun
from inspect_discoverybench.results.log_files import read_summaries

MAX_SHARDS = 10_000

SampleIds = list[int | str]


@dataclass(frozen=True)
class Shard:
    """One part of an experiment.

    Attributes:
        number: Its number, from 1 to `count`.
        count: Number of parts.
    """

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
    """Divide the samples of all runs among shards.

    The first sample of every run is assigned, then the second, and so on. Each goes to a shard with the fewest samples
    of its run, and among them to one with the fewest samples. Two shards therefore differ by at most one sample of each
    run, and by at most one sample in total if all runs have equally many. Samples stay in their shard when
    `limits.samples` increases. All epochs of a sample are in one shard.

    Args:
        runs: Sample ids of each run.
        count: Number of shards.

    Returns:
        For each shard, its sample ids of each run.
    """
    shards: list[list[SampleIds]] = [[[] for _ in runs] for _ in range(count)]
    sizes = [0] * count
    for position in range(max(map(len, runs), default=0)):
        # If all runs have the same number of samples, rotating by one after each full cycle always leaves such a shard.
        start = position * len(runs) + position * gcd(len(runs), count) // count
        for run, samples in enumerate(runs):
            if position < len(samples):
                order = ((start + run + step) % count for step in range(count))
                chosen = min(order, key=lambda shard: (len(shards[shard][run]), sizes[shard]))
                shards[chosen][run].append(samples[position])
                sizes[chosen] += 1
    return shards


def shard_dry_runs(dry_run: Sequence[EvalLog], count: int) -> dict[str, list[EvalLog]]:
    """The dry run of each shard, by `K/N`.

    Args:
        dry_run: The dry run of the whole experiment.
        count: Number of shards.
    """
    samples = assign_samples([[*(log.eval.dataset.sample_ids or [])] for log in dry_run], count)
    return {
        str(Shard(number, count)): [_with_samples(log, ids) for log, ids in zip(dry_run, runs, strict=True)]
        for number, runs in enumerate(samples, start=1)
    }


def restrict_to_shard(plan: ExperimentPlan, shard: Shard, dry_run: Sequence[EvalLog]) -> ExperimentPlan:
    """Restrict a plan to the samples of a shard and to its log directory. Runs without samples are left out.

    Args:
        plan: The plan of the whole experiment.
        shard: The shard.
        dry_run: The dry run of the shard.

    Raises:
        InvalidExperiment: An option does not work with shards.
    """
    where = plan.source.where
    if plan.arguments.get("sample_shuffle") is True:
        raise InvalidExperiment(
            f"{where(('options', 'sample_shuffle'))}: options.sample_shuffle must be a seed with --shard, such as 7, "
            "so that all shards have the same order."
        )
    if plan.arguments.get("bundle_dir") is not None:
        raise InvalidExperiment(
            f"{where(('options', 'bundle_dir'))}: options.bundle_dir cannot be used with --shard. Remove it, and run "
            "`inspect view bundle` at the end."
        )
    runs = [
        _restrict(run, {*log.eval.dataset.sample_ids})
        for run, log in zip(plan.runs, dry_run, strict=True)
        if log.eval.dataset.sample_ids
    ]
    log_dir = shard.log_dir(plan.experiment.log_dir)
    metadata = {**plan.arguments["metadata"], "shard": str(shard)}
    # Equal in all shards, so that a shard that was started twice is read once. Shards that are moved keep it.
    parent = plan.experiment.log_dir
    first = next((log.header.eval.eval_set_id for log in read_summaries(parent)), None)
    place = parent if urlparse(parent).scheme else str(Path(parent).resolve())
    eval_set_id = (
        plan.arguments.get("eval_set_id") or first or sha256(f"{place} {shard.count}".encode()).hexdigest()[:32]
    )
    # The options that select samples were already applied in the dry run.
    arguments = {**plan.arguments, "log_dir": log_dir, "metadata": metadata, "eval_set_id": eval_set_id} | {
        "limit": None,
        "sample_id": None,
    }
    experiment = plan.experiment.model_copy(update={"log_dir": log_dir})
    return replace(plan, experiment=experiment, runs=tuple(runs), arguments=arguments)


def _restrict(run: ExperimentRun, ids: set[int | str]) -> ExperimentRun:
    dataset = run.task.dataset
    for position, sample in enumerate(dataset, start=1):
        if sample.id is None:  # Inspect numbers such samples by their position in the whole dataset
            sample.id = position
    subset = dataset.filter(lambda sample: sample.id in ids)
    return replace(run, task=task_with(run.task, dataset=subset))


def _with_samples(log: EvalLog, ids: SampleIds) -> EvalLog:
    dataset = log.eval.dataset.model_copy(update={"sample_ids": ids, "samples": len(ids)})
    config = log.eval.config.model_copy(update={"limit": None, "sample_id": None})
    return log.model_copy(update={"eval": log.eval.model_copy(update={"dataset": dataset, "config": config})})
