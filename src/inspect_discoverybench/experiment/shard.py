"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

from inspect_ai import task_with
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.experiment.run import ExperimentPlan, ExperimentRun

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


def deal(runs: Sequence[SampleIds], count: int) -> list[list[SampleIds]]:
    """Divide the samples of all runs among shards.

    The first sample of every run is dealt, then the second, and so on. Each goes to a shard with the fewest samples of
    its run, and among them to one with the fewest samples. Two shards therefore differ by at most one sample of each
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


def sample_ids(rehearsal: Sequence[EvalLog]) -> list[SampleIds]:
    """Ids of the samples of each run."""
    return [[*(log.eval.dataset.sample_ids or [])] for log in rehearsal]


def part(
    plan: ExperimentPlan, rehearsal: Sequence[EvalLog], samples: Sequence[SampleIds]
) -> tuple[ExperimentPlan, list[EvalLog]]:
    """Restrict a plan to the samples of a shard. Runs without samples are left out.

    Args:
        plan: The plan of the whole experiment.
        rehearsal: Its rehearsal.
        samples: The shard's sample ids of each run.

    Returns:
        The plan and the rehearsal of the shard.
    """
    chosen = [
        (_restrict(run, ids), _restrict_log(log, ids))
        for run, log, ids in zip(plan.runs, rehearsal, samples, strict=True)
        if ids
    ]
    # These options were already applied when the samples were dealt.
    arguments: dict[str, Any] = {**plan.arguments, "limit": None, "sample_id": None}
    return replace(plan, runs=tuple(run for run, _ in chosen), arguments=arguments), [log for _, log in chosen]


def _restrict(run: ExperimentRun, ids: SampleIds) -> ExperimentRun:
    dataset = run.task.dataset
    for position, sample in enumerate(dataset, start=1):
        if sample.id is None:  # Inspect numbers such samples by their position in the whole dataset
            sample.id = position
    chosen = set(ids)
    subset = dataset.filter(lambda sample: sample.id in chosen)
    return replace(run, task=task_with(run.task, dataset=subset))


def _restrict_log(log: EvalLog, ids: SampleIds) -> EvalLog:
    dataset = log.eval.dataset.model_copy(update={"sample_ids": ids, "samples": len(ids)})
    config = log.eval.config.model_copy(update={"limit": None, "sample_id": None})
    return log.model_copy(update={"eval": log.eval.model_copy(update={"dataset": dataset, "config": config})})
