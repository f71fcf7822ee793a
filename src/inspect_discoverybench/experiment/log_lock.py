"""The lock of a log directory."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlparse

import click
from filelock import FileLock, Timeout

from inspect_discoverybench.errors import InvalidExperiment

_LOCK = ".discoverybench.lock"
_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP}


@contextmanager
def locked(log_dir: str) -> Iterator[None]:
    """Lock a log directory against other processes. The lock is released when the process ends, even if it is killed.

    The lock works across machines if their shared file system supports `flock`. If the file system does not support
    locks, a warning is shown instead of using a lock file, because a dead process would leave that file behind and
    block every later run.

    Args:
        log_dir: The log directory. It is created if it does not exist. Remote ones cannot be locked.

    Raises:
        InvalidExperiment: Another process is using the log directory.
    """
    if urlparse(log_dir).scheme:
        yield
        return
    Path(log_dir).mkdir(parents=True, exist_ok=True)
    try:
        lock = _acquired(log_dir, seconds=1)  # `is_locked` may hold it briefly
    except Timeout as error:
        raise InvalidExperiment(f"{log_dir} is in use by another run. Wait for it, or use another log_dir.") from error
    if lock is None:
        click.echo(f"The file system of {log_dir} does not support locks. Do not start a second run in it.", err=True)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def is_locked(log_dir: str) -> bool:
    """Whether a process is using a log directory. False if this cannot be determined."""
    if urlparse(log_dir).scheme or not (Path(log_dir) / _LOCK).exists():
        return False
    try:
        lock = _acquired(log_dir, seconds=0)
    except Timeout:
        return True
    if lock is not None:
        lock.release()
    return False


def _acquired(log_dir: str, seconds: float) -> FileLock | None:
    """The acquired lock; None if the file system does not support locks."""
    lock = FileLock(Path(log_dir) / _LOCK, fallback_to_soft=False)
    try:
        lock.acquire(timeout=seconds)
    except OSError as error:  # a timeout has no number
        if error.errno not in _NO_LOCKS:
            raise
        return None
    return lock
