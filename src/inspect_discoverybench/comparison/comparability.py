"""Whether the scores of two systems can be compared: what must be equal, and what should be known."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter

from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.sample_inputs import changed_inputs
from inspect_discoverybench.results.task_result import edited_samples
from inspect_discoverybench.scorer.judge_record import OFFLINE_NOTE, differences, is_offline

SAME_PER_TASK = {
    "run.data_commit": "data commits",
    "sample.data_files": "data files",
    "sample.target": "gold hypotheses or targets",
}
"""What must be equal for a common sample, with the plural nouns that messages use."""

TASK_TEXT = "task text"

SAME_FINGERPRINTS = {"gold workflow": "gold workflows", TASK_TEXT: "task texts"}
"""Inputs of a common sample whose fingerprints must be equal, with the plural nouns that messages use.

The column `sample.gold_workflow` is not in `SAME_PER_TASK`, because it is empty both if there is no workflow and if a
log does not record it. Empty columns are ignored, so it would not be found that only one of two samples has a
workflow."""

SAME_PER_RUN = {
    "run.package_version": "versions of inspect-discoverybench",
    "run.image": "sandbox images",
}
"""What is noted if it differs, with the plural nouns that messages use."""


def incompatibilities(baseline: System, candidate: System) -> Iterator[str]:
    """Reasons why two systems' scores are not comparable, one line each. Values that are not recorded are ignored."""
    names = f"{baseline.name} and {candidate.name}"
    baseline_version = _version(baseline)
    candidate_version = _version(candidate)
    if baseline_version != candidate_version:
        yield f"{names}: the task versions differ ({baseline_version} and {candidate_version})."

    for system in (baseline, candidate):
        for edited_id, changes in edited_samples(system.tasks.values()).items():
            listed = ", ".join(changes)
            yield f"{system.name}: the sample {edited_id} was run again after a change ({listed})."

    for column, noun in SAME_PER_TASK.items():
        differing_id = _differing_sample(baseline, candidate, column)
        if differing_id is not None:
            yield f"{names}: the {noun} of the sample {differing_id} differ."
    for name, noun in SAME_FINGERPRINTS.items():
        differing_id = _sample_with_differing_input(baseline, candidate, name)
        if differing_id is not None:
            yield f"{names}: the {noun} of the sample {differing_id} differ."

    judge_differences = "; ".join(_judge_differences(baseline, candidate))
    if judge_differences:
        yield f"{names} were judged differently: {judge_differences}."


def _version(system: System) -> str:
    """The number of the task's version, such as the 3 of `3-A`. It changes when scores are no longer comparable.

    Scores of versions that differ only in the letter are comparable.
    """
    numbers = _recorded(system.results, "run.version_number")
    return ", ".join(numbers)


def _differing_sample(baseline: System, candidate: System, column: str) -> str | None:
    """The id of the first common sample whose values of a column differ."""
    for task_id, baseline_task in baseline.tasks.items():
        candidate_task = candidate.tasks.get(task_id)
        if candidate_task is None:
            continue
        baseline_values = _recorded(baseline_task.results, column)
        candidate_values = _recorded(candidate_task.results, column)
        if baseline_values and candidate_values and baseline_values != candidate_values:
            return baseline_task.sample.id
    return None


def _sample_with_differing_input(baseline: System, candidate: System, name: str) -> str | None:
    """The id of the first common sample whose inputs of this name differ. `changed_inputs` gives the names."""
    for task_id, baseline_task in baseline.tasks.items():
        candidate_task = candidate.tasks.get(task_id)
        if candidate_task is None:
            continue
        # Hints change the task text on purpose.
        if name == TASK_TEXT and baseline_task.results[0].run.hints != candidate_task.results[0].run.hints:
            continue
        if name in changed_inputs(baseline_task.sample.inputs, candidate_task.sample.inputs):
            return baseline_task.sample.id
    return None


def _judge_differences(baseline: System, candidate: System) -> list[str]:
    """How the judge records of both systems differ from the baseline's first one; empty if a system has no record."""
    baseline_records = _recorded(baseline.results, "score.judge_record")
    candidate_records = _recorded(candidate.results, "score.judge_record")
    if not baseline_records or not candidate_records:
        return []

    reference, *others = [json.loads(text) for text in baseline_records + candidate_records]
    lines: list[str] = []
    for record in others:
        lines += differences(reference, record)
    return list(dict.fromkeys(lines))  # each line once


def notes_on(systems: Sequence[System]) -> Iterator[str]:
    """What readers of a comparison should know about its systems, one line each."""
    results: list[ResultRow] = []
    for system in systems:
        results += system.results
    for column, noun in SAME_PER_RUN.items():
        values = _recorded(results, column)
        if len(values) > 1:
            listed = ", ".join(values)
            yield f"The {noun} differ: {listed}."

    for judge in filter(is_offline, _recorded(results, "score.judge")):
        yield f"The judge {judge} {OFFLINE_NOTE}"

    prompts = ", ".join(_differing_prompts(results))
    if prompts:
        yield f"These prompts differ: {prompts}."


def _differing_prompts(results: Sequence[ResultRow]) -> list[str]:
    """Names of the prompts whose fingerprints differ between the logs."""
    fingerprints: set[tuple[str, str]] = set()
    for text in _recorded(results, "run.prompts"):
        prompts = json.loads(text)
        fingerprints.update(prompts.items())

    # The name of a prompt is in the set once for each of its distinct fingerprints.
    fingerprints_of_prompt = Counter(name for name, _ in fingerprints)
    return sorted(name for name, count in fingerprints_of_prompt.items() if count > 1)


def _recorded(results: Sequence[ResultRow], column: str) -> list[str]:
    """The distinct values of a column, without the empty one, which stands for a value that is not recorded."""
    value_of = attrgetter(column)
    values = {value_of(result) for result in results}
    return sorted(value for value in values if value)
