"""What two samples with one id were made of: which gold, which data files and which task text.

A study can be edited between two runs, so that the id of a sample says nothing about what an agent saw and what the
judge compared it with. Each sample of this package records fingerprints of its inputs (`Fingerprints`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class SampleInputs:
    """Fingerprints of the inputs of a sample; those that its log does not record are None.

    Attributes:
        gold_hypothesis: Of the gold hypothesis.
        gold_workflow: Of the gold workflow.
        task_text: Of the input.
        data_files: Of all data files together.
    """

    gold_hypothesis: str | None = None
    gold_workflow: str | None = None
    task_text: str | None = None
    data_files: str | None = None

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> "SampleInputs":
        """Read the fingerprints in the metadata of a sample, of a sample in a log, or of its summary."""
        recorded = metadata.get("fingerprints") or {}
        return cls(**{field.name: recorded.get(field.name) for field in fields(cls)})


def recorded_inputs(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a sample's metadata that `changed_inputs` reads."""
    return {name: metadata[name] for name in ("fingerprints", "data_checksums") if name in metadata}


def changed_inputs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Names of the inputs that differ between two samples with one id, such as `gold hypothesis`, `data file a.csv`.

    Controls (the placebo, hints, framings) have another task text or other data files on purpose: the caller decides
    which samples should be the same. What one of the samples does not record is not compared.

    Args:
        before: Metadata of a sample, of a sample in a log, or of the summary of one.
        after: Metadata of the other one.
    """
    old = SampleInputs.of(before)
    new = SampleInputs.of(after)
    changed = []
    for field in fields(SampleInputs):
        if not _differ(getattr(old, field.name), getattr(new, field.name)):
            continue
        if field.name == "data_files":
            changed += _changed_files(before.get("data_checksums"), after.get("data_checksums"))
        else:
            changed.append(field.name.replace("_", " "))
    return changed


def _differ(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and old != new


def _changed_files(old: Any, new: Any) -> list[str]:
    """The names of files that were changed, added or removed."""
    # Inspect replaces the checksums of very many files by a sentence in the summary of a sample.
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return ["data files"]
    names = [*old, *(name for name in new if name not in old)]
    return [f"data file {name}" for name in names if old.get(name) != new.get(name)]
