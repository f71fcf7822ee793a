"""Numbers as text: the cells of tables and the counts in sentences."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_discoverybench.validation.agreement import Interval


def decimal(value: float | None) -> str:
    """Three decimals; a dash for None."""
    return "–" if value is None else f"{value:.3f}"


def ends(interval: "Interval | None") -> str:
    """The endpoints of an interval; a dash for None."""
    return "–" if interval is None else f"{interval.low:.3f} – {interval.high:.3f}"


def p_value(value: float) -> str:
    """Three decimals, or that it is smaller."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def plural(count: int, noun: str) -> str:
    """A count with its noun, such as `1 pair` or `2 pairs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
