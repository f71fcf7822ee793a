"""Text files, in the encodings of the release."""

from contextlib import suppress
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError

# 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.
ENCODINGS = ("utf-8-sig", "cp1252")

# The first bytes of gzip, bzip2 and Zstandard, which Windows-1252 can decode. Other binary files have null bytes.
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")


def read_text(path: Path) -> str:
    """Read a text file in UTF-8 or Windows-1252.

    Raises:
        DataError: The file cannot be read, is a folder, a pipe or a device, is compressed or in another format, or has
            neither encoding.
    """
    # Reading a pipe or a device may never end.
    if path.exists() and not path.is_file():
        raise DataError(f"{path} is not a file. Check the path.")

    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error

    is_binary = content.startswith(_COMPRESSED) or b"\0" in content
    if not is_binary:
        for encoding in ENCODINGS:
            with suppress(UnicodeDecodeError):
                return content.decode(encoding)
    raise DataError(
        f"{path} is no text file in UTF-8 or Windows-1252. Decompress it if it is compressed. Save it as UTF-8."
    )
