"""Paths that users give, made absolute: tasks record them, and a retry may run in another folder."""

import os
from pathlib import Path

from inspect_discoverybench.errors.file_failures import file_errors


@file_errors()
def absolute_path(path: Path) -> Path:
    """Make a path absolute, without `~`, `.` and `..`. Symbolic links are not resolved.

    Raises:
        DiscoveryBenchError: The path is too long.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser() raises RuntimeError
    result = Path(os.path.abspath(expanded))  # noqa: PTH100 - Path.resolve() would follow the links
    result.exists()  # raises OSError for a path that is too long
    return result
