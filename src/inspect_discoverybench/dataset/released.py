"""The released data: a folder of the user, or a download of one pinned commit.

Every `inspect` command imports this module, so packages for downloads are imported only when they are needed.
"""

import gzip
import hashlib
import os
import shutil
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click

from inspect_discoverybench.errors.exceptions import DataError, DataMissing
from inspect_discoverybench.errors.file_failures import file_errors

REPOSITORY = "allenai/discoverybench"
COMMIT = "c31fcf011e070f021a5f5b906896d0821f6880e8"

DATA_DIR_VARIABLE = "DISCOVERYBENCH_DATA_DIR"
"""Environment variable for the path of a folder with the released data. If set, nothing is downloaded."""

ARCHIVE_URL_VARIABLE = "DISCOVERYBENCH_ARCHIVE_URL"
"""Environment variable for the URL of a mirror of the archive."""

_ALTERNATIVE = f"or set {DATA_DIR_VARIABLE} to a folder that contains the data."
_RETRY = f"Run `discoverybench data fetch` again, {_ALTERNATIVE}"


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
        return f"{first} {state}" + (f" (and {len(others)} more)" if others else "")


@cache
def checksums() -> Mapping[str, str]:
    """SHA-256 of every released file by path. `checksums.txt` describes how they were computed."""
    text = Path(__file__).with_name("checksums.txt").read_text(encoding="utf-8")
    lines = (line.partition("  ") for line in text.splitlines() if not line.startswith("#"))
    return {path: digest for digest, _, path in lines}


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


def cache_folder() -> Path:
    """The folder for the downloaded data, whether or not it exists."""
    import pooch  # type: ignore[import-untyped]

    return Path(pooch.os_cache("inspect-discoverybench")) / COMMIT


def data_root() -> Path:
    """The folder with the released data: `DISCOVERYBENCH_DATA_DIR`, or else the cache folder, downloaded if necessary.

    Raises:
        DataMissing: `DISCOVERYBENCH_DATA_DIR` is not a folder with the released data.
        DataError: The archive could not be downloaded or stored, or does not contain the released files.
    """
    return local_root() if os.environ.get(DATA_DIR_VARIABLE) else fetch()


@file_errors()
def local_root(folder: Path | None = None) -> Path:
    """The folder with the released data, without a download.

    Args:
        folder: The folder; by default `DISCOVERYBENCH_DATA_DIR`, or else the cache folder.

    Raises:
        DataMissing: The folder does not exist or has no subfolder `discoverybench/`.
    """
    variable = os.environ.get(DATA_DIR_VARIABLE)
    # Absolute, so that it survives a change of the working directory.
    root = (folder or (Path(os.path.expanduser(variable)) if variable else cache_folder())).absolute()  # noqa: PTH111 - Path.expanduser() raises RuntimeError
    name = f"{DATA_DIR_VARIABLE}={variable}" if variable and not folder else root
    if not (root / "discoverybench").is_dir():
        raise DataMissing(f"{name} is not a folder that contains `discoverybench/`. {remedy(root)}")
    return root


def fetch(force: bool = False) -> Path:
    """Download the released data into the cache folder, unless they are already there.

    Several processes may call this at once: one downloads, and the others wait. The folder appears only once all files
    are there and verified.

    Args:
        force: Replace the folder if it exists.

    Returns:
        The cache folder.

    Raises:
        DataError: The archive could not be downloaded or stored, or it is damaged or differs from the release.
    """
    root = cache_folder()
    if root.is_dir() and not force:
        return root
    from filelock import FileLock

    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(root.with_suffix(".lock")):
            if force or not root.is_dir():
                _download_tree(root)
    except OSError as error:
        raise DataError(f"{root} could not be written: {error}. Fix the problem, {_ALTERNATIVE}") from error
    return root


def verify(root: Path, paths: Iterable[str] | None = None) -> IntegrityReport:
    """Compare files with the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder; by default all.

    Raises:
        DataMissing: A file cannot be read.
    """
    checked = list(checksums() if paths is None else paths)
    missing = tuple(path for path in checked if not (root / path).is_file())
    present = (path for path in checked if path not in missing)
    changed = tuple(path for path in present if file_checksum(root / path) != checksums()[path])
    return IntegrityReport(len(checked), missing, changed)


def require_released(root: Path, paths: Iterable[str]) -> None:
    """Check that files match the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder.

    Raises:
        DataMissing: A file is missing or cannot be read.
        DataError: A file differs from the released file.
    """
    report = verify(root, paths)
    if not report.clean:
        error = DataMissing if report.missing else DataError
        raise error(f"{root}: {report}. Run `discoverybench data verify` for the full list. {remedy(root)}")


def remedy(root: Path) -> str:
    """One sentence that says how to replace a missing or changed folder."""
    if root == cache_folder():
        return f"Run `discoverybench data fetch{' --force' if root.is_dir() else ''}`, {_ALTERNATIVE}"
    return f"Use a clone of {REPOSITORY} at commit {COMMIT[:7]}, or unset {DATA_DIR_VARIABLE} to download the data."


def _download_tree(root: Path) -> None:
    """Download the released files into `root`, which appears only once it is complete."""
    url = os.environ.get(ARCHIVE_URL_VARIABLE) or f"https://github.com/{REPOSITORY}/archive/{COMMIT}.tar.gz"
    partial = root.with_suffix(".partial")
    # A killed run leaves this folder behind.
    shutil.rmtree(partial, ignore_errors=True)
    tree = partial / "tree"
    tree.mkdir(parents=True)
    try:
        _extract(_download(url, partial), tree, url)
        report = verify(tree)
        if not report.clean:
            raise DataError(f"{url}: {report}. {_RETRY}")
        if root.exists():
            root.rename(partial / "replaced")
        tree.rename(root)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _download(url: str, folder: Path) -> Path:
    import pooch

    # pooch suggests pinning the hash of the archive, which changes whenever the host compresses it again.
    pooch.get_logger().setLevel("WARNING")
    click.echo(f"Downloading the released data from {url}", err=True)
    downloader = pooch.HTTPDownloader(progressbar=True, chunk_size=2**16)
    try:
        return Path(pooch.retrieve(url, None, "archive.tar.gz", folder, downloader=downloader))
    except OSError as error:  # includes all errors of `requests`
        raise DataError(f"{url} could not be downloaded: {error}. {_RETRY}") from error


def _extract(archive: Path, tree: Path, url: str) -> None:
    try:
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                # All paths in the archive start with one folder, named after the commit.
                path = member.name.partition("/")[2]
                content = members.extractfile(member) if path in checksums() and member.isreg() else None
                if content is not None:
                    (tree / path).parent.mkdir(parents=True, exist_ok=True)
                    (tree / path).write_bytes(content.read())
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{url} is a damaged archive: {error}. {_RETRY}") from error
