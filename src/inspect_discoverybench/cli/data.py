"""`discoverybench data`: download, verify and audit the data."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from inspect_discoverybench.cli.terminal import print_table, say
from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.audit import Counts, audit_release, audit_studies
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
    for line in differing:
        say(line)
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

    Unusable files and goals without a gold hypothesis are errors.
    """
    if answer_key and not path:
        raise InvalidArgument("--answer-key is for custom studies. Give their --path, too.")
    audits = audit_studies(path, answer_key) if path else audit_release(data_folder.local_root())
    if as_json:
        _print_json(audits)
    else:
        _print_counts(audits)


def _print_json(audits: Mapping[str, Counts]) -> None:
    listed: dict[str, dict[str, Any]] = {}
    for name, counts in audits.items():
        facts = listed.setdefault(name, {})
        for subject, items in counts.items():
            facts[subject] = {"count": len(items), "items": sorted(items)}
    say(json.dumps(listed, indent=2))


def _print_counts(audits: Mapping[str, Counts]) -> None:
    """Print a table with a column for each audit."""
    subjects: dict[str, None] = {}
    for counts in audits.values():
        subjects.update(dict.fromkeys(counts))
    rows = []
    for subject in sorted(subjects):
        numbers = [len(counts.get(subject, ())) for counts in audits.values()]
        rows.append([subject, *map(str, numbers)])
    headers = [name.replace("/", "\n") for name in audits]
    print_table("", [""], headers, rows)
