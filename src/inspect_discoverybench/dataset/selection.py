"""Choosing samples by what is known about them."""

from collections.abc import Sequence

from inspect_ai.dataset import Sample

from inspect_discoverybench.errors import InvalidArgument

FieldFilter = str | int | bool | list[str] | list[int] | None
"""One value, several, or None for all."""


def select(samples: Sequence[Sample], **filters: FieldFilter) -> list[Sample]:
    """Keep the samples whose metadata fields have one of the given values.

    Raises:
        InvalidArgument: A value occurs in no sample, or no sample has all of them.
    """
    fields = {
        name: [_text(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in filters.items()
        if values is not None
    }
    for name, values in fields.items():
        possible = {_text(value) for sample in samples if (value := (sample.metadata or {})[name]) is not None}
        for value in values:
            if value not in possible:
                choices = ", ".join(sorted(possible)) or f"none, as no sample has a {name}"
                raise InvalidArgument(f"{name}={value} selects no sample; possible are: {choices}.")
    kept = [s for s in samples if s.metadata and all(_text(s.metadata[n]) in values for n, values in fields.items())]
    if not kept:
        given = ", ".join(f"{name}={','.join(values)}" for name, values in fields.items())
        raise InvalidArgument(f"No sample has all of {given}; drop one of them.")
    return kept


def _text(value: object) -> str:
    """As it is typed on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
