"""Failures of the operating system, converted into an error of this package."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError, DiscoveryBenchError


def read_file(path: Path) -> bytes:
    """Read a file that a user named: data, metadata, answer keys, experiments, votes and labels.

    Raises:
        DataError: The file cannot be read, or is a folder, a pipe or a device.
    """
    require_regular_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error


def require_regular_file(path: Path) -> None:
    """Refuse a path that exists but is no regular file, because reading a pipe or a device may never end.

    Raises:
        DataError: The path is a folder, a pipe or a device.
    """
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is not a file. Check the path.")


@contextmanager
def system_errors() -> Iterator[None]:
    """Convert errors of the operating system, and a lack of memory or of stack, into `DiscoveryBenchError`."""
    try:
        yield
    except BrokenPipeError:  # the reader of our output has stopped, as `head` does: click ends the command
        raise
    except (OSError, RecursionError, MemoryError) as error:
        text = str(error)
        if not text:  # a `MemoryError` or a `TimeoutError`, for example
            text = "Not enough memory" if isinstance(error, MemoryError) else type(error).__name__
        # Errors of the operating system begin with a number: "[Errno 28] No space left on device". It is removed if a
        # text follows it.
        reason = re.sub(r"^\[Errno -?\d+\] (?=.)", "", text)
        remedy = "Check the path, its permissions and the free space."
        if not isinstance(error, OSError):
            remedy = "A file may be too large or nested too deeply."
        raise DiscoveryBenchError(f"{reason}. {remedy}") from error
