"""Systems to compare: the results of one configuration, selected from logs."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.frame import Results, read_results
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.task import Task, TaskScore, tasks_of
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.submission.submission import SCORE_NAME

SELECTORS = (
    *("agent", "model", "task", "split", "domain", "study", "dataset", "goal_type", "difficulty", "score", "epoch"),
    *("reveals_gold", "hints", "task_version", "agent_arguments", "model_settings", "configuration", "log"),
)
"""Columns that can select samples."""

DIGITS = 9
"""Digits to which scores are rounded: means of several values may be above 1 by a rounding error."""

MAX_VALUES = 10
"""Number of values that a message lists."""

TaskId = tuple[str, str]
"""Name of the task, and id of its sample."""


@dataclass(frozen=True)
class System:
    """The results of one configuration with one score.

    Attributes:
        name: Its name in the comparison.
        results: A row for each sample and epoch, with and without the score.
        keys: Keys of the score, those of HMS first; one empty key if the score is a single number.
        other_scores: Names of scores that the logs also have, if the user selected none.
    """

    name: str
    results: Sequence[Result]
    keys: Sequence[str]
    other_scores: Sequence[str]

    @property
    def score(self) -> str:
        """Name of the score."""
        return self.results[0].score.score

    @cached_property
    def tasks(self) -> Mapping[TaskId, Task]:
        """The tasks."""
        return tasks_of(self.results)

    def scores(self, key: str) -> Mapping[TaskId, TaskScore]:
        """The score of each task.

        Raises:
            InvalidArgument: A score is not in 0–1.
        """
        scores = {}
        for task_id, task in self.tasks.items():
            values = [round(value, DIGITS) for value in task.score(key).epochs]
            for value in values:
                if value < 0 or value > 1:
                    raise InvalidArgument(f"{self.name} has the score {value:g}. Only scores in 0–1 can be compared.")
            scores[task_id] = TaskScore(tuple(values))
        return scores


@dataclass(frozen=True)
class Operand:
    """What the user names: `PATH`, or `PATH:column=value,…`."""

    text: str
    path: str
    selection: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> "Operand":
        """Read an operand. Paths and values may contain colons, and values commas.

        Raises:
            InvalidArgument: A column cannot select samples.
        """
        columns = "|".join(SELECTORS)
        start = re.search(rf":(?=({columns})=)", text)
        if start is None:
            unknown = re.search(r":(\w+)=", text)
            if unknown:
                raise InvalidArgument(
                    f"{text}: '{unknown[1]}' does not select samples. Columns: {', '.join(SELECTORS)}."
                )
            return cls(text, text, {})

        pairs = [part.partition("=") for part in re.split(rf",\s*(?=(?:{columns})=)", text[start.end() :])]
        return cls(text, text[: start.start()], {column: value.strip() for column, _, value in pairs})

    def select(self, results: Sequence[Result]) -> list[tuple[Configuration, Result]]:
        """The selected results, each with its configuration.

        Raises:
            DataMissing: No sample is selected.
        """
        selected = list(zip(configurations_of(results), results, strict=True))
        for column, expected in self.selection.items():
            values = [_value(configuration, result, column) for configuration, result in selected]
            selected = [row for row, value in zip(selected, values, strict=True) if value == expected]
            if not selected:
                known = ", ".join(sorted(set(values))[:MAX_VALUES])
                raise DataMissing(f"{self.text}: no sample has {column}={expected}. Values in the logs: {known}.")
        return selected


def _value(configuration: Configuration, result: Result, column: str) -> str:
    """The value of a column as users write it."""
    if column == "configuration":
        return configuration.name
    value = configuration.hints if column == "hints" else result.columns[column]
    if value is None:
        return "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def read_systems(texts: Sequence[str], score: str | None, workers: int = 1) -> tuple[list[System], dict[str, str]]:
    """Read at least two systems.

    Args:
        texts: Logs, folders and selections (`PATH:column=value,…`), which distinguish systems with the same name.
        score: `NAME` or `NAME.KEY`; by default HMS, or the only score.
        workers: Number of processes that read logs.

    Returns:
        The systems, and the reason for each log that could not be used.

    Raises:
        DataMissing: No log can be used, or no sample is selected.
        InvalidArgument: There are fewer than two systems, a column cannot select samples, or the score does not exist.
    """
    read: dict[str, Results] = {}
    left_out: dict[str, str] = {}
    systems: list[tuple[str, System]] = []
    for operand in map(Operand.parse, texts):
        if operand.path not in read:
            read[operand.path] = read_results(operand.path, workers, any_task=True)
            left_out |= read[operand.path].left_out
        systems += [(operand.text, system) for system in _systems(operand, read[operand.path].rows, score)]

    if len(systems) < 2:
        text, system = systems[0]
        raise InvalidArgument(
            f"{text} has a single configuration, {system.name}. Name at least two logs, folders or selections."
        )
    return _with_distinct_names(systems), left_out


def _systems(operand: Operand, results: Sequence[Result], score: str | None) -> list[System]:
    """The selected results by configuration, with one score.

    Raises:
        DataMissing: No sample is selected.
        InvalidArgument: The score or its key does not exist, or it is not clear which one is meant.
    """
    selected = operand.select(results)
    names = sorted({result.score.score for _, result in selected})
    name, key = _score_and_key(operand, names, score)
    selected = [row for row in selected if row[1].score.score == name]
    keys = _keys(operand, name, key, [result for _, result in selected])
    others = [] if score else [other for other in names if other != name]

    by_configuration: dict[Configuration, list[Result]] = defaultdict(list)
    for configuration, result in selected:
        by_configuration[configuration].append(result)
    return [System(configuration.name, rows, keys, others) for configuration, rows in by_configuration.items()]


def _score_and_key(operand: Operand, names: Sequence[str], score: str | None) -> tuple[str, str | None]:
    """The name of the score, and the key that is asked for."""
    if score is None:
        if SCORE_NAME not in names and len(names) > 1:
            raise InvalidArgument(f"{operand.text} has several scores: {', '.join(names)}. Select one with --score.")
        return SCORE_NAME if SCORE_NAME in names else names[0], None

    if score in names:
        return score, None
    name, _, key = score.rpartition(".")
    if name not in names:
        raise InvalidArgument(f"{operand.text} has no numeric score '{score}'. Numeric scores: {', '.join(names)}.")
    return name, key


def _keys(operand: Operand, name: str, key: str | None, results: Sequence[Result]) -> list[str]:
    """The keys to compare: the one that is asked for, or those of HMS, or the only one."""
    known = {key for result in results for key in result.score.values}
    listed = ", ".join(sorted(known))
    if key is not None:
        if key not in known:
            raise InvalidArgument(f"{operand.text}: the score '{name}' has no key '{key}'. Keys: {listed}.")
        return [key]

    if "hms" not in known and len(known) > 1:
        raise InvalidArgument(
            f"{operand.text}: the score '{name}' has several keys: {listed}. Select one with --score {name}.KEY."
        )
    return [*(key for key in SCORE_KEYS if key in known), *sorted(known - SCORE_KEYS.keys())]


def _with_distinct_names(systems: Sequence[tuple[str, System]]) -> list[System]:
    names = {system.name for _, system in systems}
    if len(names) == len(systems):
        return [system for _, system in systems]
    return [replace(system, name=f"{text}: {system.name}") for text, system in systems]
