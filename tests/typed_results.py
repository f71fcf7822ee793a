"""Results, tasks and reports for tests, without logs."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.frame import ResultFrame
from inspect_discoverybench.results.recorded_settings import Settings
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.score_record import ScoreRecord
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome

MISSING = math.nan

OFFLINE_JUDGE = '{"judge": "discoverybench/lexical"}'
"""The record of a judge that is not a language model."""

RUN: Mapping[str, Any] = {
    "log": "logs/a.eval",
    "created": "2026-01-01T00:00:00+00:00",
    "task_id": "log",
    "run": "log",
    "task": "real",
    "task_version": "3-A",
    "task_arguments": "{}",
    "selection": "all",
    "model": "provider/model",
    "model_settings": "",
    "epochs_reducer": "mean",
    "limits": "",
}
SAMPLE: Mapping[str, Any] = {
    "agent": "react",
    "agent_arguments": "",
    "split": "test",
    "domain": "sociology",
    "workflow_tags": "",
    "goal": "How?",
    "epoch": 1,
    "study": "study",
    "goal_type": "context",
    "tokens": 1000,
    "judge_tokens": 100,
    "seconds": 10.0,
    "inputs": {},
}
SCORE: Mapping[str, Any] = {
    "score": "HMS",
    "judge_record": '{"judge": "provider/judge"}',
    "metadata": {},
    "keys": frozenset(),
}


def result(sample_id: str, hms: float = MISSING, **columns: Any) -> ResultRow:
    """Make a result with these columns of its run, sample and score.

    Without HMS, the sample is unscored. By default, its gold hypothesis is its own, and the facets follow from HMS: the
    context is 1 unless HMS is 0, the variables are 1, and the relationship is HMS, or 0.5 where HMS is 0.
    """
    values = {}
    if not math.isnan(hms):
        values = {"hms": hms, "context": float(hms > 0), "variables": 1.0, "relationship": hms or 0.5}
    for key in (*FACET_KEYS, *RELEASED_KEYS, CLAIM_KEY):
        if key in columns and not math.isnan(columns[key]):
            values[key] = columns[key]
    default_outcome = SampleOutcome.JUDGED if "hms" in values else SampleOutcome.UNSCORED
    columns["outcome"] = SampleOutcome(columns.get("outcome", default_outcome))
    if columns["outcome"] is not SampleOutcome.ERROR:
        # A key may be undecided.
        added = [key for key in (*RELEASED_KEYS, CLAIM_KEY) if key in columns]
        columns["keys"] = frozenset(["hms", *FACET_KEYS, *added])

    run = _record(RunRecord, RUN, columns)
    goal = {"id": sample_id, "gold_hypothesis": f"gold of {sample_id}"}
    # Two results are of the same run of a sample if these are equal.
    attempt = [columns.get(name) for name in ("split", "epoch", "agent", "agent_arguments")]
    uuid = f"{sample_id} {attempt} {run}"
    sample = _record(SampleRecord, {**SAMPLE, **goal, "uuid": uuid}, columns)
    return ResultRow(run, sample, score=_record(ScoreRecord, {**SCORE, "values": values}, columns))


def _record(kind: Any, defaults: Mapping[str, Any], columns: Mapping[str, Any]) -> Any:
    """A record with these columns, defaults, and None. Settings are separated by commas."""
    values = {}
    for field in fields(kind):
        value = columns.get(field.name, defaults.get(field.name))
        if field.type is Settings:
            value = tuple(value.split(", ")) if value else ()
        values[field.name] = value
    return kind(**values)


def results(values: Mapping[str, float], **columns: Any) -> list[ResultRow]:
    """Results with HMS by sample id, and other columns of all of them."""
    return [result(sample_id, hms, **columns) for sample_id, hms in values.items()]


def contents(*groups: Iterable[ResultRow], **arguments: Any) -> Contents:
    """The contents of a report of these results."""
    rows: list[ResultRow] = []
    for group in groups:
        rows += group
    return Contents.of(ResultFrame(rows, {}), **arguments)


def sections(*groups: Iterable[ResultRow]) -> dict[str, Section]:
    """The sections of a report of these results by name."""
    return {section.name: section for section in contents(*groups).sections}


def rows(section: Section, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of a section's table."""
    return list(section.table[list(columns)].itertuples(index=False, name=None))
