"""Failures of the operating system, converted into an error of this package."""

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError


@contextmanager
def file_errors() -> Iterator[None]:
    """Convert errors of the operating system, and a lack of memory or of stack, into `DiscoveryBenchError`."""
    try:
        yield
    except BrokenPipeError:  # the reader of our output has stopped, as `head` does: click ends the command
        raise
    except (OSError, RecursionError, MemoryError) as error:
        text_without_number = str(error).partition("] ")[2]
        reason = text_without_number or str(error) or "Not enough memory"
        raise DiscoveryBenchError(f"{reason}. Check the path, its permissions and the free space.") from error
