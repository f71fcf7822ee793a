"""The samples of the page: a light index, and compressed chunks of texts that the page unpacks when it needs them."""

import gzip
import hashlib
import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import numpy as np

from inspect_discoverybench.report.cell import is_missing, key_text
from inspect_discoverybench.report.configurations import main_judge
from inspect_discoverybench.report.losses import FACETS

if TYPE_CHECKING:
    import pandas as pd

MAIN_FILTERS = ("benchmark", "agent", "model", "domain", "outcome")
"""Columns that the page always offers as filters."""

JUDGE_FILTERS = ("judge", "judge_record", "score")
"""Columns that select a judge. Without them, each sample has the score of the main judge only."""

OTHER_COLUMNS = ("configuration", "id", "epoch", "study", "goal_type", "judge", "judge_record")

SCORES = ("hms", *FACETS)

DETAILS = (
    *("workflow", "explanation", "error", "limit", "submission_source"),
    *("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms"),
)

HYPOTHESES_PER_CHUNK = 2000
DETAILS_PER_CHUNK = 100

MAX_PACKED = 21_000_000
"""Maximum number of characters in all chunks. Above it, long texts are truncated to keep the page below 25 MB."""

TEXT_LIMITS = (4000, 2000, 1200, 900, 700, 500, 350, 250)
"""Maximum lengths of texts if they must be truncated: the first one with which the chunks fit is used."""

