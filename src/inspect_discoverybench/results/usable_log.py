"""Reads logs that can be used, and says why others cannot."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument, UnreadableLog
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.columns import EXCLUDED_FIELDS
from inspect_discoverybench.results.log_files import REPAIR, LogSummary, Paths, log_paths
from inspect_discoverybench.results.result import Result, results_of
from inspect_discoverybench.results.run_record import has_results, local_path
from inspect_discoverybench.results.sample_score import SampleScore

MIN_PARALLEL = 8
"""Number of logs from which they are read in several processes, whose start takes seconds."""


@dataclass(frozen=True)
class UsableLog:
    """A log that can be used.

    Attributes:
        path: Path or URL.
        task_id: Inspect's id of the run, which retries keep.
        modified: When a local file was last changed, in seconds since 1970.
        results: Its results; there is at least one.
    """

    path: str
    task_id: str
    modified: float
    results: Sequence[Result]


@dataclass(frozen=True)
class UnusableLog:
    """A log that cannot be used, and why. The id of its run is None if it cannot be read."""

    path: str
    task_id: str | None
    objection: str


def read_usable(paths: Paths, workers: int, any_task: bool) -> tuple[list[UsableLog], dict[str, str]]:
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

    usable = [log for log in logs if isinstance(log, UsableLog)]
    unusable = [log for log in logs if isinstance(log, UnusableLog)]
    if not usable:
        first = unusable[0]
        raise DataMissing(f"None of {len(logs)} logs can be used. {first.path}: {first.objection}.")

    # A retry writes a new log of the same run.
    successors = {log.task_id: log.path for log in usable}
    left_out = {}
    for log in unusable:
        successor = successors.get(log.task_id or "")
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


def _read_all(paths: Sequence[str], workers: int, any_task: bool) -> list[UsableLog | UnusableLog]:
    read = partial(_read, any_task)
    if workers == 1 or len(paths) < MIN_PARALLEL:
        return [read(path) for path in paths]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(read, paths))


def _read(any_task: bool, path: str) -> UsableLog | UnusableLog:
    try:
        with inspect_errors(UnreadableLog, "cannot be read", REPAIR):
            header = read_eval_log(path, header_only=True)
            objection = objection_to(header, any_task)
            if objection:
                return UnusableLog(path, header.eval.task_id, objection)
            modified = Path(path).stat().st_mtime if Path(path).exists() else 0.0
            log = read_eval_log(path, exclude_fields=EXCLUDED_FIELDS)
        with inspect_errors(UnreadableLog, "cannot be used"):
            results = results_of(log, any_task)
    except UnreadableLog as error:
        return UnusableLog(path, None, error.message.rstrip("."))

    if not results:
        objection = "has no numeric score" if log.samples else "has no samples"
        return UnusableLog(path, header.eval.task_id, objection)
    return UsableLog(path, header.eval.task_id, modified, results)


def objection_to(header: EvalLog, any_task: bool = False) -> str | None:
    """Why a log cannot be used, from its header; None if it can."""
    if not any_task and not has_results(header):
        return f"has no DiscoveryBench results: its task is {header.eval.task}"
    if header.status != "success":
        states = {"started": "has not finished", "error": "ended with an error"}
        return f"{states.get(header.status, 'was cancelled')}; complete it with `inspect eval-retry`"
    return "was invalidated" if header.invalidated else None


def usable_logs(path: str) -> list[str]:
    """The path of a log, or those of the logs in a folder that ended with results of this package.

    Raises:
        DataMissing: The path does not exist, or the folder has no such log.
        UnreadableLog: A log is damaged.
    """
    logs = log_paths(path)
    if logs == [local_path(path)]:
        return logs
    usable = [log for log in logs if objection_to(LogSummary.read(log).header) is None]
    if not usable:
        raise DataMissing(f"None of the logs in '{path}' can be used. `discoverybench report` says why.")
    return usable


def read_judged(path: str, score: str) -> tuple[str, list[SampleScore]]:
    """Read Inspect's id of a run, which copies of its log keep, and its samples with one score, without transcripts.

    Raises:
        UnreadableLog: The file is not a log.
        InvalidArgument: No sample has a score with this name.
    """
    with inspect_errors(UnreadableLog, f"{path} cannot be read", REPAIR):
        log = read_eval_log(path, exclude_fields={"messages", "events", "store"})

    samples = log.samples or []
    names = sorted({name for sample in samples for name in sample.scores or {}})
    if score not in names:
        available = ", ".join(names) or "none"
        raise InvalidArgument(f"{path}: no sample has the score '{score}'. Available scores: {available}.")

    judged = [SampleScore.of(sample, score) for sample in samples]
    with inspect_errors(UnreadableLog, f"{path} cannot be used"):
        for sample in judged:
            sample.check()
    return log.eval.task_id, judged
