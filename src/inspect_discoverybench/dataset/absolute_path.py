"""Paths that users give, made absolute: tasks record them, and a retry may run in another folder."""

import os
from contextlib import suppress
from pathlib import Path

from inspect_discoverybench.errors.file_failures import system_errors


@system_errors()
def absolute_path(path: Path) -> Path:
    """Make a path absolute, without `~`, `.` and `..`. Symbolic links are not resolved.

    Raises:
        DiscoveryBenchError: The path is too long, is a loop of links, or is in a folder that this user may not enter.
    """
    expanded = os.path.expanduser(path)  # noqa: PTH111 - Path.expanduser() raises RuntimeError
    result = Path(os.path.abspath(expanded))  # noqa: PTH100 - Path.resolve() would follow the links
    # `stat()` is called only for its errors, such as that of a path that is too long. From Python 3.14 on, `exists()`
    # raises none. The path of a file that does not exist is valid: a command may create the file, or reports that it is
    # missing. So the errors that say only this are suppressed. The ValueError is that of a path with a null byte, which
    # no file can have.
    with suppress(FileNotFoundError, NotADirectoryError, ValueError):
        result.stat()
    return result