COPIED_SECTION = re.compile(r"### (?:Gold|Predicted) hypothesis[^\n]*\n\n(.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class PackedSamples:
    """Samples as stored in the page; every string is the base64 form of gzip-compressed JSON.

    Attributes:
        index: Columns of scores and of values that select samples, and the goals and gold hypotheses of tasks.
        hypotheses: Predicted hypotheses, `HYPOTHESES_PER_CHUNK` each.
        details: The other texts and numbers, `DETAILS_PER_CHUNK` each.
        text_limit: Number of characters to which long texts were truncated; None if all texts are complete.
    """

    index: str
    hypotheses: Sequence[str]
    details: Sequence[str]
    text_limit: int | None

    @property
    def characters(self) -> int:
        """Total number of characters in all chunks."""
        return sum(map(len, (*self.hypotheses, *self.details)))


class SampleSelection:
    """Selects samples by the values of columns, as the page does.

    A cell may hold a tuple; the sample then belongs to each of its values.
    """

    def __init__(self, samples: "pd.DataFrame", filters: Iterable[str]) -> None:
        self.samples = _sorted(samples)
        self.is_main = np.asarray(self.samples.index.isin(main_judge(self.samples).index))
        names = dict.fromkeys([*MAIN_FILTERS, *OTHER_COLUMNS, *(name for name in filters if name in samples)])
        self.columns = {name: _Column.of(self.samples[name]) for name in names}

    def link(self, values: Mapping[str, Any]) -> tuple[str, int] | None:
        """Link to the samples with these values on the page, and their number; None if there are none."""
        query = {name: key_text(value) for name, value in values.items() if not is_missing(value)}
        count = self._count(query)
        return (f"#all-samples?{urlencode(query, quote_via=quote)}", count) if count else None

    def _count(self, query: Mapping[str, str]) -> int:
        selected = np.ones(len(self.samples), bool) if query.keys() & set(JUDGE_FILTERS) else self.is_main
        for name, value in query.items():
            selected = selected & self.columns[name].contains(value)
        return int(selected.sum())


@dataclass(frozen=True)
class _Column:
    """A column as codes of its distinct cells, where each cell has one value, several (a tuple), or none.

    Attributes:
        values: The distinct values as text.
        cells: For each distinct cell the positions of its values.
        codes: For each row the position of its cell.
    """

    values: Sequence[str]
    cells: Sequence[Sequence[int]]
    codes: "np.ndarray[Any, np.dtype[np.int64]]"

    @classmethod
    def of(cls, column: "pd.Series[Any]") -> "_Column":
        codes, distinct = column.factorize(use_na_sentinel=False)
        texts = [
            [key_text(value) for value in (cell if isinstance(cell, tuple) else (cell,)) if not is_missing(value)]
            for cell in distinct
        ]
        values = sorted({text for cell in texts for text in cell}, key=_natural)
        position = {value: number for number, value in enumerate(values)}
        return cls(values, [[position[text] for text in cell] for cell in texts], codes)

    def contains(self, value: str) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """Which rows have a value."""
        if value not in self.values:
            return np.zeros(len(self.codes), bool)
        position = self.values.index(value)
        contains: np.ndarray[Any, np.dtype[np.bool_]] = np.array([position in cell for cell in self.cells])[self.codes]
        return contains

    def packed(self) -> dict[str, Any]:
        """The column for the page: values, and for each row a position, several, or null."""
        cells = [None if not cell else cell[0] if len(cell) == 1 else cell for cell in self.cells]
        return {"values": self.values, "codes": [cells[code] for code in self.codes]}


def pack(selection: SampleSelection) -> PackedSamples:
    """Pack the samples; texts are truncated if they would make the page too large."""
    samples = selection.samples
    rows = [[_plain(value) for value in row] for row in samples[[*DETAILS]].itertuples(index=False)]
    hypotheses = [_plain(value) for value in samples.hypothesis]
    explanation = DETAILS.index("explanation")
    for row, *texts in zip(rows, samples.gold_hypothesis, hypotheses, strict=True):
        row[explanation] = _without_copies(row[explanation], texts)
    packed = _packed(hypotheses, rows, None)
    for limit in _limits(hypotheses, rows, packed.characters):
        packed = _packed(hypotheses, rows, limit)
        if packed.characters <= MAX_PACKED:
            break
    return replace(packed, index=_compressed(_index(selection)))


def _limits(hypotheses: Sequence[Any], rows: Sequence[Sequence[Any]], characters: int) -> list[int]:
    """The limits to try: those with which the texts are short enough if all of them compress equally well."""
    if characters <= MAX_PACKED:
        return []
    lengths = np.array([len(text) for row in (hypotheses, *rows) for text in row if isinstance(text, str)])
    target = lengths.sum() * MAX_PACKED / characters
    return [limit for limit in TEXT_LIMITS if np.minimum(lengths, limit).sum() <= target] or [TEXT_LIMITS[-1]]


def _packed(hypotheses: Sequence[Any], rows: Sequence[Sequence[Any]], limit: int | None) -> PackedSamples:
    return PackedSamples(
        "",
        _chunks([_shortened(text, limit) for text in hypotheses], HYPOTHESES_PER_CHUNK),
        _chunks([[_shortened(value, limit) for value in row] for row in rows], DETAILS_PER_CHUNK),
        limit,
    )


def _index(selection: SampleSelection) -> dict[str, Any]:
    samples = selection.samples
    tasks = samples[["id", "goal", "gold_hypothesis"]].drop_duplicates()
    number = {task: position for position, task in enumerate(tasks.itertuples(index=False, name=None))}
    logs = {log: position for position, log in enumerate(samples.log.unique())}
    attempts = {uuid: position for position, uuid in enumerate(samples.uuid.unique())}
    return {
        "columns": {name: column.packed() for name, column in selection.columns.items()},
        "filters": MAIN_FILTERS,
        "judgeFilters": JUDGE_FILTERS,
        "scores": {name: [_score(value) for value in samples[name]] for name in SCORES},
        "tasks": [list(map(_plain, task)) for task in number],
        "task": [
            number[task] for task in samples[["id", "goal", "gold_hypothesis"]].itertuples(index=False, name=None)
        ],
        "logs": [_log(log) for log in logs],
        "log": [logs[log] for log in samples.log],
        "attempt": [attempts[uuid] for uuid in samples.uuid],
        "isMain": selection.is_main.astype(int).tolist(),
        "keys": [
            hashlib.sha256(f"{uuid} {score} {record}".encode()).hexdigest()[:10]
            for uuid, score, record in zip(samples.uuid, samples.score, samples.judge_record, strict=True)
        ],
        "details": DETAILS,
        "hypothesesPerChunk": HYPOTHESES_PER_CHUNK,
        "detailsPerChunk": DETAILS_PER_CHUNK,
    }


def _sorted(samples: "pd.DataFrame") -> "pd.DataFrame":
    # Samples of one task share words, so they compress best next to each other.
    ids = sorted(samples.id.unique(), key=_natural)
    rank = samples.id.map({name: position for position, name in enumerate(ids)})
    order = samples.assign(_rank=rank).sort_values(
        ["benchmark", "_rank", "configuration", "epoch", "uuid", "score"], kind="stable"
    )
    return order.drop(columns="_rank").reset_index(drop=True)


def _natural(text: str) -> list[tuple[int, int | str]]:
    """Sort key in which 10 comes after 9."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split(r"([0-9]+)", text) if part]


def _log(log: str) -> dict[str, str]:
    folder, _, name = log.rpartition("/")
    return {"file": name, "command": f"inspect view start --log-dir {shlex.quote(folder or '.')}"}


def _plain(value: Any) -> Any:
    """A value for JSON; None if it is missing."""
    if is_missing(value):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return round(value, 6) if isinstance(value, float) else value


def _score(value: Any) -> float | None:
    return None if is_missing(value) else round(float(value), 4)


def _without_copies(explanation: str | None, texts: Sequence[str | None]) -> str | None:
    """The explanation without the hypotheses that it repeats, which the page shows separately."""
    if not explanation:
        return explanation
    words = [text.split() for text in texts if text]
    return COPIED_SECTION.sub(
        lambda match: "" if re.sub(r"\\([*#`\[\]\\])", r"\1", match[1]).split() in words else match[0], explanation
    ).strip()


def _shortened(value: Any, limit: int | None) -> Any:
    return value[:limit] + " […]" if limit and isinstance(value, str) and len(value) > limit else value


def _chunks(rows: Sequence[Any], size: int) -> list[str]:
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    with ThreadPoolExecutor() as pool:  # compression releases the GIL
        return [*pool.map(_compressed, parts)]


def _compressed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()
