"""Results: one frame of samples from any mix of logs."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from inspect_ai.analysis import Column, SampleColumn, samples_df
from inspect_ai.log import EvalLog, EvalSample

from inspect_discoverybench.results.columns import (
    EVAL_COLUMNS,
    SAMPLE_IDENTITY,
    SAMPLE_USAGE,
    SampleScore,
    score_columns,
)
from inspect_discoverybench.results.log_files import LogRows, Paths, checked_score, local_path, read_rows
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.submission.submission import SCORE_NAME

if TYPE_CHECKING:
    import pandas as pd

NUMBERS = [
    *("epoch", "difficulty", "tree_level", "workflow_length"),
    *(*SCORE_KEYS, *RELEASED_KEYS),
    *("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms"),
]
"""Columns of numbers. A value that a log does not have is NaN."""

_WORDS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""The letters and words that Inspect's `value_to_float` converts to numbers."""


@dataclass(frozen=True)
class Results:
    """The samples of logs."""

    samples: "pd.DataFrame"
    """One row per sample, epoch and judge; columns as in `SAMPLE_COLUMNS`, and `uuid`."""

    left_out: "pd.DataFrame"
    """One row per log that could not be used; columns `log` and `reason`."""


def read_results(paths: Paths, workers: int = 1) -> Results:
    """Read the results of logs of this package.

    A sample that is in several logs, such as the copies that `inspect score` and `inspect eval-retry` make, is read
    once for each judge.

    Args:
        paths: A log or a folder that is searched for logs, or several. URLs such as `s3://…` also work.
        workers: Number of processes that read logs in parallel.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    import pandas as pd

    results = _collect(read_rows(paths, _hms_rows, workers), keys=["uuid", "score", "judge_record"], value="hms")
    results.samples[NUMBERS] = results.samples[NUMBERS].apply(pd.to_numeric, errors="coerce")
    return results


def read_scores(paths: Paths, workers: int = 1) -> Results:
    """Read every numeric score of any Inspect logs, of this package or not. The arguments are those of `read_results`.

    Returns:
        One row per sample, epoch, score and key. Columns: those of `EVAL_COLUMNS`, `uuid`, `id`, `epoch`, the identity
        of the sample, `target`, `score` (name of the score), `key` (key of its value; empty if the value is a
        single number), `value` (NaN if the sample has no such score) and `judge_record`.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    logs = read_rows(paths, _score_rows, workers, any_task=True)
    return _collect(logs, keys=["uuid", "score", "key", "judge_record"], value="value")


def _collect(logs: Sequence[LogRows], keys: list[str], value: str) -> Results:
    """Collect the rows of logs, in the order in which the runs started.

    Of the attempts at a sample, only the last one counts. Of rows with equal keys, one with a value is preferred, and
    then the one from the log that was changed last.
    """
    import pandas as pd

    logs = sorted(logs, key=lambda log: log.modified)
    samples = pd.DataFrame([row for log in logs for row in log.rows])
    samples = samples.sort_values("created", kind="stable", ignore_index=True)
    # `eval-retry` repeats the samples with an error under a new uuid. Where the file system has no locks, a shard that
    # was started twice has two logs.
    samples = samples[samples.uuid == samples.groupby(["run", "id", "epoch"]).uuid.transform("last")]
    samples = samples.assign(has_score=samples[value].notna()).sort_values("has_score", kind="stable")
    samples = samples.drop_duplicates(keys, keep="last")
    # A log that was not scored, next to its scored copy.
    is_obsolete = ~samples.has_score & samples.judge_record.isna() & samples.groupby("uuid").has_score.transform("any")
    samples = samples[~is_obsolete].sort_index().drop(columns="has_score")
    left_out = [(log.log, log.left_out) for log in logs if log.left_out]
    return Results(samples.reset_index(drop=True), pd.DataFrame(left_out, columns=["log", "reason"]))


def _frame_rows(log: EvalLog, columns: list[Column]) -> list[Mapping[str, Any]]:
    """Rows of one log, with None for missing values."""
    frame = samples_df([log], columns=[*EVAL_COLUMNS, *SAMPLE_IDENTITY, *columns], quiet=True)
    frame = frame.astype(object).where(frame.notna(), None).rename(columns={"sample_id": "uuid"})
    frame["log"] = frame["log"].map(local_path)
    return [*frame.drop(columns="eval_id").to_dict("records")]  # type: ignore[list-item]


def _hms_rows(log: EvalLog) -> list[Mapping[str, Any]]:
    """A row for each sample and score with HMS: `HMS`, and `HMS1`, … for further judges."""
    names = {name for sample in log.samples or [] for name in sample.scores or {}}
    scores = sorted(name for name in names if name.rstrip("0123456789") == SCORE_NAME) or [SCORE_NAME]
    for sample, score in product(log.samples or [], scores):
        checked_score(sample, score)
    return [row for score in scores for row in _frame_rows(log, [*score_columns(score), *SAMPLE_USAGE])]


def _score_rows(log: EvalLog) -> list[Mapping[str, Any]]:
    """A row for each sample, score and key."""
    samples = log.samples or []
    rows = _frame_rows(log, [SampleColumn("target", path=lambda sample: str(sample.target), full=True)])
    values = [_numbers(sample) for sample in samples]
    keys = sorted({key for numbers in values for key in numbers})
    return [
        {
            **row,
            "score": name,
            "key": key,
            "value": numbers.get((name, key), math.nan),
            "judge_record": SampleScore.of(sample, name).judge_record,
        }
        for row, sample, numbers in zip(rows, samples, values, strict=True)
        for name, key in keys
    ]


def _numbers(sample: EvalSample) -> dict[tuple[str, str], float]:
    """Each finite number by the name of its score and its key. A sample that ended with an error has none."""
    scores = (sample.scores or {}) if sample.error is None else {}
    numbers = {}
    for name, score in scores.items():
        for key, value in score.value.items() if isinstance(score.value, Mapping) else [("", score.value)]:
            with suppress(TypeError, ValueError):
                number = float(_WORDS.get(value.casefold(), value) if isinstance(value, str) else value)  # type: ignore[arg-type]
                if math.isfinite(number):
                    numbers[name, key] = number
    return numbers
