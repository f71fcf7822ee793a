"""The log directory of an experiment: lock, checks before a run is resumed, and cleanup."""

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from urllib.parse import urlparse

import click
from filelock import FileLock, Timeout
from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, list_eval_logs, write_log_dir_manifest

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.results.log_files import LogSummary, local_path, logs_in, read_summaries

_LOCK = ".discoverybench.lock"
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@contextmanager
def locked(log_dir: str, seconds: float = 1) -> Iterator[None]:
    """Lock a log directory against other processes. The lock is released when the process ends, even if it is killed.

    The lock works across machines if their shared file system supports `flock`. If the file system does not support
    locks, a warning is shown instead of using a lock file, because a dead process would leave that file behind and
    block every later run.

    Args:
        log_dir: The log directory. It is created if it does not exist. Remote ones cannot be locked.
        seconds: How long to wait for the lock, which `is_locked` may hold briefly.

    Raises:
        InvalidExperiment: Another process is using the log directory.
    """
    if urlparse(log_dir).scheme:
        yield
        return
    Path(log_dir).mkdir(parents=True, exist_ok=True)
    lock = FileLock(Path(log_dir) / _LOCK, fallback_to_soft=False)
    try:
        lock.acquire(timeout=seconds)
    except Timeout as error:
        raise InvalidExperiment(f"{log_dir} is in use by another run. Wait for it, or use another log_dir.") from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        click.echo(f"The file system of {log_dir} does not support locks. Do not start a second run in it.", err=True)
    try:
        yield
    finally:
        lock.release()


def has_logs(log_dir: str) -> bool:
    """Whether the log directory has logs to resume."""
    return bool(logs_in(log_dir))


def is_locked(log_dir: str) -> bool:
    """Whether a process is using a log directory. False if this cannot be determined."""
    path = Path(log_dir) / _LOCK
    if urlparse(log_dir).scheme or not path.exists():
        return False
    try:
        with FileLock(path, fallback_to_soft=False).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False


def check_no_samples_lost(plan: ExperimentPlan, dry_runs: Mapping[str, Sequence[EvalLog]], shard: str = "") -> int:
    """Check that an experiment continues the logs in its log directory, and that those of all shards belong together.

    `eval_set` drops finished samples that are no longer part of a run: after a change to fewer epochs, fewer samples,
    other sample ids or a smaller dataset. A log of another shard must have samples of that shard only; otherwise the
    shards together would repeat some samples and leave out others.

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
    finished: set[str | None] = set()
    # A run that is killed while it writes to a remote folder leaves a truncated log.
    remedy = "Repair it with `inspect log recover`, or delete it to run its samples again."
    with inspect_errors(InvalidExperiment, str(path), remedy):
        logs = list(read_summaries(log_dir))
    for log in logs:
        recorded = (log.header.eval.metadata or {}).get("shard", "")
        _check_shards(log_dir, recorded, dry_runs)
        name = Path(log.path).name
        successor = next((run for run in dry_runs[recorded] if task_identifier(run, None) == log.run), None)
        if successor is None:
            if plan.arguments.get("log_dir_allow_dirty"):
                continue
            raise InvalidExperiment(
                f"{path}: {name} in {log_dir} does not belong to this experiment in its current form. "
                "Undo the change, or use another log_dir."
            )
        is_own = recorded == shard
        finished |= {sample.uuid for sample in log.finished} if is_own else set()
        samples = {(str(s.id), s.epoch) for s in log.finished} if is_own else sample_keys(log.header)
        lost = len(samples - sample_keys(successor)) if _is_resumable(log.header, successor) else len(samples)
        if lost:
            raise InvalidExperiment(
                f"{path}: {lost} {'finished ' if is_own else ''}samples of {name} in {log_dir} would be dropped: "
                f"{_change(log.header, successor)}. Undo the change, or use another log_dir."
            )
    return len(finished)


def _check_shards(log_dir: str, recorded: str, dry_runs: Iterable[str]) -> None:
    """Check that a log is of a run in as many shards."""
    if recorded in dry_runs:
        return
    if not recorded:
        raise InvalidExperiment(f"{log_dir} has logs of a run without shards. Omit --shard, or use another log_dir.")
    count, planned = recorded.rpartition("/")[2], [*dry_runs]
    remedy = (
        f". Add --shard K/{count}, or use another log_dir."
        if planned == [""]
        else f", got {len(planned)}. Use the same number, or another log_dir."
    )
    raise InvalidExperiment(f"{log_dir} belongs to a run in {count} shards{remedy}")


def remove_leftovers(logs: Iterable[EvalLog], log_dir: str, *, keep: bool = False) -> list[str]:
    """Remove logs of killed attempts. `eval_set` keeps them because they might still be in use.

    Call this while the log directory is locked. A log is removed only if its run never ended and the complete log of
    the same run contains all of its finished samples. Copies, scored copies and logs in subfolders are never touched.

    Args:
        logs: The logs that `eval_set` returned.
        log_dir: The log directory.
        keep: Remove nothing, as with `retry_cleanup: false`.

    Returns:
        Paths of logs of killed attempts that were not removed.
    """
    complete = {log.eval.task_id: local_path(log.location) for log in logs if log.status == "success"}
    remaining = []
    for info in list_eval_logs(log_dir, recursive=False):
        path = Path(local_path(info.name))
        if info.task_id not in complete or info.suffix is not None:
            continue
        log = LogSummary.read(info.name)
        if log.header.status != "started":
            continue
        successor = LogSummary.read(complete[info.task_id])
        if not keep and path.is_file() and {s.uuid for s in log.finished} <= {s.uuid for s in successor.samples}:
            path.unlink()
        else:
            remaining.append(log.path)
    write_log_dir_manifest(log_dir)
    return remaining


def sample_keys(log: EvalLog) -> set[tuple[str, int]]:
    """Sample id and epoch of all samples that a run has in the end."""
    return set(product(map(str, log.eval.dataset.sample_ids or []), range(1, (log.eval.config.epochs or 1) + 1)))


def _is_resumable(header: EvalLog, successor: EvalLog) -> bool:
    """Inspect does not reuse samples of a larger dataset or of a different random selection."""
    before, after = header.eval, successor.eval
    reshuffled = after.config.limit is not None and before.config.sample_shuffle != after.config.sample_shuffle
    return not reshuffled and (before.dataset.samples or 0) <= (after.dataset.samples or 0)


def _change(header: EvalLog, successor: EvalLog) -> str:
    before, after = header.eval.config, successor.eval.config
    values = (
        ("epochs", before.epochs, after.epochs),
        ("limits.samples", before.limit, after.limit),
        ("sample_id", before.sample_id, after.sample_id),
        ("sample_shuffle", before.sample_shuffle, after.sample_shuffle),
        ("the number of samples in the data", header.eval.dataset.samples, successor.eval.dataset.samples),
    )
    changes = [
        f"{name} was {old or 'not set'} and is now {new or 'not set'}" for name, old, new in values if old != new
    ]
    return ", ".join(changes) or "the selected samples are different"
