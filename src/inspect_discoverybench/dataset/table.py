"""Tables: text files with separated values and a header."""

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError

# The limit of the module, 131,072 characters, would refuse valid values.
csv.field_size_limit(2**31 - 1)


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
        text = read_text(path)
        separator = separator_of(text)
        lines = StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=separator, strict=True)
        rows = {}
        try:
            columns = next(reader, [])
            for values in reader:
                if not values:  # a blank line
                    continue
                if len(values) != len(columns):
                    place = f"{path}: line {reader.line_num}"
                    raise DataError(
                        f"{place} has {len(values)} values, expected {len(columns)}. The file may be truncated, or a "
                        f"value with {separator!r} or a line break is not in double quotes."
                    )
                row = zip(columns, values, strict=True)
                rows[reader.line_num] = dict(row)
        except csv.Error as error:
            place = f"{path}: line {reader.line_num}"
            raise DataError(f"{place}: {error}. The file may be truncated.") from error
        if not columns:
            raise DataError(f"{path}: the file is empty. The first row must contain the column names.")
        return cls(tuple(columns), rows)

    def require_different_columns(self, path: Path) -> None:
        """Check that no column name occurs twice, also after removing spaces around it: a value would be lost.

        Raises:
            DataError: A name occurs twice.
        """
        names = [column.strip() for column in self.columns]
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"{path}: the column {name!r} occurs twice. Remove or rename one of them.")


def separator_of(text: str) -> str:
    """The separator of a table: whichever of comma, tab and semicolon is most frequent in its header, outside quotes.

    Spreadsheets write semicolons in locales where the comma is the decimal separator.
    """
    header, _, _ = text.partition("\n")
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(",\t;", key=unquoted.count)


def is_table(path: PurePath) -> bool:
    """Whether a data file is a table, by its suffix: `.csv` or `.tsv`."""
    return path.suffix.lower() in (".csv", ".tsv")
