"""The samples of the page: a light index, and compressed chunks of texts that the page unpacks when it needs them."""

import gzip
import hashlib
import json
import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import numpy as np

from inspect_discoverybench.report.cell import is_missing, key_text
from inspect_discoverybench.report.configurations import main_judge

if TYPE_CHECKING:
    import pandas as pd

MAIN_FILTERS = ("benchmark", "agent", "model", "domain", "outcome")
"""Columns that the page always offers as filters."""

JUDGE_FILTERS = ("judge", "judge_record", "score")
"""Columns that select a judge. Without them, each sample has the score of the main judge only."""

OTHER_COLUMNS = ("configuration", "id", "epoch", "study", "goal_type", "judge", "judge_record")

SCORES = ("hms", "context", "variables", "relationship")

DETAILS = (
    *("workflow", "explanation", "error", "limit", "submission_source"),
    *("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms"),
)

HYPOTHESES_PER_CHUNK = 2000
DETAILS_PER_CHUNK = 100

MAX_PACKED = 20_000_000
"""Characters of all chunks. Above, long texts are shortened, so that the page stays below 25 MB."""

TEXT_LIMITS = (100_000, 4000, 2000, 1000, 500, 250)
"""Characters to which texts are shortened: the first with which the chunks fit."""

COPIED_SECTION = re.compile(r"### (?:Gold|Predicted) hypothesis[^\n]*\n\n(.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class PackedSamples:
    """Samples as the page holds them; every string is the base64 form of gzip-compressed JSON.

    Attributes:
        index: Columns of scores and of values that select samples, and the goals and gold hypotheses of tasks.
        hypotheses: Predicted hypotheses, `HYPOTHESES_PER_CHUNK` each.
        details: The other texts and numbers, `DETAILS_PER_CHUNK` each.
        text_limit: Characters to which long texts were shortened; None if all texts are whole.
    """

    index: str
    hypotheses: Sequence[str]
    details: Sequence[str]
    text_limit: int | None


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
        """Address of the samples with these values on the page, and their number; None if there are none."""
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
    """A column as codes of its distinct values.

    Attributes:
        values: The distinct values as text.
        codes: For each row the codes of its values: none, one, or several.
    """

    values: Sequence[str]
    codes: Sequence[Sequence[int]]

    @classmethod
    def of(cls, cells: "pd.Series[Any]") -> "_Column":
        texts = [
            [
                key_text(value)
                for value in (cell if isinstance(cell, tuple | list) else (cell,))
                if not is_missing(value)
            ]
            for cell in cells
        ]
        values = sorted({text for row in texts for text in row}, key=_natural)
        code = {value: number for number, value in enumerate(values)}
        return cls(values, [[code[text] for text in row] for row in texts])

    def contains(self, value: str) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        if value not in self.values:
            return np.zeros(len(self.codes), bool)
        code = self.values.index(value)
        return np.fromiter((code in row for row in self.codes), bool, len(self.codes))

    def packed(self) -> dict[str, Any]:
        single = all(len(row) <= 1 for row in self.codes)
        codes = [row[0] if row else None for row in self.codes] if single else self.codes
        return {"values": self.values, "codes": codes}


def pack(selection: SampleSelection) -> PackedSamples:
    """Pack the samples; texts are shortened if they would make the page too large."""
    samples = selection.samples
    rows = [[_plain(value) for value in row] for row in samples[[*DETAILS]].itertuples(index=False)]
    hypotheses = [_plain(value) for value in samples.hypothesis]
    explanation = DETAILS.index("explanation")
    for row, *texts in zip(rows, samples.gold_hypothesis, hypotheses, strict=True):
        row[explanation] = _without_copies(row[explanation], texts)
    for limit in TEXT_LIMITS:
        packed_hypotheses = _chunks([_shortened(text, limit) for text in hypotheses], HYPOTHESES_PER_CHUNK)
        details = _chunks([[_shortened(value, limit) for value in row] for row in rows], DETAILS_PER_CHUNK)
        if sum(map(len, (*packed_hypotheses, *details))) <= MAX_PACKED:
            break
    is_whole = all(len(text) <= limit for row in (hypotheses, *rows) for text in row if isinstance(text, str))
    return PackedSamples(_compressed(_index(selection)), packed_hypotheses, details, None if is_whole else limit)


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
    """The explanation without the hypotheses that it repeats: the page shows them by themselves."""
    if not explanation:
        return explanation
    words = [text.split() for text in texts if text]
    return COPIED_SECTION.sub(
        lambda match: "" if re.sub(r"\\([*#`\[\]\\])", r"\1", match[1]).split() in words else match[0], explanation
    ).strip()


def _shortened(value: Any, limit: int) -> Any:
    return value[:limit] + " […]" if isinstance(value, str) and len(value) > limit else value


def _chunks(rows: Sequence[Any], size: int) -> list[str]:
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    with ThreadPoolExecutor() as pool:  # compression does not hold the interpreter's lock
        return [*pool.map(_compressed, parts)]


def _compressed(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()
