"""The archive of the released data: one pinned commit, downloaded and extracted."""

import gzip
import os
import shutil
import tarfile
import zlib
from pathlib import Path

import click

from inspect_discoverybench.dataset.release import COMMIT, REPOSITORY, checksums, file_differences, first_difference
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.redaction import public_url

DATA_DIR_VARIABLE = "DISCOVERYBENCH_DATA_DIR"
"""Environment variable for the path of a folder with the released data. If set, nothing is downloaded."""

ARCHIVE_URL_VARIABLE = "DISCOVERYBENCH_ARCHIVE_URL"
"""Environment variable for the URL of a mirror of the archive."""

ALTERNATIVE = f"or set {DATA_DIR_VARIABLE} to a folder that contains the data."
"""What the user can do instead of a download, as the end of a sentence that says how to repeat the download."""

_REMEDY = f"Run `discoverybench data fetch` again, {ALTERNATIVE}"


def download_tree(root: Path) -> None:
    """Download the released files into `root`, which appears only once it is complete.

    Raises:
        DataError: The archive could not be downloaded, is damaged or differs from the release.
        OSError: The folder cannot be written.
    """
    url = os.environ.get(ARCHIVE_URL_VARIABLE) or f"https://github.com/{REPOSITORY}/archive/{COMMIT}.tar.gz"
    shown_url = public_url(url)

    partial = root.with_suffix(".partial")
    # A killed run leaves this folder behind.
    shutil.rmtree(partial, ignore_errors=True)
    tree = partial / "tree"
    tree.mkdir(parents=True)
    try:
        archive = _download(url, partial)
        _extract(archive, tree, shown_url)
        differing = file_differences(tree)
        if differing:
            raise DataError(f"{shown_url}: {first_difference(differing)}. {_REMEDY}")
        # A rename cannot replace a folder that has files. The old one is moved to where `finally` removes it.
        if root.exists():
            root.rename(partial / "replaced")
        tree.rename(root)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _download(url: str, folder: Path) -> Path:
    import pooch  # type: ignore[import-untyped]

    # pooch logs the advice to pin the hash of the archive. Nobody can follow it, because the hash changes whenever the
    # host compresses the archive again. So the advice is silenced, and the extracted files are checked instead.
    pooch.get_logger().setLevel("WARNING")
    shown_url = public_url(url)
    click.echo(f"Downloading the released data from {shown_url}", err=True)
    # By default, pooch reads one KiB at a time, and moves the progress bar after each. Larger parts take less time.
    downloader = pooch.HTTPDownloader(progressbar=True, chunk_size=2**16)
    try:
        path = pooch.retrieve(url, known_hash=None, fname="archive.tar.gz", path=folder, downloader=downloader)
        return Path(path)
    except OSError as error:  # includes all errors of `requests`
        # The message of `requests` is not shown, because it contains URLs with passwords and signatures.
        reason = type(error).__name__
        response = getattr(error, "response", None)
        if response is not None:
            reason = f"HTTP status {response.status_code}"
        raise DataError(f"{shown_url} could not be downloaded: {reason}. {_REMEDY}") from error


def _extract(archive: Path, tree: Path, shown_url: str) -> None:
    """Extract the released files into `tree`, and no other members of the archive.

    A member is extracted only if its path is that of a released file, so nothing is written outside of the folder.
    """
    try:
        with tarfile.open(archive, "r:gz") as members:
            for member in members:
                # All paths in the archive start with one folder, named after the commit.
                _, _, path = member.name.partition("/")
                if member.isreg() and path in checksums():
                    released = member.replace(name=path, deep=False)
                    members.extract(released, tree, filter="data")
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{shown_url} is a damaged archive: {error}. {_REMEDY}") from error
