"""CSV files that people open in a spreadsheet. No cell that is written here can run as a formula."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import DataMissing, InvalidArgument, UnreadableTable

if TYPE_CHECKING:
    import _csv

# The start of a formula in Excel, LibreOffice or Google Sheets: https://owasp.org/www-community/attacks/CSV_Injection.
# Full-width characters are formulas in East Asian locales.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")  # noqa: RUF001


@dataclass(frozen=True)
class Row:
    """A row of a CSV file.

    Attributes:
        location: File and line, for error messages.
        cells: Text by column name, as it was before it was escaped.
    """

    location: str
    cells: Mapping[str, str]

    @cached_property
    def values(self) -> Mapping[str, str]:
        """The cells without surrounding whitespace."""
        return {name: text.strip() for name, text in self.cells.items()}

    def nonempty(self, column: str) -> str:
        """The value of a column.

        Raises:
            InvalidArgument: The value is empty.
        """
        if not self.values[column]:
            raise InvalidArgument(f"{self.location}: {column} is empty.")
        return self.values[column]


def escape(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    A text that starts with apostrophes and then such a character gets one more, so that `unescape` restores any text.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape(text: str) -> str:
    """Remove the apostrophe that `escape` added."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def to_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Write rows with the same columns as CSV, with escaped cells.

    Args:
        rows: At least one row.
    """
    text = StringIO(newline="")
    # Python 3.11 quotes a carriage return in a cell only if it is part of the line terminator.
    writer = csv.DictWriter(text, rows[0], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: escape(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Read the rows of a CSV file that has at least these columns, in any order. Empty rows are skipped.

    Raises:
        DataMissing: The file does not exist.
        UnreadableTable: The file is not a CSV file, a column is missing, or a row has the wrong number of values.
    """
    text = _read(path)
    reader = _reader(text)
    try:
        names = [name.strip() for name in next(reader, ())]
        if missing := [column for column in columns if column not in names]:
            raise UnreadableTable(
                f"{path}: line 1: missing column {', '.join(missing)}. Expected the columns {', '.join(columns)}."
            )
        for values in reader:
            location = f"{path}: line {reader.line_num}"
            if not any(values):
                continue
            if len(values) != len(names):
                raise UnreadableTable(f"{location}: {len(values)} values for {len(names)} columns.")
            yield Row(location, dict(zip(names, map(unescape, values), strict=True)))
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line {reader.line_num}: not a valid CSV file: {error}.") from error


def read_header(path: Path) -> list[str]:
    """The column names of a CSV file.

    Raises:
        DataMissing: The file does not exist.
        UnreadableTable: The file is not a CSV file.
    """
    text = _read(path)
    try:
        return [name.strip() for name in next(_reader(text), ())]
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line 1: not a valid CSV file: {error}.") from error


def rows_by(column: str, rows: Iterable[Row]) -> dict[str, Row]:
    """Index rows by a column.

    Raises:
        InvalidArgument: A value in this column is empty or occurs twice.
    """
    by_name: dict[str, Row] = {}
    for row in rows:
        name = row.nonempty(column)
        if name in by_name:
            raise InvalidArgument(
                f"{row.location}: duplicate row for {column} {name} ({by_name[name].location}). "
                "Remove one of the two rows."
            )
        by_name[name] = row
    return by_name


def _read(path: Path) -> str:
    if not path.is_file():
        raise DataMissing(f"The file '{path}' does not exist. Check the path.")
    return read_text(path)


def _reader(text: str) -> "_csv.Reader":
    header = text.partition("\n")[0]
    # Spreadsheets write semicolons in locales with a decimal comma.
    return csv.reader(StringIO(text, newline=""), delimiter=max(",\t;", key=header.count), strict=True)
