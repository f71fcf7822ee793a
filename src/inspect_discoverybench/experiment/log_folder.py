"""The log directory of an experiment: its lock, its space, and checks before a run is resumed."""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlparse

import click
from filelock import FileLock, Timeout
from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, DiskFull, InvalidExperiment
from inspect_discoverybench.errors.provider_failures import causes, inspect_errors
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.results.log_files import read_summaries, sample_keys


@contextmanager
def locked(log_dir: str) -> Iterator[None]:
    """Lock a log directory against other processes. The lock is released when the process ends, even if it is killed.

    The lock works across machines if their shared file system supports `flock`. If it does not, a warning is shown
    instead of using a lock file, because a dead process would leave that file behind and block every later run.

    The directory is created if it does not exist. Remote ones cannot be locked.

    Raises:
        InvalidExperiment: Another process is using the log directory.
    """
    if urlparse(log_dir).scheme:
        yield
        return
    Path(log_dir).mkdir(parents=True, exist_ok=True)
    lock = _lock(log_dir)
    try:
        lock.acquire(timeout=1)  # `is_locked` may hold it briefly
    except Timeout as error:
        raise InvalidExperiment(f"{log_dir} is in use by another run. Wait for it, or use another log_dir.") from error
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP):
            raise
        click.echo(f"The file system of {log_dir} does not support locks. Do not start a second run in it.", err=True)
    try:
        yield
    finally:
        lock.release()


def is_locked(log_dir: str) -> bool:
    """Whether a process is using a log directory. False if this cannot be determined."""
    lock = _lock(log_dir)
    try:
        if Path(lock.lock_file).exists():
            lock.acquire(timeout=0)
            lock.release()
    except OSError as error:
        return isinstance(error, Timeout)
    return False


def _lock(log_dir: str) -> FileLock:
    return FileLock(Path(log_dir) / ".discoverybench.lock", fallback_to_soft=False)


@contextmanager
def full_disk_errors() -> Iterator[None]:
    """Convert an error that was caused by a full disk to `DiskFull`."""
    try:
        yield
    except (OSError, DiscoveryBenchError) as error:
        *_, first = causes(error)
        require_space(str(first))
        raise


def require_space(message: str) -> None:
    """Check that an error message is not about a full disk, which Inspect raises, or only writes into the log.

    Raises:
        DiskFull: It is.
    """
    for reason in map(os.strerror, (errno.ENOSPC, errno.EDQUOT)):
        if reason in message:
            raise DiskFull(
                f"{reason}: a log could not be written. Samples that are in the logs are kept. Free some space in the "
                "log directory and in the folder for temporary files, then repeat the command."
            )


def check_no_samples_lost(plan: ExperimentPlan, dry_runs: Mapping[str, Sequence[EvalLog]], shard: str = "") -> int:
    """Check that an experiment continues the logs in its log directory, and that those of all shards belong together.

    `eval_set` drops finished samples that are no longer part of a run. A log of another shard must have samples of that
    shard only; otherwise the shards together would repeat some samples and leave out others.

    Args:
        plan: The whole experiment.
        dry_runs: The dry run of each of its shards by `K/N`, or its own dry run by an empty text.
        shard: The shard to run, as `K/N`.

    Returns:
        Number of finished samples of the run or shard in the log directory.

    Raises:
        InvalidExperiment: A log does not belong to any run, or finished samples are no longer part of a run.
    """
    log_dir, path = plan.experiment.log_dir, plan.source.path
    kept: set[str | None] = set()
    with inspect_errors(InvalidExperiment, str(path)):
        logs = list(read_summaries(log_dir))
    for log in logs:
        recorded = (log.header.eval.metadata or {}).get("shard", "")
        if recorded not in dry_runs:
            found = f"shard {recorded}" if recorded else "a run without shards"
            raise InvalidExperiment(
                f"{log_dir} has logs of {found}. Divide the experiment in the same way, or use another log_dir."
            )
        name = f"{Path(log.path).name} in {log_dir}"
        successor = next((run for run in dry_runs[recorded] if task_identifier(run, None) == log.run), None)
        if successor is None:
            if plan.arguments.get("log_dir_allow_dirty"):
                continue
            raise InvalidExperiment(
                f"{path}: {name} does not belong to this experiment in its current form. "
                "Undo the change, or use another log_dir."
            )
        samples = sample_keys(log.header)
        if recorded == shard:
            samples = {(str(sample.id), sample.epoch) for sample in log.finished}
            kept |= {sample.uuid for sample in log.finished}
        # Inspect does not reuse samples of a larger dataset or of a different random selection.
        before, after = log.header.eval, successor.eval
        reshuffled = after.config.limit is not None and before.config.sample_shuffle != after.config.sample_shuffle
        is_larger = (before.dataset.samples or 0) > (after.dataset.samples or 0)
        if lost := len(samples if reshuffled or is_larger else samples - sample_keys(successor)):
            raise InvalidExperiment(
                f"{path}: {lost} samples of {name} would be dropped, because epochs, limits.samples, "
                "options.sample_id or sample_shuffle, or the data changed. Undo the change, or use another log_dir."
            )
    return len(kept)
