"""Finds and reads log files: headers and summaries of samples, or rows of all usable logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, EvalLogInfo, EvalSample, EvalSampleSummary, list_eval_logs, read_eval_log
from inspect_ai.log import read_eval_log_sample_summaries as read_sample_summaries

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument, UnreadableLog
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.columns import EXCLUDED_FIELDS, SampleScore, has_results
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS

Paths = str | Path | Iterable[str | Path]
"""A log, or a folder that is searched for logs, or several. URLs such as `s3://…` also work."""


# A run that is killed while it writes to a remote folder leaves a truncated log.
_REPAIR = "Repair it with `inspect log recover`, or delete it to run its samples again."


@dataclass(frozen=True)
class LogSummary:
    """A log without transcripts: its path or URL, header, and summaries of the samples that it has so far."""

    path: str
    header: EvalLog
    samples: Sequence[EvalSampleSummary]

    @classmethod
    def read(cls, location: str) -> "LogSummary":
        """Read a log.

        Raises:
            UnreadableLog: The log is damaged.
        """
        path = local_path(location)
        with inspect_errors(UnreadableLog, f"{path} cannot be read", _REPAIR):
            return cls(path, read_eval_log(path, header_only=True), read_sample_summaries(path))

    @property
    def run(self) -> str:
        """Inspect's identifier of the task with its solver, model and settings; equal in a dry run and in its logs."""
        return task_identifier(self.header, None)

    @property
    def is_complete(self) -> bool:
        """Whether the run has ended with all samples."""
        return self.header.status == "success" and not self.header.invalidated

    @property
    def finished(self) -> list[EvalSampleSummary]:
        """Samples that ended without an error."""
        return [sample for sample in self.samples if sample.completed and sample.error is None]


def logs_in(folder: str) -> list[EvalLogInfo]:
    """The logs in a folder and its subfolders. There are none if it does not exist.

    Raises:
        UnreadableLog: The folder cannot be read.
    """
    with inspect_errors(UnreadableLog, f"{folder} cannot be read", "Check the address and the credentials."):
        return list_eval_logs(folder) if urlparse(folder).scheme or Path(folder).is_dir() else []


def read_summaries(folder: str) -> Iterator[LogSummary]:
    """Read the logs in a folder and its subfolders, one by one.

    Raises:
        UnreadableLog: A log is damaged.
    """
    yield from (LogSummary.read(info.name) for info in logs_in(folder))


def local_path(location: str) -> str:
    """The path of a local log, or the URL of a remote one. Inspect does not quote paths in its `file` URLs."""
    return location.removeprefix("file://")


def sample_keys(log: EvalLog) -> set[tuple[str, int]]:
    """Sample id and epoch of all samples that a run has in the end."""
    return set(product(map(str, log.eval.dataset.sample_ids or []), range(1, (log.eval.config.epochs or 1) + 1)))


def is_scored(sample: EvalSampleSummary) -> bool:
    """Whether every scorer scored the sample. Inspect marks an unscored key with NaN, which is null in JSON logs."""
    values: list[Any] = [score.value for score in (sample.scores or {}).values()]
    values = [value.get("hms", 0.0) if isinstance(value, Mapping) else value for value in values]
    return bool(values) and not any(value is None or value != value for value in values)


@dataclass(frozen=True)
class LogRows:
    """Rows of the log with this path, or the reason why it is left out."""

    log: str
    rows: Sequence[Mapping[str, Any]] = ()
    left_out: str | None = None

    task_id: str | None = None
    """Inspect's id of the run, which retries keep; None if the log cannot be read."""

    modified: float = 0.0
    """When a local file was last changed, in seconds since 1970."""


RowsOf = Callable[[EvalLog], Sequence[Mapping[str, Any]]]
"""The rows of a log. It is sent to processes: a module's function."""


