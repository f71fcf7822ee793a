"""Text files in the encodings of the release: UTF-8, or else Windows-1252."""

import codecs
from contextlib import suppress
from pathlib import Path

from inspect_discoverybench.errors import DataMissing, InvalidMetadata


def read_text(path: Path) -> str:
    """Read a text file. 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.

    Raises:
        DataMissing: The file cannot be read.
        InvalidMetadata: The file is in neither encoding.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidMetadata(f"{path}: the file is encoded in UTF-16. Save it as UTF-8.")
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8-sig")
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise InvalidMetadata(
            f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from error
