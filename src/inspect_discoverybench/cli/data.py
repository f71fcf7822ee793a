"""`discoverybench data`: the released data, fetched and checked."""

import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from inspect_discoverybench.dataset import source
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
