"""The release: one commit of the authors' repository, and the SHA-256 of each of its data files."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataMissing

REPOSITORY = "allenai/discoverybench"
COMMIT = "c31fcf011e070f021a5f5b906896d0821f6880e8"


@dataclass(frozen=True)
class IntegrityReport:
    """Comparison of the files in a folder with the released files.

    Attributes:
        checked: Number of files that were checked.
        missing: Paths of missing files, relative to the folder.
        changed: Paths of files that differ from the released files.
    """

    checked: int
    missing: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether every file exists and matches the released file."""
        return not self.missing and not self.changed

    def __str__(self) -> str:
        """The first missing or changed file, and the number of others."""
        if self.clean:
            return f"all {self.checked} files match the release"
        first, *others = self.missing + self.changed
        state = "is missing" if self.missing else "differs from the released file"
        more = f" (and {len(others)} more)" if others else ""
        return f"{first} {state}{more}"


def web_page(commit: str | None) -> str | None:
    """URL of the repository at a commit; None if the data are not from there."""
    return f"https://github.com/{REPOSITORY}/tree/{commit}" if commit else None


@cache
def checksums() -> Mapping[str, str]:
    """SHA-256 of every released file by path. `checksums.txt` describes how they were computed."""
    text = Path(__file__).with_name("checksums.txt").read_text(encoding="utf-8")
    recorded = {}
    for line in text.splitlines():
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


def check_integrity(root: Path, paths: Iterable[str] | None = None) -> IntegrityReport:
    """Compare files with the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder; by default all.

    Raises:
        DataMissing: A file cannot be read.
    """
    checked = list(checksums() if paths is None else paths)
    missing = []
    changed = []
    for path in checked:
        if not (root / path).is_file():
            missing.append(path)
        elif file_checksum(root / path) != checksums()[path]:
            changed.append(path)
    return IntegrityReport(len(checked), tuple(missing), tuple(changed))
