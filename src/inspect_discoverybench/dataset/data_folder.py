"""The folder with the released data: one of the user, or the cache folder with a download."""

import os
from collections.abc import Iterable
from pathlib import Path

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.archive import ALTERNATIVE, DATA_DIR_VARIABLE, download_tree
from inspect_discoverybench.dataset.release import COMMIT, REPOSITORY, file_differences, first_difference
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.file_failures import system_errors


def cache_folder() -> Path:
    """The folder for the downloaded data, whether or not it exists."""
    import pooch  # type: ignore[import-untyped]

    return Path(pooch.os_cache("inspect-discoverybench")) / COMMIT


def data_root() -> Path:
    """The folder with the released data: `DISCOVERYBENCH_DATA_DIR`, or else the cache folder, downloaded if necessary.

    Raises:
        DataError: `DISCOVERYBENCH_DATA_DIR` is not a folder with the released data, or the archive could not be
            downloaded or stored, or does not contain the released files.
    """
    if os.environ.get(DATA_DIR_VARIABLE):
        return local_root()
    return fetch()


@system_errors()
def local_root() -> Path:
    """The folder with the released data, without a download: `DISCOVERYBENCH_DATA_DIR`, or else the cache folder.

    Raises:
        DataError: The folder does not exist or has no subfolder `discoverybench/`.
    """
    folder = os.environ.get(DATA_DIR_VARIABLE) or cache_folder()
    root = absolute_path(Path(folder))  # survives a change of the working directory
    if not (root / "discoverybench").is_dir():
        raise DataError(f"{root} is not a folder that contains `discoverybench/`. {remedy(root)}")
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
            # While this process waited for the lock, another one may have downloaded the data.
            if force or not root.is_dir():
                download_tree(root)
    except OSError as error:
        raise DataError(f"{root} could not be written: {error}. Fix the problem, {ALTERNATIVE}") from error
    return root


def require_released(root: Path, paths: Iterable[str] | None = None) -> None:
    """Check that files match the released files.

    Args:
        root: Folder with the released data.
        paths: Paths of the files, relative to the folder; by default all.

    Raises:
        DataError: A file is missing, or differs from the released file.
        DiscoveryBenchError: A file cannot be read.
    """
    differing = file_differences(root, paths)
    if differing:
        raise DataError(
            f"{root}: {first_difference(differing)}. Run `discoverybench data verify` for the full list. {remedy(root)}"
        )


def remedy(root: Path) -> str:
    """One sentence that says how to replace a missing or changed folder."""
    is_folder_of_user = root != cache_folder()
    if is_folder_of_user:
        clone = f"a clone of {REPOSITORY} at commit {COMMIT[:7]}"
        return f"Use {clone}, or unset {DATA_DIR_VARIABLE} to download the data."
    command = "discoverybench data fetch"
    if root.is_dir():
        command += " --force"
    return f"Run `{command}`, {ALTERNATIVE}"
