"""Text files, in the encodings of the release."""

import codecs
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError, DataMissing


def read_text(path: Path) -> str:
    """Read a text file. 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.

    Raises:
        DataMissing: The file cannot be read.
        DataError: The file is in neither encoding.
    """
    content = _read_bytes(path)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{path}: the file is encoded in UTF-16. Save it as UTF-8.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _decode_windows(path, content)


def _read_bytes(path: Path) -> bytes:
    try:
        # Reading a pipe would not end.
        if path.exists() and not path.is_file():
            raise DataMissing(f"{path} is not a regular file. Check the path.")
        return path.read_bytes()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error


def _decode_windows(path: Path, content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from error
