"""Text files in the encodings of the release: UTF-8, or else Windows-1252."""

import codecs
from pathlib import Path

from inspect_discoverybench.errors import DataMissing, InvalidMetadata


def read_text(path: Path) -> str:
    """Read a text file. See `read_text_and_encoding` for encodings and errors."""
    return read_text_and_encoding(path)[0]


def read_text_and_encoding(path: Path) -> tuple[str, str]:
    """Read a text file, and name its encoding: `UTF-8` or `Windows-1252`.

    80 metadata files and one answer key of DB-SYNTH are in Windows-1252.

    Raises:
        DataMissing: The file does not exist or cannot be read.
        InvalidMetadata: The file is in neither encoding.
    """
    content = _read_bytes(path)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidMetadata(f"{path}: the file is encoded in UTF-16. Save it as UTF-8.")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError as error:
        raise InvalidMetadata(
            f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DataMissing(f"{path} does not exist. Check the path.") from error
    except IsADirectoryError as error:
        raise DataMissing(f"{path} is a folder. Pass the path of a file.") from error
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error
