"""Selection of samples by their metadata."""

from collections.abc import Sequence

from inspect_ai.dataset import Sample

from inspect_discoverybench.errors import InvalidArgument

FieldFilter = str | int | bool | list[str] | list[int] | None
"""One value, several values, or None for all."""


def select(samples: Sequence[Sample], **filters: FieldFilter) -> list[Sample]:
    """Keep the samples that match every filter.

    Args:
        samples: Samples whose metadata has these fields.
        filters: Accepted values by metadata field.

    Raises:
        InvalidArgument: A value matches no sample, or no sample matches all filters.
    """
    accepted = {
        name: [_text(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in filters.items()
        if values is not None
    }
    for name, values in accepted.items():
        possible = {_text(value) for sample in samples if (value := (sample.metadata or {})[name]) is not None}
        for value in values:
            if value not in possible:
                choices = ", ".join(sorted(possible)) or f"none, because no sample has a {name}"
                raise InvalidArgument(f"{name}={value} matches no sample. Possible values: {choices}.")
    selected = [
        s for s in samples if s.metadata and all(_text(s.metadata[n]) in values for n, values in accepted.items())
    ]
    if not selected:
        pairs = ", ".join(f"{name}={','.join(values)}" for name, values in accepted.items())
        raise InvalidArgument(f"No sample matches all of {pairs}. Remove one of these filters.")
    return selected


def _text(value: object) -> str:
    """A value as a user types it on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
