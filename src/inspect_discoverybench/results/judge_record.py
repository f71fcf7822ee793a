"""Differences between the records of two scores: what must be equal for scores to be comparable."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

COMPARED_KEYS = ("judge", "settings", "gate", "prompts")
"""Keys that must be equal in comparable scores. The others describe a single sample."""


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """List the differences between two records, one line each; empty if the scores are comparable.

    Args:
        a: Metadata of a score, as the scorer writes it. Logs of task version 1-A have no settings.
        b: Metadata of another score.
    """
    return [f"{name}: {_recorded(first)} and {_recorded(second)}" for name, first, second in changes(a, b)]


def changes(
    a: Mapping[str, Any], b: Mapping[str, Any], keys: Iterable[str] = COMPARED_KEYS, prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """The compared keys whose values differ, such as `settings.temperature`, with both values."""
    for key in keys:
        first, second = a.get(key), b.get(key)
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            yield from changes(first, second, sorted(first.keys() | second.keys()), f"{prefix}{key}.")
        elif first != second:
            yield f"{prefix}{key}", first, second


def _recorded(value: Any) -> str:
    if value is None:
        return "not recorded"
    return "recorded" if isinstance(value, Mapping) else str(value)
