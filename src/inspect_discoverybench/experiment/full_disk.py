"""A full disk, which Inspect reports in two ways: it raises an error, or writes it into the log."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_discoverybench.errors import DiscoveryBenchError, DiskFull, first_cause


@contextmanager
def full_disk_errors() -> Iterator[None]:
    """Convert an error that was caused by a full disk to `DiskFull`."""
    try:
        yield
    except (OSError, DiscoveryBenchError) as error:
        require_space(str(first_cause(error)))
        raise


def require_space(message: str) -> None:
    """Check that an error message is not about a full disk.

    Raises:
        DiskFull: It is.
    """
    for reason in map(os.strerror, (errno.ENOSPC, errno.EDQUOT)):
        if reason in message:
            raise DiskFull(
                f"{reason}: a log could not be written. Samples that are in the logs are kept. Free some space in the "
                "log directory and in the folder for temporary files, then repeat the command."
            )
