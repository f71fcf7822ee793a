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

# By default, the module `csv` refuses values with more than 131,072 characters, although they are valid.
csv.field_size_limit(2**31 - 1)

_QUOTED = re.compile(r'"[^"]*"')
"""Matches a quoted value. A separator or a line break inside of it does not divide the table."""

_SEPARATORS = "\t;,"
"""Separators of tables. The first ones are preferred, because column names are more likely to have commas than tabs."""

_DECIMAL_COMMA = re.compile(r"\s*[-+]?[\d.]*,\d+\s*")
"""Matches a number with a decimal comma, as in 1.234,5."""

_COMPARED_ROWS = 100
"""Number of rows, from the header on, by which the separator is found."""


@dataclass(frozen=True)
class Table:
    """A data file or answer key.

    Attributes:
        columns: The column names, from the first row.
        rows: The other rows, without blank ones, each by the number of its last line. A row has a value for every
            column.
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
        """Check that no two columns have the same name, apart from spaces around it.

        If two columns had the same name, `rows` would have only the values of the last one.

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
                # In a quoted cell, each quote of the value is written twice.
                cell = '"' + value.replace('"', '""') + '"'
            cells.append(cell)
            position += len(cell) + 1  # the separator
        return cells

    @property
    def end(self) -> str:
        """What follows the last cell: the line break, or nothing. For a blank line, this is all of its text."""
        cells = self.cells
        separators = max(0, len(cells) - 1)
        width = sum(map(len, cells)) + separators
        return self.text[width:]


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
    header_width = 0
    # The number of the last line of the row before. A row is on several lines if a value has line breaks.
    previous_end = 0
    try:
        for values in reader:
            if not header_width:
                header_width = len(values)  # still 0 if a blank line is before the header
            if values and len(values) != header_width:
                raise DataError(
                    f"{path}: line {reader.line_num} has {len(values)} values, expected {header_width}. The file may "
                    f"be truncated, or a value with {separator!r} or a line break is not in double quotes."
                )
            row_text = "".join(lines[previous_end : reader.line_num])
            yield Record(reader.line_num, row_text, values)
            previous_end = reader.line_num
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num}: {error}. The file may be truncated.") from error


def separator_of(text: str) -> str:
    """The separator of a table: comma, tab or semicolon.

    A separator fits if it divides the first rows into equally many values, at least two.

    - If a tab or semicolon fits, and all commas in the values below the header are decimal commas, it is the separator.
      Spreadsheets write semicolons in locales where the comma is the decimal separator.
    - Otherwise, it is the fitting separator that divides the header into the most values. Of several, a tab or
      semicolon is preferred, because names of columns are more likely to contain commas.
    - If none fits, because the table is damaged or has one column, it is the separator that divides the header into the
      most values. Of several, the comma is preferred, because most tables use it.
    """
    rows = {separator: list(_first_rows(text, separator)) for separator in _SEPARATORS}
    fitting = [separator for separator in _SEPARATORS if _is_table_of_several_columns(rows[separator])]
    for separator in fitting:
        if separator != "," and _has_only_decimal_commas(rows[separator]):
            return separator

    def header_width(separator: str) -> int:
        header = next(iter(rows[separator]), [])
        return len(header)

    # If several headers are equally wide, `max` returns the first separator.
    if fitting:
        return max(fitting, key=header_width)
    comma_first = [",", "\t", ";"]
    return max(comma_first, key=header_width)


def _first_rows(text: str, separator: str) -> Iterator[list[str]]:
    """The values of the header and of the first rows, without blank lines.

    If a row cannot be read with the separator, an empty row stands for it, and the rows end there.
    """
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for values in islice(reader, _COMPARED_ROWS):
            if values:
                yield values
    except csv.Error:
        # An empty row has fewer values than the other rows. So the separator counts as one that does not fit.
        yield []


def _is_table_of_several_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether there are a header and another row, and all rows have equally many values, at least two."""
    widths = {len(values) for values in rows}
    return len(rows) > 1 and len(widths) == 1 and min(widths) > 1


def _has_only_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Whether all commas below the header are decimal commas. This also holds if there are no commas."""
    _, *others = rows
    for values in others:
        for value in values:
            if "," in value and not _DECIMAL_COMMA.fullmatch(value):
                return False
    return True


def may_have_columns(text: str) -> bool:
    """Whether a text may be a table with several columns, although it cannot be read as one.

    The rows of such a table have different lengths, or a separator that is not read here. The text may be a table if
    a separator divides most of its lines into equally many values (`_fit_a_table`). White space also divides words, so
    it counts as a separator only if most lines have several numbers.
    """
    lines = [line for line in _QUOTED.sub("", text).splitlines() if line.strip()]
    # A header and one row are too few to tell a table from another text.
    if len(lines) < 3:
        return False
    for separator in (*_SEPARATORS, "|"):
        if _fit_a_table([line.count(separator) + 1 for line in lines]):
            return True
    lines_with_numbers = sum(_has_two_numbers(line) for line in lines)
    return 2 * lines_with_numbers > len(lines) and _fit_a_table([len(line.split()) for line in lines])


def _fit_a_table(widths: Sequence[int]) -> bool:
    """Whether the numbers of values in some lines are those of a table with several columns.

    More than half of the lines have the same number of values. The header has as many values, or one less: a column of
    row names often has no heading.
    """
    [(usual_width, lines_with_usual_width)] = Counter(widths).most_common(1)
    header_width = widths[0]
    header_fits = header_width > 1 and header_width in (usual_width, usual_width - 1)
    return header_fits and 2 * lines_with_usual_width > len(widths)


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
