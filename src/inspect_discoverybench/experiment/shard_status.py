"""The state of each shard of an experiment, read from its logs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.results.log_files import read_summaries, sample_keys


@dataclass(frozen=True)
class ShardStatus:
    """The state of a shard.

    Attributes:
        name: `finished` if all samples are, `running` if a process uses the log directory, else `missing`.
        samples: Number of samples, in all epochs.
        finished: Number of samples that ended without an error.
    """

    name: Literal["finished", "running", "missing"]
    samples: int
    finished: int


def shard_status(log_dir: str, dry_run: Sequence[EvalLog]) -> ShardStatus:
    """Read the state of a shard from its log directory and its dry run.

    Raises:
        UnreadableLog: A log is damaged.
    """
    # Before the logs are read: a shard that ends in between counts as running, not as missing.
    is_running = is_locked(log_dir)

    missing: set[tuple[str, str, int]] = set()
    for log in dry_run:
        run = task_identifier(log, None)
        missing.update((run, *sample) for sample in sample_keys(log))
    samples = len(missing)
    for summary in read_summaries(log_dir):
        for sample in summary.finished:
            key = (summary.run, str(sample.id), sample.epoch)
            missing.discard(key)

    finished = samples - len(missing)
    if is_running:
        return ShardStatus("running", samples, finished)
    if missing:
        return ShardStatus("missing", samples, finished)
    return ShardStatus("finished", samples, finished)
