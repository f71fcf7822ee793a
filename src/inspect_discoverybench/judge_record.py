"""Comparison of judge records: scores are comparable if their records are equal in the compared keys."""

from collections.abc import Iterator, Mapping
from typing import Any

COMPARED_KEYS = ("judge", "settings", "aggregation", "gate", "prompts")
"""Keys that must be equal in comparable scores. The others describe a single sample."""


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """List the differences between two records, one line each; empty if the scores are comparable.

    Args:
        a: Metadata of a score, as the scorer writes it. Logs of task version 1-A have no settings.
        b: Metadata of another score.
    """
    return [line for name in COMPARED_KEYS for line in _differences(name, a.get(name), b.get(name))]


def _differences(name: str, a: Any, b: Any) -> Iterator[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in sorted(a.keys() | b.keys()):
            yield from _differences(f"{name}.{key}", a.get(key), b.get(key))
    elif a != b:
        yield f"{name}: {_format(a)} and {_format(b)}"


def _format(value: Any) -> str:
    return "recorded" if isinstance(value, Mapping) else "not recorded" if value is None else str(value)
