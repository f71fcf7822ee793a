"""Reads logs, and says why some of them cannot be used."""

from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog, read_eval_log

from inspect_discoverybench.errors.exceptions import UnreadableLog
from inspect_discoverybench.errors.file_failures import require_regular_file
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.audit_record import AuditRecord
from inspect_discoverybench.results.log_files import remedy_of, retry_command
from inspect_discoverybench.results.result_row import ResultRow, results_of
from inspect_discoverybench.results.run_record import has_results

EXCLUDED_FIELDS = {"messages", "events", "attachments", "output"}
"""Fields of samples that are not read."""

MIN_PARALLEL = 16
"""Minimum number of logs to read in several processes. The start of the processes takes seconds."""


@dataclass(frozen=True)
class LogReading:
    """A log with its results, or with the reason why it cannot be used.

    Attributes:
        path: Path or URL.
        task_id: Inspect's id of the run, which retries keep; None if the log is damaged or has impossible scores.
        created: When this attempt at the run started; empty if the log is damaged or has impossible scores.
        modified: When the file was last changed, in seconds since 1970; 0 for a remote log, and for one that was
            refused by its header, is damaged or has impossible scores.
        results: Its results.
        objection: Why it cannot be used; None if it can.
        audit: The audit of a judge, if this is the log of one.
    """

    path: str
    task_id: str | None = None
    created: str = ""
    modified: float = 0.0
    results: Sequence[ResultRow] = ()
    objection: str | None = None
    audit: AuditRecord | None = None


def read_logs(paths: Collection[str]) -> list[LogReading]:
    """Read logs in parallel, by their paths or URLs."""
    if len(paths) < MIN_PARALLEL:
        return list(map(_read, paths))
    with ProcessPoolExecutor() as pool:
        return list(pool.map(_read, paths))


def _read(path: str) -> LogReading:
    try:
        with inspect_errors(UnreadableLog, "cannot be read", remedy_of(path)):
            require_regular_file(Path(path))
            header = read_eval_log(path, header_only=True)
            task_id = header.eval.task_id
            created = header.eval.created
            objection = _objection_to(header, path)
            if objection is not None:
                # A log without results may be that of an audit, whose record is in the header. For other logs, `of`
                # returns None.
                return LogReading(path, task_id, created, objection=objection, audit=AuditRecord.of(header))
            log = read_eval_log(path, exclude_fields=EXCLUDED_FIELDS)
        with inspect_errors(UnreadableLog, "cannot be used"):
            results = results_of(log)
    except UnreadableLog as error:
        return LogReading(path, objection=error.message.rstrip("."))

    file = Path(path)
    return LogReading(
        path,
        task_id,
        created,
        modified=file.stat().st_mtime if file.exists() else 0.0,
        results=results,
        objection=None if results else "has no samples",
    )


def _objection_to(header: EvalLog, path: str) -> str | None:
    """Why the log with this header cannot be used; None if it can."""
    if not has_results(header):
        return f"has no DiscoveryBench results: its task is {header.eval.task}"
    if header.status != "success":
        remedy = f"complete it with `{retry_command(path)}`"
        if header.eval.eval_set_id:
            # The log may be that of a shard, and `eval-retry` would run the samples of all shards.
            remedy = "repeat the command that ran it"
        return f"has the status '{header.status}'; {remedy}"
    return None
