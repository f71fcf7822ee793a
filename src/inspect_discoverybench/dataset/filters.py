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
    descriptions = []
    for name, values in filters.items():
        if values is None:
            continue
        accepted = [_typed(value) for value in (values if isinstance(values, list) else [values])]
        possible = {_value(sample, name) for sample in samples}
        for value in accepted:
            if value not in possible:
                choices = ", ".join(sorted(possible - {""}))
                raise InvalidArgument(f"{name}={value} matches no sample. Possible values: {choices}.")
        selected = [sample for sample in selected if _value(sample, name) in accepted]
        descriptions.append(f"{name}={','.join(accepted)}")
    if not selected:
        raise InvalidArgument(f"No sample matches all of {', '.join(descriptions)}. Remove one of these filters.")
    return selected


def _value(sample: Sample, name: str) -> str:
    """The value of a sample as a user types it; empty if it has none."""
    value = (sample.metadata or {})[name]
    return "" if value is None else _typed(value)


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
