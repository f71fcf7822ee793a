"""The release: one commit of the authors' repository, and the SHA-256 of each of its data files."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from inspect_discoverybench.errors.file_failures import system_errors

REPOSITORY = "allenai/discoverybench"
COMMIT = "c31fcf011e070f021a5f5b906896d0821f6880e8"


@cache
def checksums() -> Mapping[str, str]:
    """SHA-256 of every released file by path. `checksums.txt` describes how they were computed."""
    table = Path(__file__).with_name("checksums.txt")
    recorded = {}
    for line in table.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            checksum, _, path = line.partition("  ")
            recorded[path] = checksum
    return recorded


@system_errors()
def file_checksum(path: Path) -> str:
    """SHA-256 of a file on this machine, as hexadecimal digits.

    Raises:
        DiscoveryBenchError: The file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_differences(root: Path, paths: Iterable[str] | None = None) -> list[str]:
    """Compare files with the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder; by default all.

    Returns:
        What differs, one line for each file; empty if all are as released.

    Raises:
        DiscoveryBenchError: A file cannot be read.
    """
    recorded = checksums()
    compared = recorded if paths is None else paths
    lines = []
    for path in compared:
        file = root / path
        if not file.is_file():
            lines.append(f"{path} is missing")
        elif file_checksum(file) != recorded[path]:
            lines.append(f"{path} differs from the released file")
    return lines


def first_difference(differences: Sequence[str]) -> str:
    """The first difference, and how many more there are. `differences` is not empty."""
    first, *others = differences
    if others:
        return f"{first} (and {len(others)} more)"
    return first
