"""The metadata files at a path, by their names."""

import re
import shlex
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError

METADATA_NAME = re.compile(r"metadata_(?P<number>\d+)\.json")


def metadata_files(path: Path) -> list[Path]:
    """Find metadata files: one, or all in a folder and its direct subfolders, sorted by folder and number.

    Hidden subfolders are left out. Jupyter saves checkpoints of edited files in one, such as
    `.ipynb_checkpoints/metadata_0-checkpoint.json`.

    Args:
        path: Absolute path of a file `metadata_<number>.json`, or of a folder.

    Raises:
        DataError: There are none, or the name of a file is invalid.
    """
    if not path.exists():
        raise DataError(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    if not path.is_dir():
        metadata_number(path)  # refuses a file with another name
        return [path]

    paths = list(path.glob("metadata_*.json"))
    paths += path.glob("[!.]*/metadata_*.json")
    if not paths:
        raise DataError(f"{path}: no metadata_<number>.json in this folder or its subfolders. Check the path.")
    return sorted(paths, key=folder_and_number)


def folder_and_number(path: Path) -> tuple[str, int]:
    """A key that sorts metadata files by folder and number."""
    return path.parent.name, metadata_number(path)


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`, which the answer key refers to.

    Raises:
        DataError: The file is not named `metadata_<number>.json`.
    """
    match = METADATA_NAME.fullmatch(path.name)
    if match is not None:
        return int(match["number"])

    if path.suffix.lower() != ".json":
        command = shlex.join(["discoverybench", "data", "describe", str(path)])
        raise DataError(f"{path} is no metadata file, which is JSON. To describe a data file, run: {command}")
    raise DataError(f"{path}: invalid name of a metadata file. Rename it to metadata_<number>.json.")
