"""The state of the shards of an experiment, read from their logs and locks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.log_files import is_scored, read_summaries, sample_keys


@dataclass(frozen=True)
class ShardStatus:
    """The state of a shard. Samples are counted once for each run and epoch.

    Attributes:
        shard: The shard, as `K/N`.
        state: `finished` if its runs are complete, `running` if a process holds its lock, otherwise `missing`.
        samples: Number of its samples.
        finished: Number of samples that ended without an error.
        missing: Number of samples that have not ended.
        errors: Number of samples that ended with an error.
        unscored: Number of finished samples that the judge failed to score.
    """

    shard: str
    state: str
    samples: int
    finished: int
    missing: int
    errors: int
    unscored: int

    @property
    def is_complete(self) -> bool:
        """Whether the shard is finished, and every sample has a score."""
        return self.state == "finished" and not self.errors and not self.unscored


def shard_statuses(log_dir: str, dry_runs: Mapping[str, Sequence[EvalLog]]) -> list[ShardStatus]:
    """Read the state of every shard.

    Args:
        log_dir: Log directory of the experiment.
        dry_runs: The dry run of each shard.

    Raises:
        UnreadableLog: A log is damaged.
    """
    return [_status(shard, Shard.parse(shard).log_dir(log_dir), dry_run) for shard, dry_run in dry_runs.items()]


def _status(shard: str, log_dir: str, dry_run: Sequence[EvalLog]) -> ShardStatus:
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
