"""CSV files that people open in a spreadsheet: written without formulas, and read row by row."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from inspect_discoverybench.dataset.table_file import Table
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.errors.redaction import printable

ModelT = TypeVar("ModelT", bound=BaseModel)

# The start of a formula in Excel, LibreOffice or Google Sheets: https://owasp.org/www-community/attacks/CSV_Injection.
# Full-width characters start formulas in East Asian locales. Apostrophes before the start are those of `_escape`, or
# belong to the text.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")  # noqa: RUF001


def _escape(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    A formula that already has apostrophes before it gets one more, so that every text can be restored.
    """
    if _FORMULA.match(text):
        return f"'{text}"
    return text


def _unescape(text: str) -> str:
    """Remove the apostrophe that `_escape` put before a text."""
    # The pattern allows for apostrophes before a formula, so it also matches an escaped text.
    if text.startswith("'") and _FORMULA.match(text):
        return text[1:]
    return text


def to_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Write rows as CSV.

    Args:
        rows: The cells of each row by column. There is at least one row, and all have the same columns.
    """
    text = StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    for row in rows:
        safe_cells = {name: safe_cell(value) for name, value in row.items()}
        writer.writerow(safe_cells)
    return text.getvalue()


def safe_cell(text: str) -> str:
    """Make a text safe to open in a terminal and in a spreadsheet."""
    return _escape(printable(text))


@dataclass(frozen=True)
class Row:
    """A row of a CSV file.

    Attributes:
        location: File and line, for error messages.
        values: Text by column name, as it was before it was escaped, without surrounding white space.
    """

    location: str
    values: Mapping[str, str]

    def parse(self, model: type[ModelT]) -> ModelT:
        """Validate the values.

        Raises:
            InvalidArgument: A value is invalid.
        """
        try:
            return model.model_validate(self.values)
        except ValidationError as error:
            message = f"{self.location}: {first_reason(error)}"
            value = error.errors()[0]["input"]
            if isinstance(value, str):
                message += f" Got '{value}'."
            raise InvalidArgument(message) from error


def read_rows(path: Path) -> Iterator[Row]:
    """Read the rows of a CSV file. Empty rows are skipped.

    Raises:
        DataError: The file does not exist or is not a CSV file, a column occurs twice, or a row has too many values.
    """
    table = Table.read(path)
    table.require_different_columns(path)
    for line, values in table.rows.items():
        cells = {}
        for name, value in values.items():
            cells[name.strip()] = _unescape(value).strip()
        if any(cells.values()):
            yield Row(f"{path}: line {line}", cells)


def read_header(path: Path) -> list[str]:
    """Read the column names of a CSV file.

    Raises:
        DataError: The file does not exist or is not a CSV file.
    """
    return [name.strip() for name in Table.read(path).columns]
