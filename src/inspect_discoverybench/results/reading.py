"""Reading logs: one frame of samples from any mix of logs of this package."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from inspect_ai.analysis import Column, samples_df
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_discoverybench.errors import DataMissing, first_cause, one_line
from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.results.columns import (
    EVAL_COLUMNS,
    EXCLUDED_FIELDS,
    SAMPLE_IDENTITY,
    SAMPLE_USAGE,
    score_columns,
)

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("real", "synth", "custom", "demo")
"""Tasks whose logs hold results."""

PARALLEL_LOGS = 4
"""Fewer logs are read in this process: starting workers takes longer."""

NUMBERS = [
    *("epoch", "difficulty", "tree_level", "workflow_length"),
    *("hms", "context", "variables", "relationship", "hms_recall", "hms_f1"),
    *("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms"),
]
"""Columns of numbers. A value that a log does not have is NaN."""


@dataclass(frozen=True)
class Results:
    """The samples of logs.

    Attributes:
        samples: One row per sample, epoch and judge; columns as in `SAMPLE_COLUMNS`, and `uuid`.
        left_out: One row per log that could not be used; columns `log` and `reason`.
    """

    samples: "pd.DataFrame"
    left_out: "pd.DataFrame"


@dataclass(frozen=True)
class LogRows:
    """Rows of one log, or the reason why it has none."""

    log: str
    rows: Sequence[Mapping[str, Any]] = ()
    left_out: str | None = None


def read_results(paths: Iterable[str | Path], workers: int = 1) -> Results:
    """Read the results of logs.

    A sample that several logs hold, such as the copies that `inspect score` and `inspect eval-retry` make, is read once
    for each judge.

    Args:
        paths: Logs, and folders that are searched for logs. Addresses such as `s3://…` also work.
        workers: Number of processes that read logs in parallel.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    import pandas as pd

    locations = find_logs(paths)
    logs = list(_map(read_log, locations, workers))
    left_out = pd.DataFrame([(log.log, log.left_out) for log in logs if log.left_out], columns=["log", "reason"])
    rows = [row for log in logs for row in log.rows]
    if not rows:
        more = f" ({len(left_out) - 1} more logs are not usable either)" if len(left_out) > 1 else ""
        raise DataMissing(f"No log has results. {left_out.log[0]}: {left_out.reason[0]}{more}.")
    samples = pd.DataFrame(rows)
    samples[NUMBERS] = samples[NUMBERS].apply(pd.to_numeric)
    samples = samples.sort_values("created", kind="stable")
    samples = samples.drop_duplicates(["uuid", "score", "judge_record"], keep="last").reset_index(drop=True)
    return Results(samples, left_out)


def find_logs(paths: Iterable[str | Path]) -> list[str]:
    """Paths of all logs in files and folders, without repetition.

    Raises:
        DataMissing: A path does not exist, or a folder has no log.
    """
    locations: dict[str, None] = {}
    for path in map(str, paths):
        locations |= dict.fromkeys(_logs_at(path))
    return list(locations)


def _logs_at(path: str) -> Iterator[str]:
    if "://" not in path:
        if not Path(path).exists():
            raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
        if Path(path).is_file():
            yield str(Path(path))
            return
    logs = [_local(log.name) for log in list_eval_logs(path, recursive=True)]
    if not logs:
        raise DataMissing(f"The folder '{path}' has no Inspect logs. Pass the folder that `--log-dir` named.")
    yield from sorted(logs)


def read_log(location: str) -> LogRows:
    """Read the samples of one log; if it cannot be used, the reason."""
    try:
        header = read_eval_log(location, header_only=True)
        if reason := _unusable(header):
            return LogRows(location, left_out=reason)
        log = read_eval_log(location, exclude_fields=EXCLUDED_FIELDS)
    # Inspect raises errors of many types for damaged files.
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, NotImplementedError) as error:
        return LogRows(location, left_out=f"cannot be read: {one_line(first_cause(error))}")
    if not log.samples:
        return LogRows(location, left_out="has no samples")
    rows: list[Mapping[str, Any]] = []
    for score in _scores(log):
        columns: list[Column] = [*EVAL_COLUMNS, *SAMPLE_IDENTITY, *score_columns(score), *SAMPLE_USAGE]
        rows += _rows(samples_df([log], columns=columns, quiet=True), location)
    return LogRows(location, rows)


def _unusable(header: EvalLog) -> str | None:
    package, _, task = header.eval.task.rpartition("/")
    if (package and package not in ("discoverybench", "inspect_discoverybench")) or task not in TASKS:
        return f"holds no results of DiscoveryBench: its task is {header.eval.task}"
    match header.status:
        case "started":
            return "has not finished; run `inspect eval-retry` on it if the process was killed"
        case "cancelled" | "error":
            state = "was cancelled" if header.status == "cancelled" else "ended with an error"
            return f"{state}; complete it with `inspect eval-retry`"
    return "was invalidated" if header.invalidated else None


def _scores(log: EvalLog) -> list[str]:
    """Names of the scores that hold HMS: `HMS`, and `HMS1`, … of further judges."""
    names = {
        name: None
        for sample in log.samples or []
        for name, score in (sample.scores or {}).items()
        if (isinstance(score.value, Mapping) and "hms" in score.value) or name.rstrip("0123456789") == SCORE_NAME
    }
    return sorted(names) or [SCORE_NAME]


def _rows(frame: "pd.DataFrame", location: str) -> list[Mapping[str, Any]]:
    frame = frame.astype(object).where(frame.notna(), None).rename(columns={"sample_id": "uuid"})
    frame["log"] = _local(location)
    return [*frame.drop(columns="eval_id").to_dict("records")]  # type: ignore[list-item]


def _local(location: str) -> str:
    return location.removeprefix("file://")


def _map(function: Any, items: Sequence[str], workers: int) -> Iterable[LogRows]:
    if workers == 1 or len(items) < PARALLEL_LOGS:
        return map(function, items)
    return _parallel(partial(function), items, workers)


def _parallel(function: Any, items: Sequence[str], workers: int) -> Iterator[LogRows]:
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(function, items)
