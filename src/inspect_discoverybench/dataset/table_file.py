"""Tables: text files with separated values and a header."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from pathlib import Path, PurePath

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError

# The limit of the module, 131,072 characters, would refuse valid values.
csv.field_size_limit(2**31 - 1)

_QUOTED = re.compile(r'"[^"]*"')

_SEPARATORS = "\t;,"
"""Separators of tables, the first of which is used if several fit: column names are more likely to have commas."""

_DECIMAL_COMMA = re.compile(r"\s*[-+]?[\d.]*,\d+\s*")
"""Matches a number with a decimal comma, as in 1.234,5."""

_COMPARED_ROWS = 100
"""Number of rows by which the separator is found."""


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
        records = (record for record in read_records(read_text(path), path) if record.values)
        header = next(records, None)
        if header is None:
            raise DataError(f"{path}: the file is empty. The first row must contain the column names.")
        rows = {record.line: dict(zip(header.values, record.values, strict=True)) for record in records}
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
    """The separator of a table: comma, tab or semicolon, whichever divides its first rows into equally many values.

    If several separators do, it is one that leaves all commas inside of numbers, because spreadsheets write semicolons
    in locales where the comma is the decimal separator. If none of them leaves the commas, it is the one that gives the
    most values. If no separator divides the rows equally, because the table is damaged or has one column, it is the
    most frequent one in the header, outside quotes.
    """
    rows = {separator: _first_rows(text, separator) for separator in _SEPARATORS}
    fitting = [separator for separator in _SEPARATORS if _is_table_of_several_columns(rows[separator])]
    for separator in fitting:
        if separator != "," and _has_decimal_commas(rows[separator]):
            return separator

    def header_width(separator: str) -> int:
        header = next(iter(rows[separator]), [])
        return len(header)

    # Of separators that give equally many values, `max` takes the first: a comma if the header has only one column.
    candidates = fitting or [",", "\t", ";"]
    return max(candidates, key=header_width)


def _first_rows(text: str, separator: str) -> list[list[str]]:
    """The header and the first rows, without blank lines; a row that cannot be read with the separator is empty."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        rows.extend(values for values in islice(reader, _COMPARED_ROWS) if values)
    except csv.Error:
        rows.append([])
    return rows


def _is_table_of_several_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether there are a header and another row, and all rows have equally many values, at least two."""
    widths = {len(values) for values in rows}
    return len(rows) > 1 and len(widths) == 1 and min(widths) > 1


def _has_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all commas below the header are decimal commas."""
    _, *others = rows
    for values in others:
        for value in values:
            if "," in value and not _DECIMAL_COMMA.fullmatch(value):
                return False
    return True


def may_have_columns(text: str) -> bool:
    """Whether a text may be a table with several columns, although it cannot be read as one.

    The rows of such a table have different lengths, or a separator that is not read here. The text may be a table if
    most of its lines have as many values as the first one. White space also divides words, so it counts as a separator
    only between numbers.
    """
    lines = [line for line in _QUOTED.sub("", text).splitlines() if line.strip()]
    if len(lines) < 3:
        return False
    for separator in (*_SEPARATORS, "|"):
        if _are_even([line.count(separator) + 1 for line in lines]):
            return True
    lines_with_numbers = sum(_has_two_numbers(line) for line in lines)
    return 2 * lines_with_numbers > len(lines) and _are_even([len(line.split()) for line in lines])


def _are_even(widths: Sequence[int]) -> bool:
    """Whether more than half of the rows have the same number of values, and the header fits them.

    The header has as many values as these rows, or one less: a column of row names often has no heading.
    """
    [(usual_width, count)] = Counter(widths).most_common(1)
    header_width = widths[0]
    header_fits = header_width > 1 and header_width in (usual_width, usual_width - 1)
    return header_fits and 2 * count > len(widths)


def _has_two_numbers(line: str) -> bool:
    return sum(map(_is_number, line.split())) > 1


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def is_table(path: PurePath) -> bool:
    """Whether a data file is a table, by its suffix: `.csv` or `.tsv`."""
    return path.suffix.lower() in (".csv", ".tsv")
