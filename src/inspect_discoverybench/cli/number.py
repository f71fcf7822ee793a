"""Numbers as text: the cells of tables and the counts in sentences."""


def p_value(value: float) -> str:
    """Three decimals, or that it is smaller."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def plural(count: int, noun: str) -> str:
    """A count with its noun, such as `1 pair` or `2 pairs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
