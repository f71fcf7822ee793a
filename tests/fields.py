"""Attributes of a result, compared by name."""

import pytest


def assert_fields(result: object, **expected: object) -> None:
    """Numbers may have rounding errors; NaN equals NaN."""
    for name, value in expected.items():
        actual = getattr(result, name)
        if isinstance(value, float):
            assert actual == pytest.approx(value, nan_ok=True), name
        else:
            assert actual == value, name
