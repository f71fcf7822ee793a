"""Judges: short names of their records, and notes where different judges scored what is shown together."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.judge_record import changes

if TYPE_CHECKING:
    import pandas as pd


def judge_labels(records: Sequence[str]) -> dict[str, str]:
    """A short name for each judge's record: its model, and how it differs from the first record of that model.

    Args:
        records: The records as JSON.
    """
    parsed: dict[str, Mapping[str, Any]] = {record: json.loads(record) for record in records}
    first: dict[str, str] = {}
    labels: dict[str, str] = {}
    for record, content in parsed.items():
        name = str(content.get("judge"))
        original = first.setdefault(name, record)
        details = ", ".join(f"{key}={value}" for key, _, value in changes(parsed[original], content))
        labels[record] = f"{name} ({details})" if details else name
    return labels


def judge_notes(judged: "pd.DataFrame") -> list[str]:
    """A note for each benchmark that several judges scored: which judge scored which configurations.

    Args:
        judged: Labelled samples with the scores of one judge each.
    """
    scored = judged[judged.judge_record.notna() & judged.hms.notna()]
    return [
        _note(str(benchmark), rows)
        for benchmark, rows in scored.groupby("benchmark", sort=False)
        if rows.judge.nunique() > 1
    ]


def _note(benchmark: str, rows: "pd.DataFrame") -> str:
    judges = "; ".join(
        f"{judge} scored {', '.join(group.configuration.unique())}"
        for judge, group in rows.groupby("judge", sort=False)
    )
    first, *others = (json.loads(record) for record in rows.judge_record.unique())
    differing = dict.fromkeys(key for other in others for key, *_ in changes(first, other))
    return (
        f"{benchmark} was scored by different judges, so its means are not comparable: {judges}. "
        f"The judges differ in {', '.join(differing)}."
    )
