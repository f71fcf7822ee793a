"""Where a described data file stands on this machine."""

import re
from pathlib import Path, PurePosixPath

from inspect_discoverybench.errors import DataMissing, InvalidMetadata

ARCHIVE = "data_files.tar"
"""Many data files enter a sandbox as this archive, which is removed once it is unpacked."""

_RESERVED = re.compile(rf"{re.escape(ARCHIVE)}|\.session.*")
_METADATA = re.compile(r"metadata_\d+\.json")


def locate(folder: Path, name: str) -> Path:
    """Path of the data file that the metadata in `folder` describe; its name is also its name in the sandbox.

    Raises:
        InvalidMetadata: The name is no relative path inside the folder, or is one that a sandbox cannot hold.
        DataMissing: There is no such file.
    """
    place = f"{folder}: datasets: the data file {name!r}"
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise InvalidMetadata(
            f"{place} is not inside the folder of its metadata file. Copy or link it there, and give its relative path."
        )
    # Inspect reads what is before a colon as the name of a sandbox.
    for character in (":", "\\"):
        if character in name:
            raise InvalidMetadata(f"{place} has {character!r} in its name. Rename it; folders are separated by '/'.")
    if relative.parts and _RESERVED.fullmatch(relative.parts[0]):
        raise InvalidMetadata(f"{place} has a name that the sandbox uses itself. Rename it.")
    path = folder / name
    if path.is_dir():
        raise DataMissing(f"{path}: the metadata describe this data file, but it is a folder. Name each of its files.")
    if not path.is_file():
        raise DataMissing(f"{path}: the metadata describe this data file, but it is not there.")
    if _METADATA.fullmatch(path.name) or _METADATA.fullmatch(path.resolve().name):
        raise InvalidMetadata(f"{place} is a metadata file, which the agent must not see. Remove it from `datasets`.")
    return path
