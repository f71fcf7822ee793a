"""Comparison of judge records: scores are comparable if their records are equal in the compared keys."""

from collections.abc import Iterator, Mapping
from typing import Any

COMPARED_KEYS = ("judge", "settings", "gate", "prompts")
"""Keys that must be equal in comparable scores. The others describe a single sample."""


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """List the differences between two records, one line each; empty if the scores are comparable.

    Args:
        a: Metadata of a score, as the scorer writes it. Logs of task version 1-A have no settings.
        b: Metadata of another score.
    """
    return [f"{name}: {_format(x)} and {_format(y)}" for name, x, y in changes(a, b)]


def changes(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The compared keys whose values differ, such as `settings.temperature`, with both values."""
    for name in COMPARED_KEYS:
        yield from _changes(name, a.get(name), b.get(name))


def _changes(name: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in sorted(a.keys() | b.keys()):
            yield from _changes(f"{name}.{key}", a.get(key), b.get(key))
    elif a != b:
        yield name, a, b


def _format(value: Any) -> str:
    return "recorded" if isinstance(value, Mapping) else "not recorded" if value is None else str(value)
