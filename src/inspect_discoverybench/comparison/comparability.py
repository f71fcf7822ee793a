"""Whether the scores of two systems can be compared: what must be equal, and what should be known."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_discoverybench.comparison.system import System, TaskId
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.scorer.judge_record import differences

SAME_PER_TASK = {"data_commit": "data commits", "data_files": "data files", "target": "gold hypotheses or targets"}
"""Columns whose values must be equal for a common sample, with the plural nouns that messages use."""

SAME_PER_RUN = {
    "package_version": "versions of inspect-discoverybench",
    "image": "sandbox images",
    "image_id": "ids of the sandbox images",
}
"""Columns whose differences are noted, with the plural nouns that messages use."""


def incompatibilities(a: System, b: System) -> Iterator[str]:
    """Reasons why two systems' scores are not comparable, one line each. Values that are not recorded are ignored."""
    names = f"{a.name} and {b.name}"
    # The number of a version changes when scores are no longer comparable, and its letter with the interface.
    versions = [sorted({result.run.task_version.partition("-")[0] for result in each.results}) for each in (a, b)]
    if versions[0] != versions[1]:
        yield f"{names}: the task versions differ ({', '.join(versions[0])} and {', '.join(versions[1])})."

    for column, noun in SAME_PER_TASK.items():
        sample = _differing_sample(a, b, column)
        if sample is not None:
            yield f"{names}: the {noun} of the sample {sample} differ."

    records = [_distinct(a, "judge_record"), _distinct(b, "judge_record")]
    if all(records):
        first, *others = (json.loads(record) for record in records[0] + records[1])
        lines: dict[str, None] = {}
        for other in others:
            lines |= dict.fromkeys(differences(first, other))
        if lines:
            yield f"{names} were judged differently: {'; '.join(lines)}."


def provenance_differences(a: System, b: System) -> Iterator[str]:
    """Differences in the provenance of two systems, one line each. Values that a log does not record are ignored."""
    names = f"{a.name} and {b.name}"
    for column, noun in SAME_PER_RUN.items():
        first, second = _distinct(a, column), _distinct(b, column)
        if first and second and first != second:
            yield f"{names}: the {noun} differ ({', '.join(first)} and {', '.join(second)})."

    differing = _differing_prompts(_distinct(a, "prompts"), _distinct(b, "prompts"))
    if differing:
        yield f"{names}: these prompts differ: {', '.join(differing)}."


def reducer_notes(system: System) -> Iterator[str]:
    """A note if logs reduce epochs by something other than the mean."""
    for reducer in _distinct(system, "epochs_reducer"):
        if reducer != "mean":
            yield f"The logs of {system.name} reduce epochs by {reducer}; here, epochs are averaged."


def _differing_sample(a: System, b: System, column: str) -> str | None:
    """The id of the first common sample whose values of a column differ."""
    first, second = _by_task(a, column), _by_task(b, column)
    for task, value in first.items():
        if second.get(task, value) != value:
            return task[1]
    return None


def _by_task(system: System, column: str) -> Mapping[TaskId, Any]:
    """The first recorded value of a column for each task that has one."""
    values: dict[TaskId, Any] = {}
    for task_id, task in system.tasks.items():
        recorded = [value for value in _values(task.results, column) if value is not None]
        if recorded:
            values[task_id] = recorded[0]
    return values


def _distinct(system: System, column: str) -> list[str]:
    return sorted({value for value in _values(system.results, column) if value is not None})


def _values(results: Sequence[Result], column: str) -> list[Any]:
    return [result.columns[column] for result in results]


def _differing_prompts(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Names of prompts whose fingerprints differ in two lists of JSON records."""
    if not a or not b:
        return []
    first, *others = (json.loads(record) for record in [*a, *b])
    return [name for name in first if any(other.get(name, first[name]) != first[name] for other in others)]
