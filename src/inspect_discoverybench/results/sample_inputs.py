"""The inputs of samples (gold hypothesis, gold workflow, data files, task text), and which of them were changed.

A study can be edited between two runs. The id of a sample then stays the same, although the agent saw other data, or
the judge compared the predicted hypothesis with another gold hypothesis. Each sample of this package records
fingerprints of its inputs (`Fingerprints`).
"""

from collections.abc import Mapping
from typing import Any

from inspect_discoverybench.dataset.sample_metadata import Fingerprints


def recorded_inputs(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a sample's metadata that `changed_inputs` reads."""
    return {name: metadata[name] for name in ("fingerprints", "data_checksums") if name in metadata}


def changed_inputs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Names of the inputs that differ between two samples with one id, such as `gold hypothesis`, `data file a.csv`.

    Controls (the placebo, hints, framings) have another task text or other data files on purpose. So the caller passes
    two samples whose inputs should be the same. An input that one of them does not record is not compared.

    Args:
        before: Metadata of a sample, of a sample in a log, or of the summary of one.
        after: Metadata of the other one.
    """
    old = before.get("fingerprints") or {}
    new = after.get("fingerprints") or {}
    changed = []
    for name in Fingerprints.model_fields:
        if not _differ(old.get(name), new.get(name)):
            continue
        if name == "data_files":
            changed += _changed_files(before.get("data_checksums"), after.get("data_checksums"))
        else:
            changed.append(name.replace("_", " "))
    return changed


def _differ(old: str | None, new: str | None) -> bool:
    return old is not None and new is not None and old != new


def _changed_files(old: Any, new: Any) -> list[str]:
    """The names of files that were changed, added or removed."""
    # In the summary of a sample, Inspect replaces the checksums of very many files by a sentence. The names of the
    # changed files are then unknown.
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return ["data files"]
    names = [*old, *(name for name in new if name not in old)]
    return [f"data file {name}" for name in names if old.get(name) != new.get(name)]
