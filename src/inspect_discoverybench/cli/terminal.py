"""The terminal: texts, numbers and tables as commands print them."""

import shlex
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from inspect_discoverybench.errors.redaction import printable


def say(text: str, err: bool = False) -> None:
    """Print a text without control characters. Texts of models and names of files may contain some."""
    click.echo(printable(text), err=err)


@contextmanager
def waiting(subject: str, interval: float = 15) -> Iterator[None]:
    """Say on the error stream what a command waits for, and every `interval` seconds how long it has waited."""
    has_ended = threading.Event()

    def repeat() -> None:
        seconds = interval
        while not has_ended.wait(interval):
            say(f"  {seconds:g} s …", err=True)
            seconds += interval

    say(f"{subject} …", err=True)
    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()


def print_table(
    title: str,
    text_headings: Sequence[str],
    number_headings: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> None:
    """Print a table without truncating any cell: columns of text, then of numbers. An empty title is not printed."""
    table = Table(
        *(Column(Text(printable(heading))) for heading in text_headings),
        *(Column(Text(printable(heading)), justify="right") for heading in number_headings),
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    # By default, rich truncates cells to fit the table into the terminal, or into 80 characters.
    console = Console(width=10_000)
    # Not as the title of the table: rich would break it into lines that are as wide as the table.
    if title:
        console.print(Text(printable(title), style="table.title"))
    console.print(table)


def report_hint(log_dir: str) -> str:
    """The command that makes a report of a folder of logs, in a sentence."""
    return f"To make a report, run: discoverybench report {shlex.quote(log_dir)}"


MISSING_NOTE = "* Some samples have no score, and the mean is of the others."
"""Explains the mark of `mean_text`."""


def mean_text(value: float, missing: int, sign: str = "") -> str:
    """A mean, or with `sign="+"` a difference of means, and a mark if samples are missing."""
    mark = "*" if missing else ""
    return f"{value:{sign}.3f}{mark}"


def p_value_text(value: float) -> str:
    """A p-value with three decimals; `<0.001` for a smaller one."""
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}"


def plural(count: int, noun: str) -> str:
    """A count with its noun, such as `1 pair` or `2 pairs`."""
    ending = "" if count == 1 else "s"
    return f"{count} {noun}{ending}"
