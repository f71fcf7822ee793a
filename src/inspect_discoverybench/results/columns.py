"""The columns of the frame of samples, for Inspect's `samples_df`.

`samples_df(logs, columns=SAMPLE_COLUMNS)` gives one row per sample and epoch. docs/analysis.md describes every column.
"""

from dataclasses import fields
from functools import partial
from typing import Any

from inspect_ai.analysis import Column, EvalColumn, SampleColumn
from inspect_ai.log import EvalLog, EvalSample

from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.sample_score import KEYS, SampleScore
from inspect_discoverybench.submission.submission import SCORE_NAME

EXCLUDED_FIELDS = {"messages", "events", "attachments", "output"}
"""Fields of samples that no column reads. Skip them with `samples_df(…, exclude_fields=EXCLUDED_FIELDS)`."""


def score_columns(score: str = SCORE_NAME) -> list[Column]:
    """Columns of one score of this package: `HMS` in the log, or `HMS1` for the first one that was appended."""
    names = [field.name for field in fields(SampleScore) if field.name not in ("values", "metadata")]
    return [SampleColumn(name, path=partial(_of_score, score, name), full=True) for name in (*names, *KEYS)]


def _of_run(name: str, log: EvalLog) -> Any:
    return getattr(RunRecord.of(log), name)


def _of_sample(name: str, sample: EvalSample) -> Any:
    return getattr(SampleRecord.of(sample), name)


def _of_score(score: str, name: str, sample: EvalSample) -> Any:
    record = SampleScore.of(sample, score)
    return record.value(name) if name in KEYS else getattr(record, name)


EVAL_COLUMNS: list[Column] = [EvalColumn(field.name, path=partial(_of_run, field.name)) for field in fields(RunRecord)]
"""Columns with one value per log: which task, agent and model ran, and when."""

SAMPLE_COLUMNS: list[Column] = [
    *EVAL_COLUMNS,
    *(SampleColumn(field.name, path=partial(_of_sample, field.name), full=True) for field in fields(SampleRecord)),
    *score_columns(),
]
"""All columns, with the score `HMS`."""
