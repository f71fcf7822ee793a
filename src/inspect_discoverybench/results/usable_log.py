"""Reads logs that can be used, and says why others cannot."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log

from inspect_discoverybench.errors.exceptions import DataMissing, UnreadableLog
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.columns import EXCLUDED_FIELDS
from inspect_discoverybench.results.log_files import REPAIR, Paths, log_paths
from inspect_discoverybench.results.result import Result, results_of
from inspect_discoverybench.results.run_record import has_results

MIN_PARALLEL = 8
"""Number of logs from which they are read in several processes, whose start takes seconds."""


@dataclass(frozen=True)
class ReadLog:
    """A log, and why it cannot be used if it has no results.

    Attributes:
        path: Path or URL.
        task_id: Inspect's id of the run, which retries keep; empty if it cannot be read.
        modified: When a local file was last changed, in seconds since 1970.
        results: Its results.
        objection: Why it cannot be used; empty if it can.
    """

    path: str
    task_id: str = ""
    modified: float = 0.0
    results: Sequence[Result] = ()
    objection: str = ""


def read_usable(paths: Paths, workers: int, any_task: bool) -> tuple[list[ReadLog], dict[str, str]]:
    """Read all logs in files and folders.

    Args:
        paths: Logs and folders.
        workers: Number of processes.
        any_task: Whether to use logs of tasks that are not of this package.

    Returns:
        The usable logs, and why others cannot be used, by path.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    logs = _read_all(_distinct(paths), workers, any_task)
    if not logs:
        raise DataMissing("There is no log to read. Pass logs or folders of logs.")
    usable = [log for log in logs if log.results]
    if not usable:
        reason = f"{logs[0].path}: {logs[0].objection}"
        raise DataMissing(f"None of {len(logs)} logs can be used. {reason}.")

    # A retry writes a new log of the same run.
    successors = {log.task_id: log.path for log in usable}
    left_out = {}
    for log in logs:
        if log.objection:
            successor = successors.get(log.task_id)
            left_out[log.path] = f"superseded by {successor}" if successor else log.objection
    return usable, left_out


def _distinct(paths: Paths) -> list[str]:
    """The logs in files and folders, each once."""
    if isinstance(paths, str | Path):
        paths = [paths]
    logs: list[str] = []
    for path in paths:
        logs += log_paths(str(path))
    return list(dict.fromkeys(logs))


def _read_all(paths: Sequence[str], workers: int, any_task: bool) -> list[ReadLog]:
    read = partial(_read, any_task)
    if workers == 1 or len(paths) < MIN_PARALLEL:
        return list(map(read, paths))
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(read, paths))


def _read(any_task: bool, path: str) -> ReadLog:
    try:
        with inspect_errors(UnreadableLog, "cannot be read", REPAIR):
            header = read_eval_log(path, header_only=True)
            task_id = header.eval.task_id
            objection = _objection_to(header, any_task)
            if objection:
                return ReadLog(path, task_id, objection=objection)
            file = Path(path)
            modified = file.stat().st_mtime if file.exists() else 0.0
            log = read_eval_log(path, exclude_fields=EXCLUDED_FIELDS)
        with inspect_errors(UnreadableLog, "cannot be used"):
            results = results_of(log, any_task)
    except UnreadableLog as error:
        return ReadLog(path, objection=error.message.rstrip("."))

    if not results:
        objection = "has no numeric score" if log.samples else "has no samples"
    return ReadLog(path, task_id, modified, results, objection)


def _objection_to(header: EvalLog, any_task: bool) -> str:
    """Why a log cannot be used, from its header; empty if it can."""
    if not any_task and not has_results(header):
        return f"has no DiscoveryBench results: its task is {header.eval.task}"
    if header.status != "success":
        states = {"started": "has not finished", "error": "ended with an error"}
        return f"{states.get(header.status, 'was cancelled')}; complete it with `inspect eval-retry`"
    return "was invalidated" if header.invalidated else ""
