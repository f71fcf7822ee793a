"""Tables: text files with separated values and a header."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from inspect_discoverybench.dataset.text_file import read_text_and_encoding
from inspect_discoverybench.errors import UnreadableTable


@dataclass(frozen=True)
class Table:
    """A data file with a header.

    Attributes:
        encoding: `UTF-8` or `Windows-1252`.
        separator: Comma, tab or semicolon.
        columns: The column names, from the first row.
        rows: The other rows; each has a value for every column.
    """

    encoding: str
    separator: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> "Table":
        """Read a `.csv` or `.tsv` file.

        Raises:
            DataMissing: The file does not exist or cannot be read.
            UnreadableTable: The file is empty, a quoted value is not closed, or a row has too few or too many values.
        """
        text, encoding = read_text_and_encoding(path)
        lines = numbered_rows(path, text)
        _, columns = next(lines)
        rows = []
        for number, values in lines:
            if values and len(values) != len(columns):
                raise UnreadableTable(
                    f"{path}: line {number} has {len(values)} values, expected {len(columns)}. "
                    "The file may be truncated."
                )
            rows.append(dict(zip(columns, values, strict=False)))
        return cls(encoding, separator(text), tuple(columns), tuple(rows))


def is_table(path: PurePath) -> bool:
    """Whether a file is a table, by its suffix: `.csv` or `.tsv`."""
    return path.suffix.lower() in (".csv", ".tsv")


def numbered_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Iterate over all rows, the header first, each with the number of its last line.

    Args:
        path: Path of the file, for error messages.
        text: Text of the file.

    Raises:
        UnreadableTable: There is no header, or a quoted value is not closed.
    """
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator(text), strict=True)
    try:
        header = next(reader, [])
        if not header:
            raise UnreadableTable(f"{path}: the file is empty. The first row must contain the column names.")
        yield reader.line_num, header
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line {reader.line_num}: {error}. The file may be truncated.") from error


def separator(text: str) -> str:
    """Detect the separator: comma, tab or semicolon, whichever is most frequent in the first line outside quotes.

    Spreadsheets write semicolons in locales where the comma is the decimal separator.
    """
    header = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    return max(",\t;", key=header.count)
