"""Where the released data are: in a folder the user names, or fetched once from one pinned commit.

Nothing heavy is imported until a download is due, as every `inspect` command imports this module.
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
from types import MappingProxyType
from typing import Literal

import click

from inspect_discoverybench.errors import DataCorrupt, DataMissing, DownloadFailed

REPOSITORY = "allenai/discoverybench"
COMMIT = "c31fcf011e070f021a5f5b906896d0821f6880e8"
ARCHIVE_URL = f"https://github.com/{REPOSITORY}/archive/{COMMIT}.tar.gz"

DATA_DIR_VARIABLE = "DISCOVERYBENCH_DATA_DIR"
"""Environment variable that names a folder with the released data; nothing is downloaded then."""

ARCHIVE_URL_VARIABLE = "DISCOVERYBENCH_ARCHIVE_URL"
"""Environment variable that names a mirror of the archive."""

_ALTERNATIVE = f"or set {DATA_DIR_VARIABLE} to a folder that holds the data."
_RETRY = f"Run `discoverybench data fetch` again, {_ALTERNATIVE}"


@dataclass(frozen=True)
class Report:
    """How the files of a folder compare with the released ones, by their paths below it."""

    checked: int
    missing: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Whether every file is there and is the released one."""
        return not self.missing and not self.changed

    def __str__(self) -> str:
        """The first file that is wrong, and how many more there are."""
        if self.clean:
            return f"all {self.checked} files are the released ones"
        first, *others = self.missing + self.changed
        state = "is missing" if self.missing else "differs from the released file"
        return f"{first} {state}" + (f", {len(others)} more are missing or differ" if others else "")


@cache
def checksums() -> Mapping[str, str]:
    """SHA-256 of every released file by its path; `checksums.txt` says how they were made."""
    text = Path(__file__).with_name("checksums.txt").read_text(encoding="utf-8")
    lines = (line.partition("  ") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({path: digest for digest, _, path in lines})


def cache_folder() -> Path:
    """The folder a download ends up in, whether or not it is there."""
    import pooch  # type: ignore[import-untyped]

    return Path(pooch.os_cache("inspect-discoverybench")) / COMMIT


def data_root() -> Path:
    """The folder with the released data: the user's, else the cache folder, fetched when it is not there.

    Raises:
        DataMissing: `DISCOVERYBENCH_DATA_DIR` names no folder with the released data.
        DownloadFailed: the archive could not be fetched or stored.
        DataCorrupt: the archive does not hold the released files.
    """
    return present() if os.environ.get(DATA_DIR_VARIABLE) else fetch()


def present(folder: Path | None = None) -> Path:
    """The folder with the released data, no download: `folder`, else the user's, else the cache folder.

    Raises:
        DataMissing: there is no such folder, or it has no `discoverybench/` in it.
    """
    variable = os.environ.get(DATA_DIR_VARIABLE)
    named = folder or (Path(variable).expanduser() if variable else None)
    # Absolute, so that a later change of the working directory does not move it.
    root = (named or cache_folder()).absolute()
    if not (root / "discoverybench").is_dir():
        name = f"{DATA_DIR_VARIABLE}={variable}" if variable and not folder else root
        raise DataMissing(f"{name} is not a folder that holds `discoverybench/`. {remedy(root)}")
    return root


def fetch(progress: bool = True, force: bool = False) -> Path:
    """Bring the released data into the cache folder, unless they are there, and return that folder.

    Safe to call from several processes: one downloads, the others wait for it. The folder appears complete
    and checked, or not at all.

    Args:
        progress: Show the download on standard error.
        force: Download also when the folder is there, and replace it.

    Raises:
        DownloadFailed: the archive could not be fetched or stored.
        DataCorrupt: the archive is damaged, or a file in it is not the released one.
    """
    root = cache_folder()
    if root.is_dir() and not force:
        return root
    from filelock import FileLock

    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(root.with_suffix(".lock")):
            if force or not root.is_dir():
                _download_tree(root, progress)
    except OSError as error:
        raise DownloadFailed(f"{root} could not be written: {error}. Correct that, {_ALTERNATIVE}") from error
    return root


def mismatches(root: Path, prefix: str = "") -> Report:
    """Compare the files below `root` with the released ones, all or those whose path starts with `prefix`."""
    return _compare(root, (path for path in checksums() if path.startswith(prefix)))


def require(root: Path, paths: Iterable[str]) -> None:
    """See that the files at `paths` below `root` are the released ones.

    Raises:
        DataMissing: a file is not there.
        DataCorrupt: a file is not the released one.
    """
    report = _compare(root, paths)
    if not report.clean:
        error = DataMissing if report.missing else DataCorrupt
        raise error(f"{root}: {report}. `discoverybench data verify` lists what is wrong. {remedy(root)}")


def remedy(root: Path) -> str:
    """What a user can do about a folder that is not there, or not as released; one sentence."""
    if root == cache_folder():
        return f"Run `discoverybench data fetch{' --force' if root.is_dir() else ''}`, {_ALTERNATIVE}"
    return f"Use a copy of {REPOSITORY} at {COMMIT[:7]}, or unset {DATA_DIR_VARIABLE} to use a download."


def _compare(root: Path, paths: Iterable[str]) -> Report:
    states = {path: _state(root / path, checksums().get(path)) for path in paths}
    return Report(
        checked=len(states),
        missing=tuple(path for path, state in states.items() if state == "missing"),
        changed=tuple(path for path, state in states.items() if state == "changed"),
    )


def _state(path: Path, checksum: str | None) -> Literal["released", "missing", "changed"]:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return "missing"
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
    return "released" if digest == checksum else "changed"


def _download_tree(root: Path, progress: bool) -> None:
    """Put the released files into `root`, which appears with all of them or not at all."""
    url = os.environ.get(ARCHIVE_URL_VARIABLE) or ARCHIVE_URL
    partial = root.with_suffix(".partial")
    # A run that was killed leaves this folder behind.
    shutil.rmtree(partial, ignore_errors=True)
    tree = partial / "tree"
    tree.mkdir(parents=True)
    try:
        _extract(_download(url, partial, progress), tree, url)
        report = mismatches(tree)
        if not report.clean:
            raise DataCorrupt(f"{url}: {report}. {_RETRY}")
        if root.exists():
            root.rename(partial / "replaced")
        tree.rename(root)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _download(url: str, folder: Path, progress: bool) -> Path:
    import pooch

    # Its notes propose to pin the archive's hash, which changes whenever the host compresses anew.
    pooch.get_logger().setLevel("WARNING")
    if progress:
        click.echo(f"Downloading the released data, once, from {url}", err=True)
    downloader = pooch.HTTPDownloader(progressbar=progress, chunk_size=2**16)
    try:
        return Path(pooch.retrieve(url, None, "archive.tar.gz", folder, downloader=downloader))
    # Whatever `requests` raises is an OSError.
    except OSError as error:
        raise DownloadFailed(f"{url} could not be downloaded: {error}. {_RETRY}") from error


def _extract(archive: Path, tree: Path, url: str) -> None:
    try:
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                # The host puts everything below one folder, named after the commit.
                path = member.name.partition("/")[2]
                content = members.extractfile(member) if path in checksums() and member.isreg() else None
                if content is not None:
                    (tree / path).parent.mkdir(parents=True, exist_ok=True)
                    (tree / path).write_bytes(content.read())
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataCorrupt(f"{url} is a damaged archive: {error}. {_RETRY}") from error
