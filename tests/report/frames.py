"""Frames of samples for tests of the report."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from inspect_discoverybench.report.report_columns import NUMBERS, add_report_columns
from inspect_discoverybench.results.columns import SAMPLE_COLUMNS

RECORD = '{"judge": "provider/judge"}'

MISSING = float("nan")

DEFAULTS: Mapping[str, Any] = {
    "log": "logs/a.eval",
    "created": "2026-01-01T00:00:00+00:00",
    "task": "real",
    "split": "test",
    "task_version": "3-A",
    "task_arguments": "",
    "agent": "react",
    "agent_arguments": "",
    "model": "provider/model",
    "model_settings": "",
    "limits": "",
    "epoch": 1,
    "study": "study",
    "domain": "sociology",
    "goal_type": "context",
    "workflow_tags": "",
    "goal": "How?",
    "score": "HMS",
    "outcome": "scored",
    "judge": "provider/judge",
    "judge_record": RECORD,
    "tokens": 1000,
    "judge_tokens": 100,
    "seconds": 10.0,
}


def frame(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A labelled frame of samples.

    Each row needs `id`. By default, its gold hypothesis is its own, and the facets follow from HMS: the context is 1
    unless HMS is 0, the variables are 1, and the relationship is HMS (0.5 where HMS is 0).
    """
    samples = pd.DataFrame([_row(row) for row in rows])
    columns = dict.fromkeys([*(column.name for column in SAMPLE_COLUMNS), "uuid"])
    samples = samples.reindex(columns=[*columns])
    samples[NUMBERS] = samples[NUMBERS].apply(pd.to_numeric)
    return add_report_columns(samples)


def scores(values: Mapping[str, float], **columns: Any) -> list[dict[str, Any]]:
    """Rows with HMS by sample id, and other columns of all rows. Samples without HMS are unscored."""
    return [
        {"id": task, "hms": hms, "outcome": "scored" if hms == hms else "unscored", **columns}
        for task, hms in values.items()
    ]


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**DEFAULTS, **row}
    hms = merged.get("hms", MISSING)
    is_scored = hms == hms
    identity = [merged[name] for name in ("log", "task", "split", "agent", "model", "task_arguments", "id", "epoch")]
    return {
        "run": merged["log"],
        "gold_hypothesis": f"gold of {row['id']}",
        "uuid": " ".join(map(str, identity)),
        "hms": hms,
        "context": float(hms > 0) if is_scored else MISSING,
        "variables": 1.0 if is_scored else MISSING,
        "relationship": (hms or 0.5) if is_scored else MISSING,
        **merged,
    }