def read_rows(paths: Paths, rows_of: RowsOf, workers: int, any_task: bool = False) -> list[LogRows]:
    """Read all logs in files and folders in this many processes. A log that cannot be used is left out with the reason.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    paths = [paths] if isinstance(paths, str | Path) else paths
    locations = list(dict.fromkeys(log for path in paths for log in log_paths(str(path))))
    read = partial(_read, rows_of, any_task)
    if workers == 1 or len(locations) < 8:  # starting workers takes seconds
        logs = [*map(read, locations)]
    else:
        with ProcessPoolExecutor(workers) as pool:
            logs = [*pool.map(read, locations)]
    usable = {log.task_id: log.log for log in logs if log.rows}
    if not logs:
        raise DataMissing("There is no log to read. Pass logs or folders of logs.")
    if not usable:
        raise DataMissing(f"None of {len(logs)} logs can be used. {logs[0].log}: {logs[0].left_out}.")
    return [
        replace(log, left_out=f"superseded by {usable[log.task_id]}") if log.left_out and log.task_id in usable else log
        for log in logs
    ]


def log_paths(path: str) -> list[str]:
    """The path of a log, or those of the logs in a folder.

    Raises:
        DataMissing: The path does not exist, or the folder has no logs.
    """
    if "://" in path and path.endswith((".eval", ".json")):  # servers may not list files
        return [local_path(path)]
    if "://" not in path and not Path(path).exists():
        raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    if Path(path).is_file():
        return [path]
    logs = sorted(local_path(info.name) for info in logs_in(path))
    if not logs:
        raise DataMissing(f"The folder '{path}' has no Inspect logs. Pass a folder that was the --log-dir of a run.")
    return logs


def usable_logs(path: str) -> list[str]:
    """The path of a log, or those of the logs in a folder that ended with results of this package.

    Raises:
        DataMissing: The path does not exist, or the folder has no such log.
        UnreadableLog: A log is damaged.
    """
    logs = log_paths(path)
    if logs == [local_path(path)]:
        return logs
    if not (usable := [log for log in logs if not _objection(LogSummary.read(log).header, any_task=False)]):
        raise DataMissing(f"None of the logs in '{path}' can be used. `discoverybench report` says why.")
    return usable


def _read(rows_of: RowsOf, any_task: bool, location: str) -> LogRows:
    try:
        with inspect_errors(UnreadableLog, "cannot be read", _REPAIR):
            header = read_eval_log(location, header_only=True)
            modified = Path(location).stat().st_mtime if Path(location).exists() else 0.0
            objection = _objection(header, any_task)
            log = header if objection else read_eval_log(location, exclude_fields=EXCLUDED_FIELDS)
        with inspect_errors(UnreadableLog, "cannot be used"):
            rows = rows_of(log) if log.samples else []
    except UnreadableLog as error:
        return LogRows(location, left_out=error.message.rstrip("."))
    if not rows and not objection:
        objection = "has no numeric score" if log.samples else "has no samples"
    return LogRows(location, rows, objection, header.eval.task_id, modified)


def _objection(header: EvalLog, any_task: bool) -> str | None:
    """Why a log cannot be used, from its header; None if it can."""
    if not any_task and not has_results(header):
        return f"has no DiscoveryBench results: its task is {header.eval.task}"
    if header.status != "success":
        state = {"started": "has not finished", "error": "ended with an error"}.get(header.status, "was cancelled")
        return f"{state}; complete it with `inspect eval-retry`"
    return "was invalidated" if header.invalidated else None


def read_judged(path: str, score: str) -> tuple[str, list[SampleScore]]:
    """Read Inspect's id of a run, which copies of its log keep, and its samples with one score, without transcripts.

    Raises:
        UnreadableLog: The file is not a log.
        InvalidArgument: No sample has a score with this name.
    """
    with inspect_errors(UnreadableLog, f"{path} cannot be read", _REPAIR):
        log = read_eval_log(path, exclude_fields={"messages", "events", "store"})
    samples = log.samples or []
    names = sorted({name for sample in samples for name in sample.scores or {}})
    if score not in names:
        raise InvalidArgument(
            f"{path}: no sample has the score '{score}'. Available scores: {', '.join(names) or 'none'}."
        )
    with inspect_errors(UnreadableLog, f"{path} cannot be used"):
        return log.eval.task_id, [checked_score(sample, score) for sample in samples]


def checked_score(sample: EvalSample, score: str) -> SampleScore:
    """A sample with one score of this package.

    Raises:
        UnreadableLog: The goal or gold hypothesis is missing, or a value is not in 0–1.
    """
    if not all(isinstance(sample.metadata.get(name), str) for name in ("goal", "gold_hypothesis")):
        raise UnreadableLog("a sample has no metadata, such as its goal and gold hypothesis.")
    own = SampleScore.of(sample, score)
    values: Mapping[str, Any] = own.score.value if own.score and isinstance(own.score.value, Mapping) else {}
    if outside := [
        f"{key} = {value}"
        for key in (*SCORE_KEYS, *RELEASED_KEYS)
        # An unscored key is NaN, which is null in JSON logs.
        if not (
            (value := values.get(key)) is None or value != value or (type(value) in (int, float) and 0 <= value <= 1)
        )
    ]:
        raise UnreadableLog(f"the sample {sample.id} has {outside[0]}, not a score in 0–1.")
    return own
