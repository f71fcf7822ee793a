"""A data file as a table, read to its end."""

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from inspect_discoverybench.dataset.metadata import decoded
from inspect_discoverybench.errors import UnreadableTable


@dataclass(frozen=True)
class Table:
    """A text file with separated values.

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
        """Read a `.csv` or `.tsv` file; whether commas, tabs or semicolons separate, its first row tells.

        Raises:
            DataMissing: There is no such file.
            UnreadableTable: It ends in the middle of a row, or a row has another number of values than the first.
        """
        text, encoding = decoded(path)
        first = text.partition("\n")[0]
        separator = max(",\t;", key=first.count)
        rows = []
        reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
        try:
            columns = tuple(next(reader, ()))
            if not columns:
                raise UnreadableTable(f"{path}: the file is empty; its first row names the columns.")
            for row in reader:
                if row and len(row) != len(columns):
                    raise UnreadableTable(
                        f"{path}: line {reader.line_num} has {len(row)} values, but there are {len(columns)} columns; "
                        "the file may be cut off."
                    )
                rows.append(dict(zip(columns, row, strict=False)))
        except csv.Error as error:
            raise UnreadableTable(f"{path}: line {reader.line_num}: {error}; the file may be cut off.") from error
        return cls(encoding, separator, columns, tuple(rows))
