"""Logs without their transcripts: the header and a summary of each sample, which is all that a run is resumed from."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from inspect_ai import task_identifier
from inspect_ai.log import (
    EvalLog,
    EvalLogInfo,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from inspect_discoverybench.errors import UnreadableLog, inspect_errors


@dataclass(frozen=True)
class LogSummary:
    """A log without transcripts.

    Attributes:
        path: Path of a local log, or URL of a remote one.
        header: Its header.
        samples: Summaries of the samples that it has so far.
    """

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
        with inspect_errors(UnreadableLog, f"{path} cannot be read"):
            return cls(path, read_eval_log(path, header_only=True), read_eval_log_sample_summaries(path))

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
    """The logs in a folder and its subfolders. There are none if it does not exist."""
    return list_eval_logs(folder) if urlparse(folder).scheme or Path(folder).is_dir() else []


def read_summaries(folder: str) -> Iterator[LogSummary]:
    """Read the logs in a folder and its subfolders one by one.

    Raises:
        UnreadableLog: A log is damaged.
    """
    yield from (LogSummary.read(info.name) for info in logs_in(folder))


def local_path(location: str) -> str:
    """The path of a local log, or the URL of a remote one."""
    parts = urlparse(location)
    return unquote(parts.path) if parts.scheme == "file" else location


def is_scored(sample: EvalSampleSummary) -> bool:
    """Whether every scorer scored the sample; HMS is unscored if its key is.

    Inspect marks an unscored sample with NaN, which is null in JSON logs.
    """
    values: list[Any] = [score.value for score in (sample.scores or {}).values()]
    values = [value.get("hms", 0.0) if isinstance(value, Mapping) else value for value in values]
    return bool(values) and not any(
        value is None or (isinstance(value, float) and math.isnan(value)) for value in values
    )
