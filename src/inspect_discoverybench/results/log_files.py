"""Finds log files, and reads what they say without transcripts: headers and summaries of samples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, EvalLogInfo, EvalSampleSummary, list_eval_logs, read_eval_log
from inspect_ai.log import read_eval_log_sample_summaries as read_sample_summaries

from inspect_discoverybench.errors.exceptions import DataError, UnreadableLog
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.run_record import local_path

REPAIR = "Repair it with `inspect log recover`, or delete it to run its samples again."
"""Remedy for a log that cannot be read: a run that is killed while it writes to a remote folder truncates it."""


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
        with inspect_errors(UnreadableLog, f"{path} cannot be read", REPAIR):
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


def read_summaries(folder: str) -> Iterator[LogSummary]:
    """Read the logs in a folder and its subfolders, one by one.

    Raises:
        UnreadableLog: A log is damaged.
    """
    for info in logs_in(folder):
        yield LogSummary.read(info.name)


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
        DataError: The path does not exist, or the folder has no logs.
    """
    if not _is_remote(path) and not Path(path).exists():
        raise DataError(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    if path.endswith((".eval", ".json")):  # servers may not list files
        return [local_path(path)]

    logs = sorted(local_path(info.name) for info in logs_in(path))
    if not logs:
        raise DataError(f"The folder '{path}' has no Inspect logs. Pass a folder that was the --log-dir of a run.")
    return logs


def _is_remote(path: str) -> bool:
    return "://" in path


def sample_keys(log: EvalLog) -> set[tuple[str, int]]:
    """Sample id and epoch of all samples that a run has in the end."""
    ids = map(str, log.eval.dataset.sample_ids or [])
    epochs = range(1, (log.eval.config.epochs or 1) + 1)
    return set(product(ids, epochs))
