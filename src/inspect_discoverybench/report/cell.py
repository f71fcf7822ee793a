"""Cells of the report's tables as text."""

import math
from numbers import Integral, Real

import numpy as np
import pandas as pd

DEFAULT_FORMAT = ".3g"
MISSING = "–"


def is_missing(value: object) -> bool:
    """Whether a cell has no value: None, NaN or pandas' NA."""
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def is_number(value: object) -> bool:
    """Whether a cell is a number. Booleans are not numbers."""
    return isinstance(value, Real) and not isinstance(value, bool)


def cell_text(value: object, format_spec: str | None = None) -> str:
    """The text of a cell, as shown to the reader.

    Args:
        value: The value.
        format_spec: Python format specification for numbers; by default, integers are written in full, and other
            numbers with three digits.
    """
    if is_missing(value):
        return MISSING
    if not is_number(value):
        return key_text(value)
    if format_spec is None:
        return f"{value:,}" if isinstance(value, Integral) else f"{value:{DEFAULT_FORMAT}}"
    return f"{value:{format_spec}}"


def key_text(value: object) -> str:
    """A value that selects samples, as text: 2.0 and 2 are the same, and booleans are yes and no."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
