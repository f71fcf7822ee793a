"""The state of each shard of an experiment, read from its logs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.results.log_files import is_scored, read_summaries, sample_keys

SampleKey = tuple[str, str, int]
"""Run, sample id and epoch."""


@dataclass(frozen=True)
class ShardStatus:
    """The state of a shard, and its samples by how they ended, in all epochs.

    Attributes:
        shard: The shard, as `K/N`.
        state: `finished` if all runs are complete, `running` if a process uses the log directory, else `missing`.
        samples: Number of samples, which have finished, are missing, or have ended with an error.
        unscored: Finished samples that the judge failed to score.
    """

    shard: str
    state: Literal["finished", "running", "missing"]
    samples: int
    finished: int
    missing: int
    errors: int
    unscored: int

    @property
    def is_settled(self) -> bool:
        """Whether nothing remains to be done."""
        return self.state == "finished" and not self.errors and not self.unscored


def shard_status(shard: str, log_dir: str, dry_run: Sequence[EvalLog]) -> ShardStatus:
    """Read the state of a shard from its log directory and its dry run.

    Raises:
        UnreadableLog: A log is damaged.
    """
    # Before the logs are read: a shard that ends in between counts as running, not as missing.
    is_running = is_locked(log_dir)

    planned: set[SampleKey] = set()
    for log in dry_run:
        planned.update((task_identifier(log, None), *key) for key in sample_keys(log))

    ended: set[SampleKey] = set()
    finished: set[SampleKey] = set()
    scored: set[SampleKey] = set()
    complete: set[SampleKey] = set()
    for summary in read_summaries(log_dir):
        for sample in summary.samples:
            if not sample.completed:
                continue
            key = (summary.run, str(sample.id), sample.epoch)
            ended.add(key)
            if not sample.error:
                finished.add(key)
            if is_scored(sample) or not summary.header.eval.scorers:
                scored.add(key)
            if summary.is_complete:
                complete.add(key)

    state: Literal["finished", "running", "missing"] = "finished" if planned <= complete else "missing"
    return ShardStatus(
        shard=shard,
        state="running" if is_running else state,
        samples=len(planned),
        finished=len(planned & finished),
        missing=len(planned - ended),
        errors=len(planned & ended - finished),
        unscored=len(planned & finished - scored),
    )
