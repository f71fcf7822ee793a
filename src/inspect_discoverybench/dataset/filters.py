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
    used = []
    for name, values in filters.items():
        if values is None:
            continue
        listed = values if isinstance(values, list) else [values]
        accepted = [_as_typed(value) for value in listed]
        _require_possible(name, accepted, samples)
        selected = [sample for sample in selected if _value(sample, name) in accepted]
        used.append(name)

    if not selected:
        names = ", ".join(used)
        raise InvalidArgument(f"No sample matches the filters {names} together. Remove one of them.")
    return selected


def _require_possible(name: str, accepted: Sequence[str], samples: Sequence[Sample]) -> None:
    possible = {_value(sample, name) for sample in samples}
    possible.discard("None")
    for value in accepted:
        if value not in possible:
            choices = ", ".join(sorted(possible))
            raise InvalidArgument(f"{name}={value} matches no sample. Possible values: {choices}.")


def _value(sample: Sample, name: str) -> str:
    metadata = sample.metadata or {}
    return _as_typed(metadata[name])


def _as_typed(value: object) -> str:
    """A value as a user types it on the command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
