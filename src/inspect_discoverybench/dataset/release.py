"""The release: one commit of the authors' repository, and the SHA-256 of each of its data files."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataMissing

REPOSITORY = "allenai/discoverybench"
COMMIT = "c31fcf011e070f021a5f5b906896d0821f6880e8"


def web_page(commit: str | None) -> str | None:
    """URL of the repository at a commit; None if the data are not from there."""
    if commit is None:
        return None
    return f"https://github.com/{REPOSITORY}/tree/{commit}"


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


def file_checksum(path: Path) -> str:
    """SHA-256 of a file on this machine, as hexadecimal digits.

    Raises:
        DataMissing: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error


def differences(root: Path, paths: Iterable[str] | None = None) -> dict[str, str]:
    """Compare files with the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder; by default all.

    Returns:
        The files that differ, by path: `is missing` or `differs from the released file`. Empty if all are as released.

    Raises:
        DataMissing: A file cannot be read.
    """
    recorded = checksums()
    states = {}
    for path in paths or recorded:
        file = root / path
        if not file.is_file():
            states[path] = "is missing"
        elif file_checksum(file) != recorded[path]:
            states[path] = "differs from the released file"
    return states


def describe(differing: Mapping[str, str]) -> str:
    """The first of some differences, and the number of others."""
    first = next(iter(differing))
    text = f"{first} {differing[first]}"
    others = len(differing) - 1
    if others:
        text += f" (and {others} more)"
    return text
