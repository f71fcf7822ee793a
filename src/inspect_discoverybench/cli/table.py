"""Tables on a terminal, in a pipe and in a CI log."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

UNLIMITED = 10_000
"""Width in columns. Otherwise rich truncates names to fit the screen or 80 columns."""


def print_table(
    title: str,
    names: Sequence[str],
    numbers: Sequence[str],
    rows: Sequence[Sequence[str]],
    total: Sequence[str] | None = None,
) -> None:
    """Print a table without truncating any cell: columns of text, then of numbers, and below a line the total."""
    heading = Text(title) or None
    table = Table(title=heading, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name in names:
        table.add_column(name)
    for number in numbers:
        table.add_column(number, justify="right")
    for row in rows:
        table.add_row(*map(Text, row))
    if total is not None:
        table.add_section()
        table.add_row(*map(Text, total))
    Console(width=UNLIMITED).print(table)
