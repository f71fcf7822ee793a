"""Inspect samples of goals: task text, files for the sandbox, and metadata."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.goals import SourcedGoal
from inspect_discoverybench.dataset.release import file_checksum
from inspect_discoverybench.dataset.sample_metadata import Fingerprints, SampleMetadata, fingerprint
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.errors.exceptions import InvalidArgument

GOAL_FIELDS = (
    "goal",
    "gold_hypothesis",
    "gold_workflow",
    "data_files",
    "data_checksums",
    "workflow_tags",
    "domain_knowledge",
)
"""Metadata fields that come from the data, and that affect the task text, the answer or the judge's verdict.

Fields that only classify a goal, such as its domain, are not among them. The task text also depends on the task
arguments for hints and framing, which do not come from the data."""


def make_samples(goals: Sequence[SourcedGoal], hints: Hints) -> list[Sample]:
    """Make the Inspect samples of goals.

    Args:
        goals: The goals.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: No goal has a requested hint.
        DataError: A data file is missing, or its name is invalid.
    """
    requested = hints.requested()
    for hint in requested:
        if not any(_has_hint(goal.metadata, hint) for goal in goals):
            raise InvalidArgument(f"{hint}=true: no sample has this hint. Remove the argument.")

    checksum_of = cache(file_checksum)  # many goals have the same data files
    samples = []
    for goal in goals:
        files = {}
        checksums = {}
        for file in goal.metadata.data_files:
            path = locate(goal.source.parent, file.name)
            files[file.name] = str(path)
            checksums[file.name] = checksum_of(path)

        text = task_text(goal.metadata, hints)
        fingerprints = Fingerprints(
            gold_hypothesis=fingerprint(goal.metadata.gold_hypothesis),
            gold_workflow=fingerprint(goal.metadata.gold_workflow),
            task_text=fingerprint(text),
            data_files=fingerprint(checksums),
        )
        metadata = goal.metadata.model_copy(
            update={
                "hints": tuple(requested),
                "framing": hints.framing,
                "data_checksums": checksums,
                "fingerprints": fingerprints,
            }
        )
        samples.append(
            Sample(
                id=metadata.sample_id,
                input=text,
                target=metadata.gold_hypothesis,
                metadata=metadata.model_dump(),
                files=files,
            )
        )
    return samples


def _has_hint(goal: SampleMetadata, hint: str) -> bool:
    """Whether a goal has a hint of this name: its study or one of its data files has it."""
    study_and_files = (goal, *goal.data_files)
    # With a default, because a data file has no attribute `workflow_tags`.
    return any(getattr(part, hint, "") for part in study_and_files)


def samples_checksum(samples: Iterable[Sample], fields: Sequence[str] = GOAL_FIELDS) -> str:
    """SHA-256 of the ids and metadata of samples, as hexadecimal digits. The order of the samples does not matter.

    Args:
        samples: The samples.
        fields: The metadata fields that count. A field that a sample lacks counts as null.
    """
    contents = []
    for sample in samples:
        metadata = sample.metadata or {}
        values = {name: metadata.get(name) for name in fields}
        contents.append(json.dumps([sample.id, values], sort_keys=True))
    text = "\n".join(sorted(contents))
    return hashlib.sha256(text.encode()).hexdigest()
