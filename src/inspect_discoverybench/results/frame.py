"""Results: the samples of any mix of logs, each once for each judge, as typed rows and as a data frame."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.results.attempts import current_results
from inspect_discoverybench.results.audit_record import AuditRecord
from inspect_discoverybench.results.log_files import log_paths
from inspect_discoverybench.results.log_reading import LogReading, read_logs
from inspect_discoverybench.results.result_row import ResultRow

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ResultFrame:
    """The samples of logs.

    Attributes:
        rows: One per sample, epoch and score, in the order in which the runs started.
        left_out: Why logs could not be used, by path.
        audits: The audits of judges, which are not samples.
    """

    rows: Sequence[ResultRow]
    left_out: Mapping[str, str]
    audits: Sequence[AuditRecord] = ()

    @cached_property
    def samples(self) -> "pd.DataFrame":
        """The rows as a frame; docs/analysis.md describes its columns."""
        import pandas as pd

        return pd.DataFrame([row.columns for row in self.rows])


def read_results(paths: Iterable[str | Path]) -> ResultFrame:
    """Read the results of logs.

    A sample that is in several logs, such as the copies that `inspect score` and `inspect eval-retry` make, is read
    once for each judge.

    Args:
        paths: Logs, and folders that are searched for logs. URLs such as `s3://…` also work.

    Raises:
        DataError: There is no log, or none of the logs can be used.
    """
    locations: list[str] = []
    for path in paths:
        locations += log_paths(str(path))
    if not locations:
        raise DataError("There is no log to read. Pass logs or folders of logs.")

    logs = read_logs(dict.fromkeys(locations))  # a log may be named twice
    logs.sort(key=lambda log: log.modified)  # for `current_results`, which takes the latest scores
    results: list[ResultRow] = []
    for log in logs:
        results += log.results
    if not results:
        first = logs[0]
        raise DataError(f"None of {len(logs)} logs can be used. {first.path}: {first.objection}.")

    audits = [log.audit for log in logs if log.audit is not None]
    return ResultFrame(current_results(results), _left_out(logs), audits)


def _left_out(logs: Sequence[LogReading]) -> dict[str, str]:
    """Why logs could not be used, by path, without the logs of attempts that a later attempt has completed.

    A retry completes a run in a new log, so the log of the failed attempt before it need not be listed. But if an
    attempt started after the last one with results, its log is listed: it may have samples that no other log has, for
    example if an eval set was repeated with a higher `--limit`.
    """
    # By run, the start of its last attempt with results.
    last_starts: dict[str | None, str] = {}
    for log in logs:
        if log.results:
            last_starts[log.task_id] = max(log.created, last_starts.get(log.task_id, ""))

    left_out = {}
    for log in logs:
        if log.objection is None or log.audit is not None:  # an audit has no results, but is used, too
            continue
        if log.task_id not in last_starts or log.created > last_starts[log.task_id]:
            left_out[log.path] = log.objection
    return left_out
