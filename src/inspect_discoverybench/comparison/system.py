"""Systems to compare: the results of one configuration, selected from logs."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.frame import ResultFrame, read_results
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import TaskId, TaskResult, tasks_of

SELECTORS = (
    "agent",
    "agent_arguments",
    "configuration",
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

Selected = list[tuple[Configuration, ResultRow]]
"""Results with their configuration."""


@dataclass(frozen=True)
class System:
    """The results of one configuration with one score.

    Attributes:
        name: Its name in the comparison.
        configuration: The configuration.
        results: A row for each sample and epoch, also if it is unscored.
    """

    name: str
    configuration: Configuration
    results: Sequence[ResultRow]

    @cached_property
    def tasks(self) -> Mapping[TaskId, TaskResult]:
        """The tasks."""
        return tasks_of(self.results)


def read_systems(texts: Sequence[str]) -> tuple[list[System], dict[str, str]]:
    """Read at least two systems.

    Args:
        texts: Logs, folders and selections (`PATH:column=value,…`). If there are several scores and none is selected,
            the score of the first judge is read.

    Returns:
        The systems, and why logs could not be used, by path. If the names of the configurations distinguish the
        systems, these are the names of the systems. Otherwise, each name begins with the text that selected it.

    Raises:
        DataError: No log can be used, or no sample is selected.
        InvalidArgument: There are fewer than two systems, or a column cannot select samples.
    """
    results_of_path: dict[str, ResultFrame] = {}
    left_out: dict[str, str] = {}
    systems: list[System] = []
    for text in texts:
        path, selection = _parse_operand(text)
        if path not in results_of_path:
            results_of_path[path] = read_results([path])
        results = results_of_path[path]
        left_out |= results.left_out
        selected = _select(text, selection, results.rows)
        systems += _systems(text, selected)

    if len(systems) < 2:
        [system] = systems
        raise InvalidArgument(
            f"{texts[0]} has a single configuration, {system.configuration.name}. "
            "Name at least two logs, folders or selections."
        )
    _require_distinct_samples(systems)

    # Until here, the configurations of each path were named without regard to those of other paths. A setting that all
    # configurations of a path have is not in their names, but it may distinguish them from those of another path. So
    # the configurations of all systems are named again, together.
    one_result_each = [system.results[0] for system in systems]
    names = [configuration.name for configuration in configurations_of(one_result_each)]
    if len(set(names)) == len(systems):
        systems = [replace(system, name=name) for system, name in zip(systems, names, strict=True)]
    return systems, left_out


def _require_distinct_samples(systems: Sequence[System]) -> None:
    """Refuse systems that have a score in common. A common score would hide a part of their difference.

    Raises:
        InvalidArgument: A score of a sample belongs to two systems.
    """
    owners: dict[tuple[str | None, ...], System] = {}
    for system in systems:
        for result in system.results:
            # The attempt at the sample, the name of the score, and how it was judged.
            identity = (result.sample.uuid, result.score.score, result.score.judge_record)
            owner = owners.setdefault(identity, system)
            if owner is not system:
                raise InvalidArgument(
                    f"{owner.name} and {system.name} contain the same sample, {result.sample.id}. "
                    "Name every log once, or select a part of the samples with PATH:column=value."
                )


def _parse_operand(text: str) -> tuple[str, dict[str, str]]:
    """Read `PATH`, or `PATH:column=value,…`: the path, and the values by column.

    The path and the values may contain colons and commas.

    Raises:
        InvalidArgument: A column cannot select samples.
    """
    columns = "|".join(SELECTORS)
    separator = rf"[:,]\s*({columns})="
    path, *parts = re.split(separator, text)
    # The path ends where the first column of `SELECTORS` begins, so any column in it is an unknown one.
    unknown = re.search(r":(?P<column>\w+)=", path)
    if unknown:
        listed = ", ".join(SELECTORS)
        raise InvalidArgument(f"{text}: '{unknown['column']}' does not select samples. Columns: {listed}.")

    # `re.split` also returns the column of each separator, so the parts are columns and values in turn.
    selected_columns = parts[::2]
    values = parts[1::2]
    selection = dict(zip(selected_columns, values, strict=True))
    return path, selection


def _select(text: str, selection: Mapping[str, str], results: Sequence[ResultRow]) -> Selected:
    """The results that have the values of the selection.

    Args:
        text: The user's text, for the message.
        selection: The values by column.
        results: The results to select from.

    Raises:
        DataError: No sample is selected.
    """
    configurations = configurations_of(results)
    selected = list(zip(configurations, results, strict=True))
    for column, expected in selection.items():
        values = [_column_text(configuration, result, column) for configuration, result in selected]
        matching = [row for row, value in zip(selected, values, strict=True) if value == expected]
        if not matching:
            listed = ", ".join(sorted(set(values))[:MAX_VALUES])
            raise DataError(f"{text}: no sample has {column}={expected}. Values in the logs: {listed}.")
        selected = matching
    return selected


def _column_text(configuration: Configuration, result: ResultRow, column: str) -> str:
    """The text that selects the value of a column in `PATH:column=value`.

    The columns `configuration` and `hints` are not those of a result, but of its configuration.
    """
    columns = {
        **result.columns,
        "configuration": configuration.name,
        "hints": ", ".join(configuration.hints),
    }
    value = columns[column]
    if value is None:
        return "none"
    return str(value)


def _systems(text: str, selected: Selected) -> list[System]:
    """A system for each configuration among the results that the user's text selected. Its name begins with the text.

    If the results have several scores, each system has only that of the first judge.
    """
    # `score.score` is a name. In alphabetical order, `HMS` comes before `HMS1` of a further judge.
    first_score_name = min(result.score.score for _, result in selected)
    results: dict[Configuration, list[ResultRow]] = defaultdict(list)
    for configuration, result in selected:
        if result.score.score == first_score_name:
            results[configuration].append(result)
    return [System(f"{text}: {configuration.name}", configuration, rows) for configuration, rows in results.items()]
