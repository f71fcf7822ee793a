"""The statistics of labels as tables: accuracy of the judge by step."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.cli.number import decimal, ends, plural

if TYPE_CHECKING:
    from inspect_discoverybench.validation.accuracy import Accuracy, JudgeAccuracy, StepAccuracy


def print_accuracy(statistics: "JudgeAccuracy") -> None:
    """Print all statistics."""
    sheet_size = statistics.samples + statistics.unlabelled
    annotators = plural(len(statistics.annotators), "annotator")
    click.echo(f"Labels by {annotators} on {statistics.samples} of {plural(sheet_size, 'sample')}")
    console = Console()
    console.print(_accuracy_table([(s.name, s.majority, s.paper) for s in statistics.steps]))
    if len(statistics.annotators) > 1:
        console.print(_annotator_table(statistics.steps))
        for note in dict.fromkeys(step.kappa.note for step in statistics.steps if step.kappa.note):
            click.echo(f"– Fleiss' kappa is {note}")
    incomplete = statistics.samples - statistics.complete
    if statistics.complete:
        click.echo(
            f"HMS of {plural(statistics.complete, 'sample')} with complete labels: {decimal(statistics.judged_hms)} by "
            f"the judge, {decimal(statistics.true_hms)} by the annotators"
        )
    if incomplete:
        click.echo(
            f"{plural(incomplete, 'sample')} with incomplete labels: a step without a majority, or a wrong answer "
            "without the correct one"
        )


def _accuracy_table(rows: "Sequence[tuple[str, Accuracy, float | None]]") -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("the judge in", no_wrap=True)
    for column in ("samples", "accuracy", "95% CI", "paper", "tied"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, accuracy, paper in rows:
        table.add_row(
            escape(name),
            str(accuracy.samples),
            decimal(accuracy.accuracy),
            ends(accuracy.interval),
            "" if paper is None else f"{paper:.2f}",
            str(accuracy.without_majority),
        )
    return table


def _annotator_table(steps: "Sequence[StepAccuracy]") -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("annotators in", no_wrap=True)
    for column in ("answers", "unanimous", "Fleiss' kappa", "95% CI"):
        table.add_column(column, justify="right")
    for step in steps:
        kappa = step.kappa
        row = (str(kappa.pairs), decimal(step.unanimous), decimal(kappa.kappa), ends(kappa.interval))
        table.add_row(step.name, *row)
    return table
