"""Finds log files."""

import os
import posixpath
import shlex
from pathlib import Path

from inspect_ai.log import EvalLogInfo, list_eval_logs

from inspect_discoverybench.errors.exceptions import DataError, UnreadableLog
from inspect_discoverybench.errors.file_failures import require_regular_file
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.run_record import local_path


def remedy_of(path: str) -> str:
    """The remedy for a log that cannot be read.

    It is usually damaged: a run that is killed while it writes to a remote folder truncates it. But a log to which this
    user has no access may be complete, and must not be deleted.
    """
    if not _is_remote(path) and not os.access(path, os.R_OK):
        return "Check its path and permissions."
    return "Repair it with `inspect log recover`, or delete it to run its samples again."


def retry_command(log: str) -> str:
    """The command that runs the samples of a log again that ended with an error or are invalid.

    Inspect would write the new log to the folder `logs`. It must be beside the old one, where reports read it.
    """
    return shlex.join(["inspect", "eval-retry", log, "--log-dir", posixpath.dirname(log) or "."])


def logs_in(folder: str) -> list[EvalLogInfo]:
    """The logs in a folder and its subfolders. There are none if it does not exist.

    Raises:
        UnreadableLog: The folder cannot be read.
    """
    with inspect_errors(UnreadableLog, f"{folder} cannot be read", "Check the address and the credentials."):
        if _is_remote(folder) or Path(folder).is_dir():
            return list_eval_logs(folder)
    return []


def log_paths(path: str) -> list[str]:
    """The path of a log, or those of the logs in a folder.

    Raises:
        DataError: The path does not exist, is a pipe or a device, or the folder has no logs.
    """
    is_log = path.endswith((".eval", ".json"))
    if not _is_remote(path):
        if not Path(path).exists():
            raise DataError(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
        if is_log:
            require_regular_file(Path(path))
    if is_log:
        return [local_path(path)]

    logs = sorted(local_path(info.name) for info in logs_in(path))
    if not logs:
        raise DataError(f"The folder '{path}' has no Inspect logs. Pass a folder that was the --log-dir of a run.")
    return logs


def _is_remote(path: str) -> bool:
    return "://" in path
