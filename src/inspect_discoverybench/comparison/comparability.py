"""Whether the scores of two systems can be compared: what must be equal, and what should be known."""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from inspect_discoverybench.comparison.system import System
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
    versions = [sorted({version.partition("-")[0] for version in _recorded(s.results, "task_version")}) for s in (a, b)]
    if versions[0] != versions[1]:
        yield f"{names}: the task versions differ ({', '.join(versions[0])} and {', '.join(versions[1])})."

    for column, noun in SAME_PER_TASK.items():
        sample = _differing_sample(a, b, column)
        if sample is not None:
            yield f"{names}: the {noun} of the sample {sample} differ."

    records = _recorded(a.results, "judge_record"), _recorded(b.results, "judge_record")
    if all(records):
        first, *others = map(json.loads, itertools.chain(*records))
        lines = dict.fromkeys(line for other in others for line in differences(first, other))
        if lines:
            yield f"{names} were judged differently: {'; '.join(lines)}."


def notes_on(systems: Sequence[System]) -> list[str]:
    """What should be known about systems, one line each."""
    notes: list[str] = []
    for a, b in itertools.combinations(systems, 2):
        notes += _provenance_differences(a, b)
    for system in systems:
        for reducer in _recorded(system.results, "epochs_reducer"):
            if reducer != "mean":
                notes.append(f"The logs of {system.name} reduce epochs by {reducer}; here, epochs are averaged.")
        if system.other_scores:
            others = ", ".join(system.other_scores)
            notes.append(
                f"{system.name}: only {system.score} is compared. The logs also have {others}; select a score with "
                "--score."
            )
    return notes


def _provenance_differences(a: System, b: System) -> Iterator[str]:
    names = f"{a.name} and {b.name}"
    for column, noun in SAME_PER_RUN.items():
        first, second = _recorded(a.results, column), _recorded(b.results, column)
        if first and second and first != second:
            yield f"{names}: the {noun} differ ({', '.join(first)} and {', '.join(second)})."

    prompts = _recorded(a.results, "prompts"), _recorded(b.results, "prompts")
    if all(prompts):
        differing = _differing_prompts(itertools.chain(*prompts))
        if differing:
            yield f"{names}: these prompts differ: {', '.join(differing)}."


def _differing_prompts(records: Iterable[str]) -> list[str]:
    """Names of prompts whose fingerprints differ."""
    first, *others = map(json.loads, records)
    differing: dict[str, None] = {}
    for other in others:
        for name, fingerprint in first.items():
            if other.get(name, fingerprint) != fingerprint:
                differing[name] = None
    return list(differing)


def _differing_sample(a: System, b: System, column: str) -> str | None:
    """The id of the first common sample whose values of a column differ."""
    for key, task in a.tasks.items():
        if key in b.tasks:
            first = _recorded(task.results, column)
            second = _recorded(b.tasks[key].results, column)
            if first and second and first[0] != second[0]:
                return task.sample.id
    return None


def _recorded(results: Sequence[Result], column: str) -> list[Any]:
    """The distinct recorded values of a column."""
    values = {result.columns[column] for result in results}
    return sorted(value for value in values if value is not None)
