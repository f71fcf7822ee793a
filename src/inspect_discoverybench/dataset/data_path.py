"""Paths of the data files that the metadata describes."""

import re
from pathlib import Path, PurePosixPath

from inspect_discoverybench.errors import DataMissing, InvalidMetadata

_RESERVED = re.compile(r"\.session.*")
_METADATA = re.compile(r"metadata_\d+\.json")


def locate(folder: Path, name: str) -> Path:
    """Find a data file.

    Args:
        folder: Folder of the metadata file.
        name: Name of the data file in the metadata and in the sandbox: a path relative to the folder.

    Raises:
        InvalidMetadata: The name is not a path inside the folder, is reserved, or is that of a metadata file.
        DataMissing: The file does not exist.
    """
    subject = f"{folder}: datasets: the data file {name!r}"
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise InvalidMetadata(
            f"{subject} is not inside the folder of its metadata file. Copy or link it there and use its relative path."
        )
    # Inspect reads the part before a colon as the name of a sandbox.
    for character in (":", "\\"):
        if character in name:
            raise InvalidMetadata(f"{subject} has {character!r} in its name. Rename it; separate folders with '/'.")
    if relative.parts and _RESERVED.fullmatch(relative.parts[0]):
        raise InvalidMetadata(f"{subject} has a reserved name. Rename it.")
    path = folder / name
    if path.is_dir():
        raise DataMissing(f"{path}: the metadata describes this data file, but it is a folder. List its files instead.")
    if not path.is_file():
        raise DataMissing(f"{path}: the metadata describes this data file, but it does not exist. Add it.")
    if _METADATA.fullmatch(path.name) or _METADATA.fullmatch(path.resolve().name):
        raise InvalidMetadata(f"{subject} is a metadata file, which the agent must not see. Remove it from `datasets`.")
    return path
