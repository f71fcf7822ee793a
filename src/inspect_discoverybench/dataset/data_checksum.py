"""Checksum of the parts of samples that come from the data, as opposed to prompts and arguments."""

import hashlib
import json
from collections.abc import Iterable, Sequence

from inspect_ai.dataset import Sample

GOAL_FIELDS = (
    *("goal", "gold_hypothesis", "gold_workflow", "data_files", "data_checksums"),
    *("workflow_tags", "domain_knowledge"),
)
"""Metadata fields of a goal that come from the data. The other fields are derived from them."""


def data_checksum(samples: Iterable[Sample], fields: Sequence[str] = GOAL_FIELDS) -> str:
    """SHA-256 of the ids and metadata of samples, as hexadecimal digits. The order of the samples does not matter.

    Args:
        samples: The samples.
        fields: Names of the metadata to include.
    """
    contents = sorted(
        json.dumps([sample.id, {name: (sample.metadata or {}).get(name) for name in fields}], sort_keys=True)
        for sample in samples
    )
    return hashlib.sha256("\n".join(contents).encode()).hexdigest()
