"""The columns of the frame of samples, for Inspect's `samples_df`.

`samples_df(logs, columns=SAMPLE_COLUMNS)` gives one row per sample and epoch. docs/analysis.md describes every column.
"""

from collections.abc import Iterator
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

NO_COLUMNS = {"values", "metadata"}
"""Fields of a score that are no columns: each value is one of its own."""


def score_columns(score: str = SCORE_NAME) -> list[Column]:
    """Columns of one score of this package: `HMS` in the log, or `HMS1` for the first one that was appended."""
    names = {field.name for field in fields(SampleScore)} - NO_COLUMNS
    columns: list[Column] = []
    for name in (*sorted(names), *KEYS):
        read = partial(_of_score, score, name)
        columns.append(SampleColumn(name, path=read, full=True))
    return columns


def _of_run(name: str, log: EvalLog) -> Any:
    return getattr(RunRecord.of(log), name)


def _of_sample(name: str, sample: EvalSample) -> Any:
    return getattr(SampleRecord.of(sample), name)


def _of_score(score: str, name: str, sample: EvalSample) -> Any:
    record = SampleScore.of(sample, score)
    return record.value(name) if name in KEYS else getattr(record, name)


def _run_columns() -> Iterator[Column]:
    for field in fields(RunRecord):
        read = partial(_of_run, field.name)
        yield EvalColumn(field.name, path=read)


def _sample_columns() -> Iterator[Column]:
    for field in fields(SampleRecord):
        read = partial(_of_sample, field.name)
        yield SampleColumn(field.name, path=read, full=True)


EVAL_COLUMNS: list[Column] = list(_run_columns())
"""Columns with one value per log: which task, agent and model ran, and when."""

SAMPLE_COLUMNS: list[Column] = [*EVAL_COLUMNS, *_sample_columns(), *score_columns()]
"""All columns, with the score `HMS`."""
