"""The state of the shards of an experiment, read from their logs and locks."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, read_eval_log, read_eval_log_sample_summaries

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.log_folder import is_locked, logs_in
from inspect_discoverybench.experiment.outcome import is_scored
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.experiment.shard import Shard, deal, sample_ids
from inspect_discoverybench.experiment.shard_record import read_record

SampleKey = tuple[str, str, int]
"""Identifier of the run, sample id and epoch."""


class Progress(StrEnum):
    """What a shard is doing."""

    FINISHED = "finished"
    """Its runs are complete."""

    RUNNING = "running"
    """A process is running it."""

    MISSING = "missing"
    """It is not complete, and no process is running it."""


@dataclass(frozen=True)
class ShardState:
    """The state of a shard. Samples are counted once for each run and epoch.

    Attributes:
        shard: The shard.
        progress: What it is doing.
        samples: Number of its samples.
        finished: Number of samples that ended without an error.
        missing: Number of samples that have not ended.
        errors: Number of samples that ended with an error.
        unscored: Number of finished samples that the judge failed to score.
    """

    shard: Shard
    progress: Progress
    samples: int
    finished: int
    missing: int
    errors: int
    unscored: int


def shard_states(plan: ExperimentPlan, rehearsal: Sequence[EvalLog], count: int) -> list[ShardState]:
    """Read the state of every shard.

    Args:
        plan: The experiment.
        rehearsal: Its rehearsal.
        count: Number of shards.

    Raises:
        InvalidExperiment: The log directory belongs to a run with other shards, runs or data, or a log is damaged.
    """
    read_record(plan, count)
    runs = [task_identifier(log, None) for log in rehearsal]
    epochs = [range(1, (log.eval.config.epochs or 1) + 1) for log in rehearsal]
    states = []
    for number, samples in enumerate(deal(sample_ids(rehearsal), count), start=1):
        planned = {
            (run, str(sample), epoch)
            for run, ids, all_epochs in zip(runs, samples, epochs, strict=True)
            for sample in ids
            for epoch in all_epochs
        }
        states.append(_state(Shard(number, count), plan.experiment.log_dir, planned))
    return states


def _state(shard: Shard, parent: str, planned: set[SampleKey]) -> ShardState:
    log_dir = shard.log_dir(parent)
    # Check the lock before reading the logs: a shard that ends in between counts as running, not as missing.
    is_running = is_locked(log_dir)
    finished: set[SampleKey] = set()
    complete: set[SampleKey] = set()
    failed: set[SampleKey] = set()
    scored: set[SampleKey] = set()
    for info in logs_in(log_dir):
        with inspect_errors(InvalidExperiment, f"{Path(info.name).name} in {log_dir} cannot be read"):
            header = read_eval_log(info, header_only=True)
            ended = [sample for sample in read_eval_log_sample_summaries(info) if sample.completed]
        run = task_identifier(header, None)
        is_complete = header.status == "success" and not header.invalidated
        for sample in ended:
            key = (run, str(sample.id), sample.epoch)
            (failed if sample.error else finished).add(key)
            if is_complete:
                complete.add(key)
            if not header.eval.scorers or is_scored(sample):
                scored.add(key)
    finished &= planned
    failed = failed & planned - finished
    progress = Progress.RUNNING if is_running else Progress.FINISHED if planned <= complete else Progress.MISSING
    return ShardState(
        shard=shard,
        progress=progress,
        samples=len(planned),
        finished=len(finished),
        missing=len(planned - finished - failed),
        errors=len(failed),
        unscored=len(finished - scored),
    )
