"""The lock of a log directory, which only one process may use at a time."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlparse

import click
from filelock import FileLock, Timeout

from inspect_discoverybench.errors.exceptions import InvalidExperiment


@contextmanager
def locked(log_dir: str) -> Iterator[None]:
    """Lock a log directory against other processes. The lock is released when the process ends, even if it is killed.

    The lock works across machines if their shared file system supports `flock`. If it does not, a warning is shown, and
    the directory is used without a lock. A remote directory is always used without a lock. A local directory is created
    if it does not exist.

    Raises:
        InvalidExperiment: Another process is using the log directory.
    """
    if urlparse(log_dir).scheme:
        yield
        return

    Path(log_dir).mkdir(parents=True, exist_ok=True)
    lock = _lock(log_dir)
    try:
        lock.acquire(timeout=1)  # `is_locked` of another process may hold it briefly
    except Timeout as error:
        raise _in_use(log_dir) from error
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
        if Path(lock.lock_file).exists():  # `acquire` would create it
            lock.acquire(timeout=0)
            lock.release()
    except Timeout:
        return True
    except OSError:
        return False
    return False


def require_unlocked(log_dir: str) -> None:
    """Check, without creating anything, that no other process is using a log directory.

    Raises:
        InvalidExperiment: Another process is using it.
    """
    if is_locked(log_dir):
        raise _in_use(log_dir)


def _in_use(log_dir: str) -> InvalidExperiment:
    return InvalidExperiment(f"{log_dir} is in use by another run. Wait for it, or use another log_dir.")


def _lock(log_dir: str) -> FileLock:
    # By default, filelock uses a soft lock where `flock` is missing: the directory is locked while the file exists. A
    # process that is killed would leave the file behind, and every later run would be refused.
    return FileLock(Path(log_dir) / ".discoverybench.lock", fallback_to_soft=False)
