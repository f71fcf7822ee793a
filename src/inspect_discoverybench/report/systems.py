"""Systems to compare: the configurations that logs hold, selected as the user wrote."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.report.configurations import name_configurations
from inspect_discoverybench.results.reading import Results
from inspect_discoverybench.results.scores import read_scores

SELECTORS = (
    *("agent", "model", "task", "split", "domain", "study", "goal_type", "difficulty", "score", "epoch"),
    *("hints", "task_version", "agent_arguments", "model_settings", "configuration", "log"),
)
"""Columns that can select samples."""

HEADLINE_KEY = "hms"


@dataclass(frozen=True)
class System:
    """The samples of one configuration.

    Attributes:
        name: Its name in the comparison.
        samples: Rows of `read_scores` of one score.
        left_out: Number of logs that could not be used.
    """

    name: str
    samples: pd.DataFrame
    left_out: int


@dataclass(frozen=True)
class Operand:
    """What the user wrote: a log or folder, and which of its samples.

    Attributes:
        text: As written: `PATH` or `PATH:column=value,column=value`.
        path: Path of the log or folder.
        selection: Required values by column.
    """

    text: str
    path: str
    selection: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "Operand":
        """Parse `PATH` or `PATH:column=value,…`.

        Raises:
            InvalidArgument: A column cannot select samples.
        """
        path, colon, selection = text.rpartition(":")
        if not colon or "=" not in selection:  # a colon may be part of the path, as in s3://
            return cls(text, text, {})
        pairs = dict(_pair(part, text) for part in selection.split(","))
        return cls(text, path, pairs)

    def systems(self, results: Results, score: str | None) -> list[System]:
        """The selected configurations.

        Args:
            results: The scores at the path.
            score: Name of the score; by default HMS, or the only score.

        Raises:
            DataMissing: No sample is selected.
            InvalidArgument: There is no such score, or there are several.
        """
        samples = name_configurations(results.samples)
        for column, value in self.selection.items():
            selected = samples[samples[column].map(_text) == value]
            if selected.empty:
                values = ", ".join(sorted(set(samples[column].map(_text)))[:10])
                raise DataMissing(f"{self.text}: no sample has {column}={value}. Values in the logs: {values}.")
            samples = selected
        samples = _one_score(samples, score, self.text)
        return [
            System(str(name), rows.reset_index(drop=True), len(results.left_out))
            for name, rows in samples.groupby("configuration", sort=False)
        ]


def read_systems(operands: Sequence[str], score: str | None, workers: int = 1) -> list[System]:
    """Read all systems that the operands name. Systems of the same name are told apart by their operand.

    Args:
        operands: Logs, folders and selections, as the user wrote them.
        score: Name of the score, or `NAME.KEY`; by default HMS, or the only score.
        workers: Number of processes that read logs in parallel.

    Raises:
        DataMissing: No log can be used, or no sample is selected.
        InvalidArgument: There are fewer than two systems, or the score does not exist.
    """
    parsed = [Operand.parse(text) for text in operands]
    results = {path: read_scores([path], workers) for path in dict.fromkeys(operand.path for operand in parsed)}
    pairs = [(operand, system) for operand in parsed for system in operand.systems(results[operand.path], score)]
    if len(pairs) < 2:
        [(operand, system)] = pairs
        raise InvalidArgument(
            f"{operand.text} has a single configuration, {system.name}. Name at least two logs, folders or selections."
        )
    names = [system.name for _, system in pairs]
    if len(set(names)) == len(names):
        return [system for _, system in pairs]
    return [System(f"{operand.text}: {s.name}", s.samples, s.left_out) for operand, s in pairs]


def _pair(part: str, text: str) -> tuple[str, str]:
    column, _, value = part.partition("=")
    if column.strip() not in SELECTORS:
        raise InvalidArgument(f"{text}: '{part}' does not select samples. Columns: {', '.join(SELECTORS)}.")
    return column.strip(), value.strip()


def _text(value: object) -> str:
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _one_score(samples: pd.DataFrame, score: str | None, text: str) -> pd.DataFrame:
    names = _names(samples.score)
    if score is None:
        score = SCORE_NAME if SCORE_NAME in names else names[0] if len(names) == 1 else None
        if score is None:
            raise InvalidArgument(f"{text} has several scores: {', '.join(names)}. Select one with --score.")
    name, _, key = score.partition(".")
    if name not in names:
        raise InvalidArgument(f"{text} has no numeric score '{name}'. Numeric scores: {', '.join(names)}.")
    rows = samples[samples.score == name]
    if key and key not in set(rows.key):
        raise InvalidArgument(f"{text}: the score '{name}' has no key '{key}'. Keys: {', '.join(_names(rows.key))}.")
    return rows[rows.key == key] if key else rows


def _names(values: Iterable[str]) -> list[str]:
    return sorted(set(values))
