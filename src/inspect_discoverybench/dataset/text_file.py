"""Text files, in the encodings of the release."""

from contextlib import suppress
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError, DataMissing

# 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.
ENCODINGS = ("utf-8-sig", "cp1252")


def read_text(path: Path) -> str:
    """Read a text file in UTF-8 or Windows-1252.

    Raises:
        DataMissing: The file cannot be read.
        DataError: The file is in neither encoding.
    """
    content = _read_bytes(path)
    for encoding in ENCODINGS:
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    raise DataError(f"{path} is no text file in UTF-8 or Windows-1252. Save it as UTF-8.")


def _read_bytes(path: Path) -> bytes:
    try:
        # Reading a pipe would not end.
        if path.exists() and not path.is_file():
            raise DataMissing(f"{path} is not a regular file. Check the path.")
        return path.read_bytes()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error
