"""Text files, in the encodings of the release."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.file_failures import read_file

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

# The first bytes of gzip, bzip2, Zstandard and text in UTF-16. Windows-1252 can decode such files, so they must be
# recognized by these bytes. Other binary files have null bytes.
_BINARY = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class TextFile:
    """A text file.

    Attributes:
        text: Its text, without a byte-order mark.
        encoding: Python's name of its encoding. `text.encode(encoding)` is the content of the file, byte by byte.
    """

    text: str
    encoding: str

    @classmethod
    def read(cls, path: Path) -> "TextFile":
        """Read a text file in UTF-8 or Windows-1252.

        Raises:
            DataError: The file cannot be read, is a folder, a pipe or a device, is compressed or in another format, or
                has neither encoding.
        """
        content = read_file(path)
        if not is_binary(content):
            utf_8 = "utf-8-sig" if content.startswith(_BYTE_ORDER_MARK) else "utf-8"
            # 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.
            for encoding in (utf_8, "cp1252"):
                with suppress(UnicodeDecodeError):
                    return cls(content.decode(encoding), encoding)
        raise DataError(
            f"{path} is no text file in UTF-8 or Windows-1252. Decompress it if it is compressed. Save it as UTF-8."
        )


def is_binary(content: bytes) -> bool:
    """Whether the content of a file, or the beginning of it, is no text in UTF-8 or Windows-1252."""
    return content.startswith(_BINARY) or b"\0" in content


def read_text(path: Path) -> str:
    """Read the text of a file, as `TextFile.read` does."""
    return TextFile.read(path).text
