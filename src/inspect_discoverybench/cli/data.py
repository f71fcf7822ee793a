"""`discoverybench data`: the released data, fetched and checked."""

import json
import os
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inspect_discoverybench.dataset import source
from inspect_discoverybench.dataset.audit import Audit, Fact, audit_release, audit_studies
from inspect_discoverybench.errors import DataCorrupt


@click.group()
def data() -> None:
    """The released data of DiscoveryBench."""


@data.command()
@click.option("--force", is_flag=True, help="Download again and replace what is there.")
def fetch(force: bool) -> None:
    """Download the released data into the cache folder, every file checked."""
    root = source.fetch(force=force)
    click.echo(f"{len(source.checksums())} files are in {root}")
    folder = os.environ.get(source.DATA_DIR_VARIABLE)
    if folder:
        click.echo(f"Evaluations use another folder: {source.DATA_DIR_VARIABLE}={folder}", err=True)


@data.command()
@click.option(
    "--path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder to check instead of the one that evaluations use.",
)
def verify(path: Path | None) -> None:
    """Compare every file with the released one; nothing is downloaded.

    The exit code is 1 when a file is missing or changed.
    """
    root = source.present(path)
    report = source.mismatches(root)
    for name in report.missing:
        click.echo(f"missing  {name}")
    for name in report.changed:
        click.echo(f"changed  {name}")
    click.echo(f"Released data in {root}")
    table = Table("files checked", "missing", "changed")
    table.add_row(str(report.checked), str(len(report.missing)), str(len(report.changed)))
    Console().print(table)
    if not report.clean:
        raise DataCorrupt(f"{root} differs from the released data. {source.remedy(root)}")


@data.command()
@click.option("--path", type=click.Path(path_type=Path), help="Studies of your own: a metadata file or a folder.")
@click.option("--answer-key", type=click.Path(path_type=Path), help="CSV file with their gold hypotheses.")
@click.option("--json", "as_json", is_flag=True, help="Print every count with the items behind it, for machines.")
def audit(path: Path | None, answer_key: Path | None, as_json: bool) -> None:
    """Count everything countable in the data, from the files themselves.

    The exit code is 1 when a file cannot be used or a goal has no gold hypothesis.
    """
    audits = [audit_studies(path, answer_key)] if path else audit_release(source.present())
    if as_json:
        click.echo(json.dumps({a.name: {f.name: _counted(f) for f in a.facts} for a in audits}, indent=2))
    else:
        _print(audits)
    if any(audited.problems for audited in audits):
        raise click.exceptions.Exit(1)


def _counted(fact: Fact) -> dict[str, object]:
    return {"count": fact.count, "items": fact.items}


def _print(audits: list[Audit]) -> None:
    counts = [{fact.name: str(fact.count) for fact in audited.facts} for audited in audits]
    table = Table(box=SIMPLE_HEAD)
    table.add_column()
    for audited in audits:
        # Without a minimum, a narrow terminal would cut the names of the splits.
        header = audited.name.replace("/", "\n")
        table.add_column(header, justify="right", min_width=max(map(len, header.splitlines())))
    for name in _in_order([list(column) for column in counts]):
        table.add_row(name, *(column.get(name, "0") for column in counts))
    Console().print(table)
    for audited in audits:
        for problem in audited.problems:
            click.echo(f"{audited.name}: {problem}")


def _in_order(columns: list[list[str]]) -> list[str]:
    """The names of all columns, each after the one that it follows in its own column."""
    merged: list[str] = []
    for names in columns:
        position = 0
        for name in names:
            if name in merged:
                position = merged.index(name) + 1
            else:
                merged.insert(position, name)
                position += 1
    return merged
