"""Scans of logs in this process."""

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from inspect_scout import Scanner, Transcript, scan, scan_results_df, transcripts_from

from inspect_discoverybench._registry import SCANNERS

Row = dict[str, Any]


def scanned(
    log: EvalLog | Path, names: Sequence[str] = SCANNERS, model: Model | None = None
) -> dict[str, dict[str, Row]]:
    """Rows of the results, by scanner and sample id. A value is True, False, None or a list of names."""
    location = str(log if isinstance(log, Path) else log.location)
    status = scan(
        [_scanner(name) for name in names],
        transcripts=transcripts_from(location),
        scans="scans",
        model=model,
        max_processes=1,
        display="none",
    )
    assert status.complete, status.errors
    frames = scan_results_df(status.location).scanners
    return {name: {row["transcript_task_id"]: _row(row) for row in frames[name].to_dict("records")} for name in names}


def only(results: dict[str, dict[str, Row]], name: str) -> Row:
    """The result of a scanner for the only sample."""
    [row] = results[name].values()
    return row


def values(results: dict[str, dict[str, Row]]) -> dict[str, Any]:
    """The value of each scanner for the only sample."""
    return {name: only(results, name)["value"] for name in results}


def _scanner(name: str) -> Scanner[Transcript]:
    factory: Callable[[], Scanner[Transcript]] = getattr(import_module(f"inspect_discoverybench.scanners.{name}"), name)
    return factory()


def _row(row: Any) -> Row:
    value = None if row["value_type"] == "null" else json.loads(str(row["value"]).replace("T", "t").replace("F", "f"))
    return {**row, "value": value}
