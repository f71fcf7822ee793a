"""Results for tests of the report, without logs."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.frame import Results
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.sample_score import SampleScore
from inspect_discoverybench.scorer.facets import FACET_KEYS

RECORD = '{"judge": "provider/judge"}'

MISSING = math.nan

RUN: Mapping[str, Any] = {
    "log": "logs/a.eval",
    "created": "2026-01-01T00:00:00+00:00",
    "task_id": "log",
    "run": "log",
    "task": "real",
    "task_version": "3-A",
    "selection": "all",
    "agent": "react",
    "model": "provider/model",
    "epochs_reducer": "mean",
}
SAMPLE: Mapping[str, Any] = {
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
}
SCORE: Mapping[str, Any] = {"score": "HMS", "outcome": "scored", "judge_record": RECORD, "refusal": False}


def result(sample_id: str, hms: float = MISSING, **columns: Any) -> Result:
    """A result with these columns.

    Without HMS, the sample is unscored. By default, its gold hypothesis is its own, and the facets follow from HMS: the
    context is 1 unless HMS is 0, the variables are 1, and the relationship is HMS, or 0.5 where HMS is 0.
    """
    run = _record(RunRecord, RUN, columns)
    is_scored = not math.isnan(hms)
    values = {"hms": hms, "context": float(hms > 0), "variables": 1.0, "relationship": hms or 0.5} if is_scored else {}
    values |= {key: columns[key] for key in FACET_KEYS if key in columns}
    outcome = "scored" if is_scored else "unscored"
    score = _record(SampleScore, {**SCORE, "values": values, "outcome": outcome}, columns)

    sample = {**SAMPLE, "id": sample_id, "gold_hypothesis": f"gold of {sample_id}"}
    record = _record(SampleRecord, sample, columns)
    uuid = f"{sample_id} {record.split} {record.epoch} {run}"
    return Result(run, replace(record, uuid=uuid), score)


def _record(kind: Any, defaults: Mapping[str, Any], columns: Mapping[str, Any]) -> Any:
    names = [field.name for field in fields(kind)]
    empty = dict.fromkeys(names)
    if kind is RunRecord:
        empty |= dict.fromkeys(("task_arguments", "agent_arguments", "model_settings", "limits"), "")
    return kind(**{**empty, **defaults, **{name: columns[name] for name in names if name in columns}})


def results(values: Mapping[str, float], **columns: Any) -> list[Result]:
    """Results with HMS by sample id, and other columns of all of them."""
    return [result(sample_id, hms, **columns) for sample_id, hms in values.items()]


def contents(*groups: Iterable[Result], **arguments: Any) -> Contents:
    """The contents of a report of these results."""
    rows = [row for group in groups for row in group]
    return Contents.of(Results(rows, {}), **arguments)


def sections(*groups: Iterable[Result]) -> dict[str, Section]:
    """The sections of a report of these results by name."""
    return {section.name: section for section in contents(*groups).sections}


def rows(section: Section, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of a section's table."""
    return list(section.table[list(columns)].itertuples(index=False, name=None))
