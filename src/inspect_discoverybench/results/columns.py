"""The columns of the frame of samples, for Inspect's `samples_df`; docs/analysis.md describes them."""

from dataclasses import fields
from functools import partial
from typing import Any

from inspect_ai.analysis import Column, EvalColumn, SampleColumn
from inspect_ai.log import EvalLog, EvalSample

from inspect_discoverybench.results.agent_record import recorded_agent
from inspect_discoverybench.results.recorded_settings import column_value
from inspect_discoverybench.results.result_row import NO_COLUMNS
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.score_record import ScoreRecord
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.submission.submission import SCORE_NAME


def score_columns(score: str = SCORE_NAME) -> list[Column]:
    """Columns of one score of this package: `HMS` in the log, or `HMS1` for the first one that was appended."""
    columns: list[Column] = []
    for field in fields(ScoreRecord):
        if field.name not in NO_COLUMNS:
            read = partial(_of_score, score, field.name)
            # With `full`, Inspect reads the whole sample, and not the summary of it.
            columns.append(SampleColumn(field.name, path=read, full=True))
    for key in (*SCORE_KEYS, *RELEASED_KEYS, CLAIM_KEY):
        read = partial(_value, score, key)
        columns.append(SampleColumn(key, path=read, full=True))
    return columns


def sample_columns() -> list[Column]:
    """All columns, with the score `HMS`: one row for each sample and epoch of each log."""
    columns: list[Column] = []
    for field in fields(RunRecord):
        if field.name not in NO_COLUMNS:
            read_run = partial(_of_run, field.name)
            columns.append(EvalColumn(field.name, path=read_run))
    for field in fields(SampleRecord):
        if field.name not in NO_COLUMNS:
            read_sample = partial(_of_sample, field.name)
            columns.append(SampleColumn(field.name, path=read_sample, full=True))
    return columns + score_columns()


def _of_run(name: str, log: EvalLog) -> Any:
    record = RunRecord.of(log)
    return column_value(getattr(record, name))


def _of_sample(name: str, sample: EvalSample) -> Any:
    # Inspect passes only the sample, without the plan of its log. So the agent is the one that the sample records.
    agent = recorded_agent(sample)
    record = SampleRecord.of(sample, agent)
    return column_value(getattr(record, name))


def _of_score(score: str, name: str, sample: EvalSample) -> Any:
    return getattr(ScoreRecord.of(sample, score), name)


def _value(score: str, key: str, sample: EvalSample) -> float:
    return ScoreRecord.of(sample, score).value(key)


SAMPLE_COLUMNS = sample_columns()
"""All columns, with the score `HMS`."""
