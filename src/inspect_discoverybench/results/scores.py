"""Scores: the numeric scores of any Inspect log, of this package or not."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from inspect_ai.analysis import Column, SampleColumn, samples_df
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL

from inspect_discoverybench.results.columns import EVAL_COLUMNS, SAMPLE_IDENTITY
from inspect_discoverybench.results.judged import Judged
from inspect_discoverybench.results.logs import LogReader, Paths
from inspect_discoverybench.results.reading import Results, to_rows

_WORDS = {CORRECT.casefold(): 1.0, PARTIAL.casefold(): 0.5, INCORRECT.casefold(): 0.0, NOANSWER.casefold(): 0.0} | {
    **dict.fromkeys(("yes", "true"), 1.0),
    **dict.fromkeys(("no", "false"), 0.0),
}
"""The letters and words that Inspect's `value_to_float` converts to numbers."""


def read_scores(paths: Paths, workers: int = 1) -> Results:
    """Read every numeric score of any Inspect logs.

    Args:
        paths: A log or a folder that is searched for logs, or several. URLs such as `s3://…` also work.
        workers: Number of processes that read logs in parallel.

    Returns:
        One row per sample, epoch, score and key. Columns: those of `EVAL_COLUMNS`, `uuid`, `id`, `epoch`, the identity
        of the sample, `input`, `target`, `score` (name of the score), `key` (key of its value; empty if the value is a
        single number), `value` (NaN if the sample has no such score) and `judge_record`.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    logs = LogReader(_rows, _accept_all).read_all(paths, workers)
    return Results.of(logs, keys=("uuid", "score", "key", "judge_record"), value="value")


def _accept_all(_header: EvalLog) -> str | None:
    return None


def _target(sample: EvalSample) -> str:
    return sample.target if isinstance(sample.target, str) else "\n".join(sample.target)


def _input(sample: EvalSample) -> str:
    return sample.input if isinstance(sample.input, str) else "\n".join(message.text for message in sample.input)


_COLUMNS: list[Column] = [
    *EVAL_COLUMNS,
    *SAMPLE_IDENTITY,
    SampleColumn("target", path=_target, full=True),
    SampleColumn("input", path=_input, full=True),
]


def _rows(log: EvalLog) -> list[Mapping[str, Any]]:
    samples = log.samples or []
    rows = to_rows(samples_df([log], columns=_COLUMNS, quiet=True))
    keys = sorted({(name, key) for sample in samples for name, key, _ in _values(sample)})
    return [
        {**row, "score": name, "key": key, "value": values.get((name, key), math.nan), "judge_record": record}
        for row, sample in zip(rows, samples, strict=True)
        for values in [{(name, key): value for name, key, value in _values(sample)}]
        for name, key in keys
        for record in [Judged.of(sample, name).record]
    ]


def _values(sample: EvalSample) -> Iterator[tuple[str, str, float]]:
    """Name, key and number of each numeric value. A sample that ended with an error has none."""
    for name, score in (sample.scores or {}).items() if sample.error is None else ():
        items = score.value.items() if isinstance(score.value, Mapping) else [("", score.value)]
        for key, value in items:
            number = _number(value)
            if number is not None:
                yield name, key, number


def _number(value: object) -> float | None:
    """The value as a number; None if it is not a finite number or the sample is unscored."""
    if isinstance(value, str):
        value = _WORDS.get(value.casefold(), value)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
