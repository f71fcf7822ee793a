"""A text file with separated values, read to its end."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from inspect_discoverybench.dataset.metadata import decoded
from inspect_discoverybench.errors import UnreadableTable


@dataclass(frozen=True)
class Table:
    """A data file with named columns.

    Attributes:
        encoding: `UTF-8` or `Windows-1252`.
        separator: The character between values.
        columns: Names in the first row.
        rows: The others; each has a value for every column.
    """

    encoding: str
    separator: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    @classmethod
    def read(cls, path: Path) -> "Table":
        """Read a `.csv` or `.tsv` file.

        Raises:
            DataMissing: There is no such file.
            UnreadableTable: It ends in the middle of a row, or a row has another number of values than the first.
        """
        text, encoding = decoded(path)
        lines = numbered_rows(path, text)
        _, columns = next(lines)
        rows = []
        for number, values in lines:
            if values and len(values) != len(columns):
                raise UnreadableTable(
                    f"{path}: line {number} has {len(values)} values, but there are {len(columns)} columns; "
                    "the file may be cut off."
                )
            rows.append(dict(zip(columns, values, strict=False)))
        return cls(encoding, separator(text), tuple(columns), tuple(rows))


def is_table(path: PurePath) -> bool:
    """Whether the name says that a file has separated values."""
    return path.suffix.lower() in (".csv", ".tsv")


def numbered_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Every row with the number of its last line, the header first.

    Args:
        path: The file, for messages.
        text: Its text.

    Raises:
        UnreadableTable: There is no header, or a quoted value does not end.
    """
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator(text), strict=True)
    try:
        header = next(reader, [])
        if not header:
            raise UnreadableTable(f"{path}: the file is empty; its first row names the columns.")
        yield reader.line_num, header
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line {reader.line_num}: {error}; the file may be cut off.") from error


def separator(text: str) -> str:
    """Comma, tab or semicolon: the one that occurs most often in the first line, outside of quotes.

    Spreadsheets write semicolons where the comma is the decimal sign.
    """
    header = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    return max(",\t;", key=header.count)
