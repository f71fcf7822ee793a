"""Systems to compare: the results of one configuration, selected from logs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.frame import Results, read_results
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.task import Task, TaskId, tasks_of
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.submission.submission import SCORE_NAME

SELECTORS = (
    "agent",
    "agent_arguments",
    "configuration",
    "dataset",
    "difficulty",
    "domain",
    "epoch",
    "goal_type",
    "hints",
    "log",
    "model",
    "model_settings",
    "reveals_gold",
    "score",
    "split",
    "study",
    "task",
    "task_version",
)
"""Columns that can select samples."""

MAX_VALUES = 10
"""Number of values that a message lists."""

Selected = list[tuple[Configuration, Result]]
"""Results with their configuration."""


@dataclass(frozen=True)
class System:
    """The results of one configuration with one score.

    Attributes:
        name: Its name in the comparison.
        configuration: The configuration.
        results: A row for each sample and epoch, with and without the score.
        keys: Keys of the score, those of HMS first; one empty key if the score is a single number.
        other_scores: Names of scores that the logs also have, if the user selected none.
    """

    name: str
    configuration: Configuration
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
        start = re.search(r":(\w+)=", text)
        if start is None:
            return cls(text, text, {})
        if start[1] not in SELECTORS:
            listed = ", ".join(SELECTORS)
            raise InvalidArgument(f"{text}: '{start[1]}' does not select samples. Columns: {listed}.")

        colon = start.start()
        path, pairs = text[:colon], text[colon + 1 :]
        columns = "|".join(SELECTORS)
        selection = {}
        for pair in re.split(rf",\s*(?=(?:{columns})=)", pairs):
            column, _, value = pair.partition("=")
            selection[column] = value.strip()
        return cls(text, path, selection)

    def select(self, results: Sequence[Result]) -> Selected:
        """The selected results.

        Raises:
            DataMissing: No sample is selected.
        """
        selected = list(zip(configurations_of(results), results, strict=True))
        for column, expected in self.selection.items():
            by_value: dict[str, Selected] = {}
            for configuration, result in selected:
                value = _value(configuration, result, column)
                by_value.setdefault(value, []).append((configuration, result))
            if expected not in by_value:
                raise self._missing(column, expected, by_value)
            selected = by_value[expected]
        return selected

    def _missing(self, column: str, expected: str, known: Iterable[str]) -> DataMissing:
        values = sorted(known)
        listed = ", ".join(values[:MAX_VALUES])
        return DataMissing(f"{self.text}: no sample has {column}={expected}. Values in the logs: {listed}.")


def _value(configuration: Configuration, result: Result, column: str) -> str:
    """The value of a column as users write it."""
    columns = result.columns
    columns["configuration"] = configuration.name
    columns["hints"] = configuration.hints
    value = columns[column]
    return "none" if value is None else str(value)


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
        InvalidArgument: There are fewer than two systems, a column cannot select samples, the score does not exist, or
            a score is not in 0–1.
    """
    read: dict[str, Results] = {}
    left_out: dict[str, str] = {}
    systems: list[System] = []
    named: list[System] = []
    for text in texts:
        operand = Operand.parse(text)
        if operand.path not in read:
            read[operand.path] = read_results(operand.path, workers, any_task=True)
            left_out |= read[operand.path].left_out
        results = read[operand.path]
        for system in _systems(operand, results.rows, score):
            long_name = f"{text}: {system.name}"
            systems.append(system)
            named.append(replace(system, name=long_name))

    if len(systems) < 2:
        only = systems[0].name
        raise InvalidArgument(
            f"{texts[0]} has a single configuration, {only}. Name at least two logs, folders or selections."
        )
    names = {system.name for system in systems}
    is_distinct = len(names) == len(systems)
    return systems if is_distinct else named, left_out


def _systems(operand: Operand, results: Sequence[Result], score: str | None) -> list[System]:
    """The selected results by configuration, with one score."""
    selected = operand.select(results)
    names = sorted({result.score.score for _, result in selected})
    choices = _choices(selected)
    default = names[0] if len(names) == 1 else SCORE_NAME
    chosen = score or default
    if chosen not in choices:
        listed = ", ".join(choices)
        problem = "has several scores"
        if score is not None:
            problem = f"has no numeric score '{score}'"
        raise InvalidArgument(f"{operand.text} {problem}. Select one with --score: {listed}.")

    name, keys = choices[chosen]
    by_configuration: dict[Configuration, list[Result]] = {}
    for configuration, result in selected:
        if result.score.score == name:
            _check_range(operand, result, keys[0])
            rows = by_configuration.setdefault(configuration, [])
            rows.append(result)

    others: list[str] = []
    if score is None:
        others = [other for other in names if other != name]
    systems = []
    for configuration, rows in by_configuration.items():
        system = System(configuration.name, configuration, rows, keys, others)
        systems.append(system)
    return systems


def _choices(selected: Selected) -> dict[str, tuple[str, list[str]]]:
    """What can be compared, by what the user writes: the name of a score and its keys.

    HMS is compared with its facets. Other scores with several keys are compared by one key, as NAME.KEY.
    """
    keys: dict[str, set[str]] = {}
    for _, result in selected:
        known = keys.setdefault(result.score.score, set())
        known.update(result.score.values)

    choices = {}
    for name in sorted(keys):
        own = [key for key in SCORE_KEYS if key in keys[name]]
        others = sorted(keys[name].difference(own))
        if own or len(others) == 1:
            choices[name] = (name, own + others)
        for key in own + others:
            choices[f"{name}.{key}"] = (name, [key])
    return choices


def _check_range(operand: Operand, result: Result, key: str) -> None:
    for value in Task([result]).score(key).scored:
        if value < 0 or value > 1:
            raise InvalidArgument(f"{operand.text} has the score {value:g}. Only scores in 0–1 can be compared.")
