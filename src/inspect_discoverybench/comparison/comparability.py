"""Whether the scores of two systems can be compared: what must be equal, and what should be known."""

import json
from collections.abc import Iterator, Sequence
from operator import attrgetter

from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.scorer.judge_record import differences

SAME_PER_TASK = {
    "run.data_commit": "data commits",
    "sample.data_files": "data files",
    "sample.target": "gold hypotheses or targets",
}
"""What must be equal for a common sample, with the plural nouns that messages use."""

SAME_PER_RUN = {
    "run.package_version": "versions of inspect-discoverybench",
    "run.image": "sandbox images",
}
"""What is noted if it differs, with the plural nouns that messages use."""


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

    first_records = _recorded(a.results, "score.judge_record")
    second_records = _recorded(b.results, "score.judge_record")
    if first_records and second_records:
        lines: list[str] = []
        reference = json.loads(first_records[0])
        for record in first_records + second_records:
            lines += differences(reference, json.loads(record))
        if lines:
            listed = "; ".join(dict.fromkeys(lines))
            yield f"{names} were judged differently: {listed}."


def _version(system: System) -> str:
    """The number of the task's version, which changes when scores are no longer comparable; its letter may differ."""
    versions = _recorded(system.results, "run.task_version")
    numbers = {version.partition("-")[0] for version in versions}
    return ", ".join(sorted(numbers))


def _differing_sample(a: System, b: System, column: str) -> str | None:
    """The id of the first common sample whose values of a column differ."""
    for key, task in a.tasks.items():
        if key in b.tasks:
            first = _recorded(task.results, column)
            second = _recorded(b.tasks[key].results, column)
            if first and second and first != second:
                return task.sample.id
    return None


def notes_on(systems: Sequence[System]) -> Iterator[str]:
    """What should be known about systems, one line each."""
    for column, noun in SAME_PER_RUN.items():
        by_system = {}
        for system in systems:
            values = _recorded(system.results, column)
            if values:
                by_system[system.name] = ", ".join(values)
        if len(set(by_system.values())) > 1:
            listed = "; ".join(f"{name}: {text}" for name, text in by_system.items())
            yield f"The {noun} differ ({listed})."

    for system in systems:
        for reducer in _recorded(system.results, "run.epochs_reducer"):
            if reducer != "mean":
                yield f"The logs of {system.name} reduce epochs by {reducer}; here, epochs are averaged."
        if system.other_scores:
            others = ", ".join(system.other_scores)
            yield (
                f"{system.name}: only {system.score} is compared. The logs also have {others}; select a score with "
                "--score."
            )


def _recorded(results: Sequence[Result], column: str) -> list[str]:
    """The distinct recorded values of a column."""
    value_of = attrgetter(column)
    values = {value_of(result) for result in results}
    return sorted(value for value in values if value is not None)
