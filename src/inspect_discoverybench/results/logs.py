"""Finds and reads log files. A log that cannot be used is left out with the reason; no exception is raised."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_discoverybench.errors import DataMissing, UnreadableLog, inspect_errors
from inspect_discoverybench.results.columns import EXCLUDED_FIELDS
from inspect_discoverybench.results.summary import local_path

Paths = str | Path | Iterable[str | Path]
"""A log, or a folder that is searched for logs, or several. URLs such as `s3://…` also work."""

PARALLEL_LOGS = 8
"""Minimum number of logs for which to start workers, which takes seconds. Fewer are read in this process."""


@dataclass(frozen=True)
class LogRows:
    """Rows of one log, or the reason why it is left out.

    Attributes:
        log: Path of the log.
        rows: Its rows.
        left_out: Why it has no rows; None if it has.
        task_id: Inspect's id of the run, which retries keep; None if the log cannot be read.
        modified: When the file was last changed, in seconds since 1970; 0 for remote logs.
    """

    log: str
    rows: Sequence[Mapping[str, Any]] = ()
    left_out: str | None = None
    task_id: str | None = None
    modified: float = 0.0


@dataclass(frozen=True)
class LogReader:
    """Reads one log into rows. It is sent to worker processes, so it contains only module-level functions.

    Attributes:
        rows: Returns the rows of a log.
        objection: Returns why a log with this header cannot be used; None if it can.
    """

    rows: Callable[[EvalLog], Sequence[Mapping[str, Any]]]
    objection: Callable[[EvalLog], str | None]

    def read(self, location: str) -> LogRows:
        """Read one log."""
        try:
            with inspect_errors(UnreadableLog, "cannot be read"):
                return self._read(location)
        except UnreadableLog as error:
            return LogRows(location, left_out=error.message.rstrip("."))

    def _read(self, location: str) -> LogRows:
        header = read_eval_log(location, header_only=True)
        result = LogRows(location, task_id=header.eval.task_id, modified=_modified(location))
        if reason := self.objection(header) or _unfinished(header):
            return replace(result, left_out=reason)
        log = read_eval_log(location, exclude_fields=EXCLUDED_FIELDS)
        if not log.samples:
            return replace(result, left_out="has no samples")
        rows = self.rows(log)
        return replace(result, rows=rows, left_out=None if rows else "has no numeric score")

    def read_all(self, paths: Paths, workers: int) -> list[LogRows]:
        """Read all logs in files and folders.

        Args:
            paths: A log or a folder that is searched for logs, or several.
            workers: Number of processes that read logs in parallel.

        Raises:
            DataMissing: There is no log, or none of the logs can be used.
        """
        locations = find_logs(paths)
        if workers == 1 or len(locations) < PARALLEL_LOGS:
            logs = [self.read(location) for location in locations]
        else:
            with ProcessPoolExecutor(workers) as pool:
                logs = list(pool.map(self.read, locations))
        if not any(log.rows for log in logs):
            more = f" ({len(logs) - 1} other logs cannot be used either)" if len(logs) > 1 else ""
            raise DataMissing(f"No log can be used. {logs[0].log}: {logs[0].left_out}{more}.")
        return _with_successors(logs)


def find_logs(paths: Paths) -> list[str]:
    """Paths of all logs in files and folders, without repetition.

    Raises:
        DataMissing: A path does not exist, or a folder has no log.
    """
    paths = [paths] if isinstance(paths, str | Path) else paths
    return list(dict.fromkeys(log for path in paths for log in _logs_at(str(path))))


def _logs_at(path: str) -> Iterator[str]:
    if "://" not in path and not Path(path).exists():
        raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    if Path(path).is_file():
        yield path
        return
    logs = [local_path(log.name) for log in list_eval_logs(path, recursive=True)]
    if not logs:
        raise DataMissing(f"The folder '{path}' has no Inspect logs. Pass a folder that was the --log-dir of a run.")
    yield from sorted(logs)


def _with_successors(logs: Sequence[LogRows]) -> list[LogRows]:
    """Name the retry that completed a run, where there is one."""
    finished = {log.task_id: log.log for log in logs if log.rows}
    return [
        replace(log, left_out=f"superseded by {finished[log.task_id]}")
        if log.left_out and log.task_id in finished
        else log
        for log in logs
    ]


def _modified(location: str) -> float:
    path = Path(local_path(location))
    return path.stat().st_mtime if path.exists() else 0.0


def _unfinished(header: EvalLog) -> str | None:
    match header.status:
        case "started":
            return "has not finished; if the process was killed, complete it with `inspect eval-retry`"
        case "cancelled":
            return "was cancelled; complete it with `inspect eval-retry`"
        case "error":
            return "ended with an error; complete it with `inspect eval-retry`"
    return "was invalidated" if header.invalidated else None
