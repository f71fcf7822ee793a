"""A full disk, which Inspect reports in several ways: it raises an error, or only writes it into the log."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from inspect_ai.log import EvalLog

from inspect_discoverybench.errors import DiscoveryBenchError, DiskFull, first_cause

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def full_disk_errors(log_dir: str) -> Iterator[None]:
    """Convert an error that was caused by a full disk.

    Raises:
        DiskFull: There was no space left to write a file.
    """
    try:
        yield
    except (OSError, DiscoveryBenchError) as error:
        cause = first_cause(error)
        if isinstance(cause, OSError) and cause.errno in _FULL:
            raise _disk_full(log_dir, cause.errno) from error
        raise


def require_space(logs: Iterable[EvalLog], log_dir: str) -> None:
    """Check that no run ended because of a full disk. Its log may be missing.

    Raises:
        DiskFull: A run ended because of a full disk.
    """
    for log in logs:
        for number in _FULL:
            if log.error and os.strerror(number) in log.error.message:
                raise _disk_full(log_dir, number)


def _disk_full(log_dir: str, number: int) -> DiskFull:
    # Inspect also writes to the temporary folder, and does not say which of the two is full.
    folders = dict.fromkeys(folder for folder in (log_dir, tempfile.gettempdir()) if Path(folder).is_dir())
    free = ", ".join(f"{shutil.disk_usage(folder).free / 1e6:,.1f} MB in {folder}" for folder in folders)
    return DiskFull(
        f"{os.strerror(number)}: a log could not be written ({free} left). Samples that are in the logs are kept. "
        "Free some space, then repeat the command."
    )
