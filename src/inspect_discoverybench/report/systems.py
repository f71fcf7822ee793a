"""Systems to compare: configurations in logs, selected by the user's operands."""

import re
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
    """

    name: str
    samples: pd.DataFrame


@dataclass(frozen=True)
class Operand:
    """An argument of the user: a log or folder, and which of its samples to select.

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
        columns = "|".join(SELECTORS)
        match = re.search(rf":(?=(?:{columns})=)", text)
        if match is None:
            if unknown := re.search(r":(\w+)=", text):
                raise InvalidArgument(
                    f"{text}: '{unknown[1]}' does not select samples. Columns: {', '.join(SELECTORS)}."
                )
            return cls(text, text, {})  # a colon may be part of the path, as in s3://
        # Values may contain commas and colons.
        parts = re.split(rf",\s*(?=(?:{columns})=)", text[match.end() :])
        pairs = (part.partition("=") for part in parts)
        return cls(text, text[: match.start()], {column: value.strip() for column, _, value in pairs})

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
            System(str(name), rows.reset_index(drop=True))
            for name, rows in samples.groupby("configuration", sort=False)
        ]


@dataclass(frozen=True)
class Systems:
    """The systems that the user named.

    Attributes:
        systems: At least two systems with different names.
        left_out: The reason for each log that could not be used.
    """

    systems: Sequence[System]
    left_out: dict[str, str]


def read_systems(operands: Sequence[str], score: str | None, workers: int = 1) -> Systems:
    """Read all systems that the operands name. Systems with the same name are distinguished by their operand.

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
    left_out = {log: reason for result in results.values() for log, reason in result.left_out.itertuples(index=False)}
    names = [system.name for _, system in pairs]
    if len(set(names)) == len(names):
        return Systems([system for _, system in pairs], left_out)
    return Systems([System(f"{operand.text}: {s.name}", s.samples) for operand, s in pairs], left_out)


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


def _names(values: Iterable[str]) -> list[str]:
    return sorted(set(values))
