"""Filters: task arguments that keep the samples with certain metadata."""

from collections.abc import Mapping, Sequence

from inspect_ai.dataset import Sample

from inspect_discoverybench.errors.exceptions import InvalidArgument

FieldFilter = str | int | bool | list[str] | list[int] | None
"""One value, several values, or None for all."""


def select(samples: Sequence[Sample], filters: Mapping[str, FieldFilter]) -> list[Sample]:
    """Keep the samples that match every filter.

    Args:
        samples: Samples whose metadata has these fields.
        filters: Accepted values by metadata field.

    Raises:
        InvalidArgument: A value matches no sample, or no sample matches all filters.
    """
    selected = list(samples)
    for name, values in filters.items():
        if values is None:
            continue
        listed = values if isinstance(values, list) else [values]
        accepted = {str(value) for value in listed}
        possible = {_value(sample, name) for sample in samples}
        unknown = sorted(accepted - possible)
        if unknown:
            choices = ", ".join(sorted(possible))
            raise InvalidArgument(f"{name}={unknown[0]} matches no sample. Possible values: {choices}.")
        selected = [sample for sample in selected if _value(sample, name) in accepted]

    if not selected:
        raise InvalidArgument("No sample matches all filters together. Remove one of them.")
    return selected


def _value(sample: Sample, name: str) -> str:
    metadata = sample.metadata or {}
    return str(metadata[name])
