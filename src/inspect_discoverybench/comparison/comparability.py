"""Whether the scores of two systems can be compared: what must be equal, and what should be known."""

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.scorer.judge_record import differences

SAME_PER_TASK = {
    "data_commit": "data commits",
    "data_files": "data files",
    "target": "gold hypotheses or targets",
}
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
    first_version, second_version = _version(a), _version(b)
    if first_version != second_version:
        yield f"{names}: the task versions differ ({first_version} and {second_version})."

    for column, noun in SAME_PER_TASK.items():
        sample = _differing_sample(a, b, column)
        if sample is not None:
            yield f"{names}: the {noun} of the sample {sample} differ."

    lines: dict[str, None] = {}
    for first, second in _records(a, b, "judge_record"):
        lines |= dict.fromkeys(differences(first, second))
    if lines:
        listed = "; ".join(lines)
        yield f"{names} were judged differently: {listed}."


def _version(system: System) -> str:
    """The number of the task's version, which changes when scores are no longer comparable; its letter may differ."""
    versions = _recorded(system.results, "task_version")
    numbers = {version.partition("-")[0] for version in versions}
    return ", ".join(sorted(numbers))


def _differing_sample(a: System, b: System, column: str) -> str | None:
    """The id of the first common sample whose values of a column differ."""
    for key, task in a.tasks.items():
        if key in b.tasks:
            first = _recorded(task.results, column)
            second = _recorded(b.tasks[key].results, column)
            if first and second and first[0] != second[0]:
                return task.sample.id
    return None


def notes_on(systems: Sequence[System]) -> list[str]:
    """What should be known about systems, one line each."""
    notes: list[str] = []
    for a, b in itertools.combinations(systems, 2):
        notes += _provenance_differences(a, b)
    for system in systems:
        name = system.name
        for reducer in _recorded(system.results, "epochs_reducer"):
            if reducer != "mean":
                notes.append(f"The logs of {name} reduce epochs by {reducer}; here, epochs are averaged.")
        if system.other_scores:
            others = ", ".join(system.other_scores)
            notes.append(
                f"{name}: only {system.score} is compared. The logs also have {others}; select a score with --score."
            )
    return notes


def _provenance_differences(a: System, b: System) -> Iterator[str]:
    names = f"{a.name} and {b.name}"
    for column, noun in SAME_PER_RUN.items():
        first = ", ".join(_recorded(a.results, column))
        second = ", ".join(_recorded(b.results, column))
        if first and second and first != second:
            yield f"{names}: the {noun} differ ({first} and {second})."

    differing: dict[str, None] = {}
    for first_prompts, second_prompts in _records(a, b, "prompts"):
        for prompt, fingerprint in first_prompts.items():
            if second_prompts.get(prompt, fingerprint) != fingerprint:
                differing[prompt] = None
    if differing:
        listed = ", ".join(differing)
        yield f"{names}: these prompts differ: {listed}."


def _records(a: System, b: System, column: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The first record of two systems in a column of JSON with each other one; none if a system has no record."""
    first = _recorded(a.results, column)
    second = _recorded(b.results, column)
    if first and second:
        reference = json.loads(first[0])
        for text in [*first[1:], *second]:
            yield reference, json.loads(text)


def _recorded(results: Sequence[Result], column: str) -> list[str]:
    """The distinct recorded values of a column."""
    values = {result.columns[column] for result in results}
    return sorted(value for value in values if value is not None)
