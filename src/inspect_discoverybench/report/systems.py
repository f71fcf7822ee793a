"""Systems to compare: configurations in logs, selected by the user's operands."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.report.configurations import name_configurations
from inspect_discoverybench.results.frame import read_scores

SELECTORS = (
    *("agent", "model", "task", "split", "domain", "study", "goal_type", "difficulty", "score", "epoch"),
    *("hints", "task_version", "agent_arguments", "model_settings", "configuration", "log"),
)
"""Columns that can select samples."""

HEADLINE_KEY = "hms"


@dataclass(frozen=True)
class System:
    """The samples of one configuration: its name in the comparison, and rows of `read_scores` of one score."""

    name: str
    samples: pd.DataFrame


def read_systems(
    operands: Sequence[str], score: str | None, workers: int = 1
) -> tuple[Sequence[System], Mapping[str, str]]:
    """Read at least two systems, and the reason for each log that could not be used.

    Operands are logs, folders and selections (`PATH:column=value,…`), which distinguish systems with the same name. The
    score is `NAME` or `NAME.KEY`; by default HMS, or the only score.

    Raises:
        DataMissing: No log can be used, or no sample is selected.
        InvalidArgument: There are fewer than two systems, a column cannot select samples, or the score does not exist.
    """
    parsed = {text: _parse(text) for text in operands}
    results = {path: read_scores([path], workers) for path in dict.fromkeys(path for path, _ in parsed.values())}
    named = [
        (text, str(name), rows.reset_index(drop=True))
        for text in operands
        for samples in [_select(text, results[parsed[text][0]].samples, parsed[text][1], score)]
        for name, rows in samples.groupby("configuration", sort=False)
    ]
    if len(named) < 2:
        [(text, name, _)] = named
        raise InvalidArgument(
            f"{text} has a single configuration, {name}. Name at least two logs, folders or selections."
        )
    left_out = {log: reason for result in results.values() for log, reason in result.left_out.itertuples(index=False)}
    is_unique = len({name for _, name, _ in named}) == len(named)
    return [System(name if is_unique else f"{text}: {name}", rows) for text, name, rows in named], left_out


def _parse(text: str) -> tuple[str, Mapping[str, str]]:
    """The path and the required values by column of `PATH` or `PATH:column=value,…`."""
    columns = "|".join(SELECTORS)
    match = re.search(rf":(?=(?:{columns})=)", text)
    if match is None:
        if unknown := re.search(r":(\w+)=", text):
            raise InvalidArgument(f"{text}: '{unknown[1]}' does not select samples. Columns: {', '.join(SELECTORS)}.")
        return text, {}  # a colon may be part of the path, as in s3://
    # Values may contain commas and colons.
    parts = re.split(rf",\s*(?=(?:{columns})=)", text[match.end() :])
    pairs = (part.partition("=") for part in parts)
    return text[: match.start()], {column: value.strip() for column, _, value in pairs}


def _select(text: str, samples: pd.DataFrame, selection: Mapping[str, str], score: str | None) -> pd.DataFrame:
    """The selected samples with the values of one score."""
    samples = name_configurations(samples)
    for column, value in selection.items():
        values = samples[column].map(_text)
        samples = samples[values == value]
        if samples.empty:
            known = ", ".join(_names(values)[:10])
            raise DataMissing(f"{text}: no sample has {column}={value}. Values in the logs: {known}.")
    names = _names(samples.score)
    if score is None:
        score = SCORE_NAME if SCORE_NAME in names else names[0]
        if score != SCORE_NAME and len(names) > 1:
            raise InvalidArgument(f"{text} has several scores: {', '.join(names)}. Select one with --score.")
    name, key = (score, "") if score in names else (score.rpartition(".")[0], score.rpartition(".")[2])
    if name not in names:
        raise InvalidArgument(f"{text} has no numeric score '{score}'. Numeric scores: {', '.join(names)}.")
    rows = samples[samples.score == name]
    keys = _names(rows.key)
    if key and key not in keys:
        raise InvalidArgument(f"{text}: the score '{name}' has no key '{key}'. Keys: {', '.join(keys)}.")
    if not key and len(keys) > 1 and HEADLINE_KEY not in keys:
        raise InvalidArgument(
            f"{text}: the score '{name}' has several keys: {', '.join(keys)}. Select one with --score {name}.KEY."
        )
    return rows[rows.key == key] if key else rows


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _names(values: Iterable[str]) -> list[str]:
    return sorted(set(values))
