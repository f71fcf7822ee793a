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
    active = {name: _accepted(values) for name, values in filters.items() if values is not None}
    for name, accepted in active.items():
        possible = {_value(sample, name) for sample in samples} - {None}
        unknown = [value for value in accepted if value not in possible]
        if unknown:
            choices = ", ".join(sorted(map(str, possible)))
            raise InvalidArgument(f"{name}={unknown[0]} matches no sample. Possible values: {choices}.")
        selected = [sample for sample in selected if _value(sample, name) in accepted]
    if not selected:
        pairs = ", ".join(f"{name}={','.join(accepted)}" for name, accepted in active.items())
        raise InvalidArgument(f"No sample matches all of {pairs}. Remove one of these filters.")
    return selected


def _accepted(values: FieldFilter) -> list[str]:
    listed = values if isinstance(values, list) else [values]
    return [_typed(value) for value in listed]


def _value(sample: Sample, name: str) -> str | None:
    value = (sample.metadata or {})[name]
    return None if value is None else _typed(value)


def _typed(value: object) -> str:
    """A value as a user types it on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
