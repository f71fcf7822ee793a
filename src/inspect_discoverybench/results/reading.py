"""Results: one frame of samples from any mix of logs of this package."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_ai.analysis import Column, samples_df
from inspect_ai.log import EvalLog

from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.results.columns import (
    EVAL_COLUMNS,
    SAMPLE_IDENTITY,
    SAMPLE_USAGE,
    is_own_task,
    score_columns,
)
from inspect_discoverybench.results.logs import LogReader, LogRows, Paths
from inspect_discoverybench.results.summary import local_path

if TYPE_CHECKING:
    import pandas as pd

TASKS = ("real", "synth", "custom", "demo")
"""Tasks whose logs contain results."""

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

    @classmethod
    def of(cls, logs: Sequence[LogRows], keys: Sequence[str], value: str) -> "Results":
        """Collect the rows of logs, in the order in which the runs started.

        Of the attempts at a sample, only the last one counts. Of rows with equal keys, one with a value is
        preferred, and then the one from the log that was changed last.

        Args:
            logs: At least one log with rows.
            keys: Columns that identify a row.
            value: Column of the score.
        """
        import pandas as pd

        logs = sorted(logs, key=lambda log: log.modified)
        samples = pd.DataFrame([row for log in logs for row in log.rows])
        samples = samples.sort_values("created", kind="stable", ignore_index=True)
        # `eval-retry` repeats the samples with an error under a new uuid. Where the file system has no locks, a shard
        # that was started twice has two logs.
        last_attempt = samples.groupby(["run", "id", "epoch"]).uuid.transform("last")
        samples = samples[samples.uuid == last_attempt]
        samples = samples.assign(has_score=samples[value].notna()).sort_values("has_score", kind="stable")
        samples = samples.drop_duplicates(list(keys), keep="last")
        # A log that was not scored, next to its scored copy.
        is_obsolete = (
            ~samples.has_score & samples.judge_record.isna() & samples.groupby("uuid").has_score.transform("any")
        )
        samples = samples[~is_obsolete].sort_index().drop(columns="has_score")
        left_out = [(log.log, log.left_out) for log in logs if log.left_out]
        return cls(samples.reset_index(drop=True), pd.DataFrame(left_out, columns=["log", "reason"]))


def read_results(paths: Paths, workers: int = 1) -> Results:
    """Read the results of logs.

    A sample that is in several logs, such as the copies that `inspect score` and `inspect eval-retry` make, is read
    once for each judge.

    Args:
        paths: A log or a folder that is searched for logs, or several. URLs such as `s3://…` also work.
        workers: Number of processes that read logs in parallel.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    import pandas as pd

    logs = LogReader(_rows, _objection).read_all(paths, workers)
    results = Results.of(logs, keys=("uuid", "score", "judge_record"), value="hms")
    results.samples[NUMBERS] = results.samples[NUMBERS].apply(pd.to_numeric, errors="coerce")
    return results


def _objection(header: EvalLog) -> str | None:
    if is_own_task(header) and header.eval.task.rpartition("/")[2] in TASKS:
        return None
    return f"has no DiscoveryBench results: its task is {header.eval.task}"


def _rows(log: EvalLog) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for score in _scores(log):
        columns: list[Column] = [*EVAL_COLUMNS, *SAMPLE_IDENTITY, *score_columns(score), *SAMPLE_USAGE]
        rows += to_rows(samples_df([log], columns=columns, quiet=True))
    return rows


def to_rows(frame: "pd.DataFrame") -> list[Mapping[str, Any]]:
    """Rows of what `samples_df` returned for one log, with None for missing values."""
    frame = frame.astype(object).where(frame.notna(), None).rename(columns={"sample_id": "uuid"})
    frame["log"] = frame["log"].map(local_path)
    return [*frame.drop(columns="eval_id").to_dict("records")]  # type: ignore[list-item]


def _scores(log: EvalLog) -> list[str]:
    """Names of the scores with HMS: `HMS`, and `HMS1`, … for further judges."""
    names = {
        name
        for sample in log.samples or []
        for name, score in (sample.scores or {}).items()
        if (isinstance(score.value, Mapping) and "hms" in score.value) or name.rstrip("0123456789") == SCORE_NAME
    }
    return sorted(names) or [SCORE_NAME]
