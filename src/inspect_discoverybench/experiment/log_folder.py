"""The log directory of an experiment: lock, checks before a run is resumed, and cleanup."""

import errno
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from urllib.parse import unquote, urlparse

import click
from filelock import FileLock, Timeout
from inspect_ai import task_identifier
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    write_log_dir_manifest,
)

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.run import ExperimentPlan, prepare
from inspect_discoverybench.experiment.source import load

_LOCK = ".discoverybench.lock"
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


def has_logs(log_dir: str) -> bool:
    """Whether the log directory has logs to resume."""
    return bool(logs_in(log_dir))


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


def rehearse_apart(path: Path, changes: tuple[str, ...], price_file: Path | None) -> list[EvalLog]:
    """Rehearse an experiment in a separate process: see `rehearse`.

    Inspect keeps the display of the first `eval` in a process, and a rehearsal has no display.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(rehearse, path, changes, price_file).result()


def rehearse(path: Path, changes: tuple[str, ...], price_file: Path | None) -> list[EvalLog]:
    """Rehearse an experiment: one log per run, without samples.

    Raises:
        InvalidExperiment: Inspect rejects the experiment.
    """
    logs = prepare(*load(path, changes), price_file).rehearse()
    # A rehearsal has no samples, but Inspect would try to read them from its folder, which no longer exists.
    return [log.model_copy(update={"samples": None, "reductions": None}) for log in logs]


def refuse_losses(plan: ExperimentPlan, rehearsal: Iterable[EvalLog]) -> int:
    """Check that an experiment continues the logs in its log directory.

    `eval_set` drops finished samples that are no longer part of a run: after a change to fewer epochs, fewer samples,
    other sample ids or a smaller dataset.

    Args:
        plan: The experiment.
        rehearsal: Its rehearsal.

    Returns:
        Number of finished samples in the log directory.

    Raises:
        InvalidExperiment: A log does not belong to any run, or finished samples are no longer part of a run.
    """
    log_dir, path = plan.experiment.log_dir, plan.source.path
    planned = {task_identifier(log, None): log for log in rehearsal}
    kept: set[str | None] = set()
    for info in logs_in(log_dir):
        name = Path(unquote(urlparse(info.name).path)).name
        # A run that is killed while it writes leaves a truncated log.
        remedy = "Repair it with `inspect log recover`, or delete it to run its samples again."
        with inspect_errors(InvalidExperiment, f"{path}: {name} in {log_dir} cannot be read", remedy):
            header = read_eval_log(info, header_only=True)
        successor = planned.get(task_identifier(header, None))
        if successor is None:
            if plan.arguments.get("log_dir_allow_dirty"):
                continue
            raise InvalidExperiment(
                f"{path}: {name} in {log_dir} does not belong to this experiment in its current form. "
                "Undo the change, or use another log_dir."
            )
        samples = _finished(info)
        kept |= {sample.uuid for sample in samples}
        finished = {(sample.id, sample.epoch) for sample in samples}
        lost = len(finished - _selected(successor)) if _is_resumable(header, successor) else len(finished)
        if lost:
            change = _change(header, successor)
            raise InvalidExperiment(
                f"{path}: {lost} finished samples of {name} in {log_dir} would be dropped: {change}. "
                "Undo the change, or use another log_dir."
            )
    return len(kept)


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
    complete = {log.eval.task_id: log for log in logs if log.status == "success"}
    results = {_local(log.location) for log in logs}
    remaining = []
    for info in logs_in(log_dir):
        if _local(info.name) in results or info.task_id not in complete or not _is_killed_attempt(info, log_dir):
            continue
        path = Path(_local(info.name))
        successor = read_eval_log_sample_summaries(complete[info.task_id].location)
        if not keep and path.is_file() and {s.uuid for s in _finished(info)} <= {s.uuid for s in successor}:
            path.unlink()
        else:
            remaining.append(_local(info.name))
    write_log_dir_manifest(log_dir)
    return remaining


def _is_killed_attempt(info: EvalLogInfo, log_dir: str) -> bool:
    header = read_eval_log(info, header_only=True)
    in_folder = bool(urlparse(log_dir).scheme) or Path(_local(info.name)).parent.samefile(log_dir)
    return header.status == "started" and info.suffix is None and in_folder


def logs_in(log_dir: str) -> list[EvalLogInfo]:
    """The logs in a log directory and its subfolders. There are none if it does not exist."""
    return list_eval_logs(log_dir) if urlparse(log_dir).scheme or Path(log_dir).is_dir() else []


def _finished(info: EvalLogInfo) -> list[EvalSampleSummary]:
    return [sample for sample in read_eval_log_sample_summaries(info) if sample.completed and sample.error is None]


def _local(location: str) -> str:
    """The path of a local log, or the URL of a remote one."""
    parts = urlparse(location)
    return unquote(parts.path) if parts.scheme == "file" else location


def _selected(log: EvalLog) -> set[tuple[int | str, int]]:
    epochs = range(1, (log.eval.config.epochs or 1) + 1)
    return set(product(log.eval.dataset.sample_ids or [], epochs))


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
    return ", ".join(changes) or "the data have different samples"
