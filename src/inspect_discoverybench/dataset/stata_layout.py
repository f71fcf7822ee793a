"""The layout of a Stata file: where the cells of its table are.

Cells have a fixed width in bytes, and lie row by row in one part of the file. Everything that gives them a meaning
(names, formats, value labels, long texts) is elsewhere. The layout is that of Stata's documentation (`help dta`).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.errors.exceptions import DataError

_OLD_WIDTHS = {251: 1, 252: 2, 253: 4, 254: 4, 255: 8}
"""Bytes of a number by type, in versions 113 to 115: byte, int, long, float, double."""

_NEW_WIDTHS = {65530: 1, 65529: 2, 65528: 4, 65527: 4, 65526: 8, 32768: 8}
"""The same in versions 117 to 119. The last type is a reference to a long text (strL)."""

_MAX_OLD_TEXT = 244
_MAX_NEW_TEXT = 2045
"""Bytes of the longest text in a cell. Up to this number, the type of a column of texts is their length in bytes."""


@dataclass(frozen=True)
class StataLayout:
    """Where the cells of a Stata file are.

    Attributes:
        start: Position of the first cell in the file, in bytes.
        rows: Number of rows.
        widths: Width of each column in bytes.
    """

    start: int
    rows: int
    widths: Sequence[int]

    @classmethod
    def read(cls, content: bytes) -> "StataLayout":
        """Read the layout of a file in version 113 to 115 or 117 to 119 of the format, which Stata 8 and later write.

        Raises:
            DataError: The file is not a Stata file of these versions, or it is truncated.
        """
        try:
            if content.startswith(b"<stata_dta>"):
                layout = _new_layout(_Bytes(content))
            else:
                layout = _old_layout(_Bytes(content))
        except (struct.error, KeyError, ValueError) as error:
            raise DataError("not a Stata file of version 113 to 119, or damaged") from error
        if layout.start + layout.rows * layout.row_width > len(content):
            raise DataError("truncated")
        return layout

    @property
    def row_width(self) -> int:
        """Width of a row in bytes."""
        return sum(self.widths)


class _Bytes:
    """The bytes of a file, read from the start on.

    Attributes:
        content: All bytes.
        position: Where the next byte is read.
        byte_order: Byte order of the numbers, as in Python's `struct`: `<` is little-endian, and `>` big-endian.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.position = 0
        self.byte_order = "<"

    def take(self, count: int) -> bytes:
        """Read bytes, and move behind them."""
        taken = self.content[self.position : self.position + count]
        self.skip(count)
        return taken

    def skip(self, count: int) -> None:
        self.position += count

    def skip_tag(self, tag: str) -> None:
        """Skip a tag. Raises `ValueError` if it is not next."""
        if not self.content.startswith(tag.encode(), self.position):
            raise ValueError(tag)
        self.skip(len(tag))

    def numbers(self, form: str, count: int = 1) -> Sequence[int]:
        """Read whole numbers, and move behind them. `form` is a letter of Python's `struct`: B, H, I or Q."""
        struct_format = f"{self.byte_order}{count}{form}"
        values = struct.unpack_from(struct_format, self.content, self.position)
        self.skip(struct.calcsize(struct_format))
        return values

    def number(self, form: str) -> int:
        """Read one whole number, and move behind it."""
        return self.numbers(form)[0]


def _old_layout(file: _Bytes) -> StataLayout:
    version, byte_order = file.numbers("B", 2)
    if version not in (113, 114, 115):
        raise ValueError(version)
    file.byte_order = {1: ">", 2: "<"}[byte_order]
    file.skip(2)  # file type, unused
    columns = file.number("H")
    rows = file.number("I")
    file.skip(81 + 18)  # label and time of the file
    widths = [_width(number, _OLD_WIDTHS, _MAX_OLD_TEXT) for number in file.numbers("B", columns)]

    # Lengths of the next parts of the file, in bytes.
    names = 33 * columns
    sort_order = 2 * (columns + 1)
    formats = (12 if version == 113 else 49) * columns
    value_label_names = 33 * columns
    column_labels = 81 * columns
    file.skip(names + sort_order + formats + value_label_names + column_labels)

    # Characteristics, such as notes. Each begins with its type and its length. After the last one, both are 0.
    while True:
        kind = file.number("B")
        length = file.number("I")
        if kind == length == 0:
            return StataLayout(file.position, rows, widths)
        file.skip(length)


def _new_layout(file: _Bytes) -> StataLayout:
    file.skip_tag("<stata_dta><header><release>")
    version = file.take(3)
    if version not in (b"117", b"118", b"119"):
        raise ValueError(version)
    file.skip_tag("</release><byteorder>")
    file.byte_order = {b"MSF": ">", b"LSF": "<"}[file.take(3)]

    file.skip_tag("</byteorder><K>")
    columns = file.number("I" if version == b"119" else "H")
    file.skip_tag("</K><N>")
    rows = file.number("I" if version == b"117" else "Q")
    file.skip_tag("</N><label>")
    label_length = file.number("B" if version == b"117" else "H")
    file.skip(label_length)
    file.skip_tag("</label><timestamp>")
    timestamp_length = file.number("B")
    file.skip(timestamp_length)
    file.skip_tag("</timestamp></header><map>")

    # The positions of all parts of the file. The table is the tenth part.
    positions = file.numbers("Q", 14)
    file.skip_tag("</map><variable_types>")
    widths = [_width(number, _NEW_WIDTHS, _MAX_NEW_TEXT) for number in file.numbers("H", columns)]
    file.position = positions[9]
    file.skip_tag("<data>")
    return StataLayout(file.position, rows, widths)


def _width(number: int, widths: dict[int, int], max_text: int) -> int:
    """The width of a column in bytes, by the number of its type. The number of a text type is the width itself.

    Raises `KeyError` for an unknown type.
    """
    if 1 <= number <= max_text:
        return number
    return widths[number]
