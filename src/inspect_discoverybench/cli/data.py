"""`discoverybench data`: download, verify and audit the data."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspect_discoverybench.cli.terminal import print_table, say
from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.audit import Audit, audit_release, audit_studies
from inspect_discoverybench.dataset.release import checksums, differences
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument


@click.group()
def data() -> None:
    """Download, verify and audit the data of DiscoveryBench."""


@data.command()
@click.option("--force", is_flag=True, help="Download again and replace existing data.")
def fetch(force: bool) -> None:
    """Download the released data into the cache folder and verify every file."""
    root = data_folder.fetch(force=force)
    data_folder.require_released(root)
    say(f"{len(checksums())} files in {root}")


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
    root = data_folder.local_root(path)
    differing = differences(root)
    for name, state in differing.items():
        say(f"{name} {state}")
    say(f"{len(checksums())} files checked in {root}, {len(differing)} missing or changed")
    if differing:
        raise DataError(f"{root} differs from the release. {data_folder.remedy(root)}")


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
    if answer_key and not path:
        raise InvalidArgument("--answer-key is for custom studies. Give their --path, too.")
    audits = [audit_studies(path, answer_key)] if path else audit_release(data_folder.local_root())
    if as_json:
        _print_json(audits)
    else:
        _print_counts(audits)
    if any(result.problems for result in audits):
        raise click.exceptions.Exit(1)


def _print_json(audits: Sequence[Audit]) -> None:
    listed: dict[str, dict[str, Any]] = {}
    for result in audits:
        counts = listed.setdefault(result.name, {})
        for name, (count, items) in result.counts.items():
            counts[name] = {"count": count, "items": items}
    say(json.dumps(listed, indent=2))


def _print_counts(audits: Sequence[Audit]) -> None:
    """Print a table with a column for each audit, then the problems."""
    # The longest audit has the rows in their order.
    names: dict[str, None] = {}
    for result in sorted(audits, key=lambda audit: len(audit.counts), reverse=True):
        names.update(dict.fromkeys(result.counts))
    rows = []
    for name in names:
        counts = [result.counts.get(name, (0, ())) for result in audits]
        rows.append([name, *(str(count) for count, _ in counts)])
    headers = [result.name.replace("/", "\n") for result in audits]
    print_table("", [""], headers, rows)

    for result in audits:
        for problem in result.problems:
            say(f"{result.name}: {problem}")
