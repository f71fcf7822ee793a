"""Tables: text files with separated values and a header."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError

# The limit of the module, 131,072 characters, would refuse valid values.
csv.field_size_limit(2**31 - 1)

_QUOTED = re.compile(r'"[^"]*"')

# A quoted column name can have line breaks.
_HEADER = re.compile(r'(?:"[^"]*"|[^"\r\n])*')


@dataclass(frozen=True)
class Table:
    """A data file or answer key.

    Attributes:
        columns: The column names, from the first row.
        rows: The other rows by the number of their last line, without blank ones. Each has a value for every column.
    """

    columns: tuple[str, ...]
    rows: Mapping[int, Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> "Table":
        """Read a file.

        Raises:
            DataError: The file cannot be read, is empty or is no text file in UTF-8 or Windows-1252, a quoted value is
                not closed, or a row has too few or too many values.
        """
        records = read_records(read_text(path), path)
        header = next(records, None)
        if header is None or not header.values:
            raise DataError(f"{path}: the file is empty. The first row must contain the column names.")
        rows = {}
        for record in records:
            if record.values:
                rows[record.line] = dict(zip(header.values, record.values, strict=True))
        return cls(tuple(header.values), rows)

    def require_different_columns(self, path: Path) -> None:
        """Check that no column name occurs twice, also after removing spaces around it: a value would be lost.

        Raises:
            DataError: A name occurs twice.
        """
        names = [column.strip() for column in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"{path}: the column {name!r} occurs twice. Remove or rename one of them.")


@dataclass(frozen=True)
class Record:
    """A row of a table as it is written. The first one is the header.

    Attributes:
        line: Number of its last line.
        text: All of its text, with quotes and the line break at its end.
        values: The values, without their quotes. There are none in a blank line.
    """

    line: int
    text: str
    values: Sequence[str]

    @property
    def cells(self) -> list[str]:
        """The values as they are written, with their quotes."""
        cells = []
        position = 0
        for value in self.values:
            cell = value
            if self.text.startswith('"', position):
                cell = '"' + value.replace('"', '""') + '"'
            cells.append(cell)
            position += len(cell) + 1  # the separator
        return cells

    @property
    def end(self) -> str:
        """The line break, or whatever follows the last cell."""
        width = sum(len(cell) + 1 for cell in self.cells)
        return self.text[max(0, width - 1) :]


def read_records(text: str, path: Path) -> Iterator[Record]:
    """Read the rows of a table one by one.

    Args:
        text: The text of the table.
        path: Its file, for messages.

    Raises:
        DataError: A quoted value is not closed, or a row has too few or too many values.
    """
    separator = separator_of(text)
    lines = list(StringIO(text, newline=""))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    width = None
    previous_end = 0  # a row is on several lines if a value has line breaks
    try:
        for values in reader:
            width = width or len(values)
            if values and len(values) != width:
                raise DataError(
                    f"{path}: line {reader.line_num} has {len(values)} values, expected {width}. The file may be "
                    f"truncated, or a value with {separator!r} or a line break is not in double quotes."
                )
            row_text = "".join(lines[previous_end : reader.line_num])
            yield Record(reader.line_num, row_text, values)
            previous_end = reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num}: {error}. The file may be truncated.") from error


def separator_of(text: str) -> str:
    """The separator of a table: whichever of comma, tab and semicolon is most frequent in its header, outside quotes.

    Spreadsheets write semicolons in locales where the comma is the decimal separator.
    """
    header = next(_HEADER.finditer(text))  # it can be empty
    unquoted = _QUOTED.sub("", header[0])
    return max(",\t;", key=unquoted.count)


def is_table(path: PurePath) -> bool:
    """Whether a data file is a table, by its suffix: `.csv` or `.tsv`."""
    return path.suffix.lower() in (".csv", ".tsv")
