"""`discoverybench data`: download, verify and audit the data."""

import json
import os
from pathlib import Path

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from inspect_discoverybench.dataset import released as source
from inspect_discoverybench.dataset.audit import Audit, audit_release, audit_studies
from inspect_discoverybench.errors import DataCorrupt


@click.group()
def data() -> None:
    """Download, verify and audit the data of DiscoveryBench."""


@data.command()
@click.option("--force", is_flag=True, help="Download again and replace existing data.")
def fetch(force: bool) -> None:
    """Download the released data into the cache folder and verify every file."""
    root = source.fetch(force=force)
    click.echo(f"{len(source.checksums())} files in {root}")
    folder = os.environ.get(source.DATA_DIR_VARIABLE)
    if folder:
        click.echo(f"Evaluations use a different folder: {source.DATA_DIR_VARIABLE}={folder}", err=True)


@data.command()
@click.option(
    "--path",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder to verify. [default: the folder that evaluations use]",
)
def verify(path: Path | None) -> None:
    """Compare every file with the release. Nothing is downloaded.

    The exit code is 1 if a file is missing or changed.
    """
    root = source.local_root(path)
    report = source.verify(root)
    for name in report.missing:
        click.echo(f"missing  {name}")
    for name in report.changed:
        click.echo(f"changed  {name}")
    click.echo(f"Released data in {root}")
    table = Table("files checked", "missing", "changed")
    table.add_row(str(report.checked), str(len(report.missing)), str(len(report.changed)))
    Console().print(table)
    if not report.clean:
        raise DataCorrupt(f"{root} differs from the release. {source.remedy(root)}")


@data.command()
@click.option(
    "--path",
    type=click.Path(path_type=Path),
    help="Custom studies: a metadata file or a folder. [default: the released data]",
)
@click.option(
    "--answer-key", type=click.Path(path_type=Path), help="CSV file with the gold hypotheses of the custom studies."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON that includes the items behind each count.")
def audit(path: Path | None, answer_key: Path | None, as_json: bool) -> None:
    """Count the studies, goals, files and irregularities of the data.

    The exit code is 1 if a file is unusable or a goal has no gold hypothesis.
    """
    audits = [audit_studies(path, answer_key)] if path else audit_release(source.local_root())
    if as_json:
        click.echo(json.dumps({audit.name: _to_json(audit) for audit in audits}, indent=2))
    else:
        _print_table(audits)
    if any(result.problems for result in audits):
        raise click.exceptions.Exit(1)


def _to_json(audit: Audit) -> dict[str, object]:
    return {row.name: {"count": row.count, "items": row.items} for row in audit.rows}


def _print_table(audits: list[Audit]) -> None:
    counts = [{row.name: str(row.count) for row in audit.rows} for audit in audits]
    table = Table(box=SIMPLE_HEAD)
    table.add_column()
    for audit in audits:
        # Without a minimum, a narrow terminal would cut the names of the splits.
        header = audit.name.replace("/", "\n")
        table.add_column(header, justify="right", min_width=max(map(len, header.splitlines())))
    for name in _merged_names([list(column) for column in counts]):
        table.add_row(name, *(column.get(name, "0") for column in counts))
    Console().print(table)
    for audit in audits:
        for problem in audit.problems:
            click.echo(f"{audit.name}: {problem}")


def _merged_names(columns: list[list[str]]) -> list[str]:
    """All row names, in an order that agrees with the order in each column."""
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
