"""Failures of the operating system, converted into an error of this package."""

import errno

import pytest

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError
from inspect_discoverybench.errors.file_failures import system_errors

TOO_LARGE = "A file may be too large or nested too deeply."


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space"), "No space. Check the path, its permissions and the free space."),
        (OSError("No [large] file"), "No [large] file. Check the path, its permissions and the free space."),
        (OSError("[SSL] No file"), "[SSL] No file. Check the path, its permissions and the free space."),
        (TimeoutError(), "TimeoutError. Check the path, its permissions and the free space."),
        (RecursionError("[data]"), f"[data]. {TOO_LARGE}"),
        (RecursionError("Maximum depth exceeded"), f"Maximum depth exceeded. {TOO_LARGE}"),
        (MemoryError(), f"Not enough memory. {TOO_LARGE}"),
    ],
)
def test_the_remedy_fits_the_failure(error: Exception, message: str) -> None:
    with pytest.raises(DiscoveryBenchError) as caught, system_errors():
        raise error
    assert caught.value.message == message
