"""CSV files that people open in a spreadsheet. No cell that is written here can run as a formula."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeVar

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import DataMissing, InvalidArgument, UnreadableTable

T = TypeVar("T")

# The start of a formula in Excel, LibreOffice or Google Sheets: https://owasp.org/www-community/attacks/CSV_Injection.
# Full-width characters are formulas in East Asian locales.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")  # noqa: RUF001


@dataclass(frozen=True)
class Row:
    """A row of a CSV file.

    Attributes:
        location: File and line, for error messages.
        values: Text by column name, as it was before it was escaped, without surrounding white space.
    """

    location: str
    values: Mapping[str, str]

    def parse(self, column: str, parser: Callable[[str], T]) -> T:
        """The value of a column, parsed. A column that the file does not have is empty.

        The parser raises a `ValueError` whose message says what is expected. It becomes an `InvalidArgument`.
        """
        text = self.values.get(column, "")
        try:
            return parser(text)
        except ValueError as error:
            raise InvalidArgument(f"{self.location}: {column} must be {error}, got '{text}'.") from error


def nonempty(text: str) -> str:
    """A parser of texts, for `Row.parse`."""
    if not text:
        raise ValueError("a text")
    return text


def number(low: float, high: float) -> Callable[[str], float]:
    """A parser of numbers between two bounds, for `Row.parse`."""

    def parse(text: str) -> float:
        with suppress(ValueError):
            if low <= float(text) <= high:  # false for NaN
                return float(text)
        raise ValueError(f"a number from {low:,} to {high:,}")

    return parse


def word(spellings: Mapping[str, T], expected: str) -> Callable[[str], T]:
    """A parser of words in any case, for `Row.parse`."""

    def parse(text: str) -> T:
        if text.casefold() not in spellings:
            raise ValueError(expected)
        return spellings[text.casefold()]

    return parse


def escape(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    A text that starts with apostrophes and then such a character gets one more, so that every text can be restored.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def to_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Write rows with the same columns as CSV, with escaped cells. There is at least one row."""
    text = StringIO(newline="")
    # Python 3.11 quotes a carriage return in a cell only if it is part of the line terminator.
    writer = csv.DictWriter(text, rows[0], lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: escape(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Read the rows of a CSV file that has at least these columns, in any order. Empty rows are skipped.

    Raises:
        DataError: The file does not exist or is not a CSV file, a column is missing, or a row has too many values.
    """
    lines = _lines(path)
    _, names = next(lines, ("", []))
    if missing := [column for column in columns if column not in names]:
        raise UnreadableTable(
            f"{path}: line 1: missing column {', '.join(missing)}. Expected the columns {', '.join(columns)}."
        )
    for location, values in lines:
        if any(values):
            if len(values) != len(names):
                raise UnreadableTable(f"{location}: {len(values)} values for {len(names)} columns.")
            yield Row(location, dict(zip(names, values, strict=True)))


def read_header(path: Path) -> list[str]:
    """The column names of a CSV file."""
    return next((names for _, names in _lines(path)), [])


def _lines(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Location and cells of each line."""
    if not path.is_file():
        raise DataMissing(f"The file '{path}' does not exist. Check the path.")
    text = read_text(path)
    header = text.partition("\n")[0]
    # Spreadsheets write semicolons in locales with a decimal comma.
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(",\t;", key=header.count), strict=True)
    try:
        for cells in reader:
            yield f"{path}: line {reader.line_num}", [_unescape(cell).strip() for cell in cells]
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line {reader.line_num}: not a valid CSV file: {error}.") from error


def _unescape(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
