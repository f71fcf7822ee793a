"""Tables: text files with separated values and a header. An answer key is one."""

import codecs
import csv
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePath

from inspect_discoverybench.errors.exceptions import DataError, DataMissing, UnreadableTable


def read_text(path: Path) -> str:
    """Read a text file. 80 metadata files and one answer key of DB-SYNTH are in Windows-1252.

    Raises:
        DataMissing: The file cannot be read.
        DataError: The file is in neither encoding.
    """
    try:
        if path.exists() and not path.is_file():  # reading a pipe would not end
            raise DataMissing(f"{path} is not a regular file. Check the path.")
        content = path.read_bytes()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check the path and its permissions.") from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{path}: the file is encoded in UTF-16. Save it as UTF-8.")
    with suppress(UnicodeDecodeError):
        return content.decode("utf-8-sig")
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252. Save the file as UTF-8."
        ) from error


# The limit of the module, 131,072 characters, would refuse valid values.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class Table:
    """A data file or answer key.

    Attributes:
        separator: Comma, tab or semicolon.
        columns: The column names, from the first row.
        rows: The other rows by the number of their last line, without blank ones. Each has a value for every column.
    """

    separator: str
    columns: tuple[str, ...]
    rows: Mapping[int, Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> "Table":
        """Read a file.

        Raises:
            DataMissing: The file cannot be read.
            DataError: The encoding is neither UTF-8 nor Windows-1252.
            UnreadableTable: The file is empty, a quoted value is not closed, or a row has too few or too many values.
        """
        text = read_text(path)
        # Whichever separator is most frequent in the first line, outside quotes. Spreadsheets write semicolons in
        # locales where the comma is the decimal separator.
        header = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
        separator = max(",\t;", key=header.count)
        reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
        rows = {}
        try:
            columns = next(reader, [])
            for values in filter(None, reader):  # leaves out blank lines
                if len(values) != len(columns):
                    raise UnreadableTable(
                        f"{path}: line {reader.line_num} has {len(values)} values, expected {len(columns)}. The file "
                        f"may be truncated, or a value with {separator!r} or a line break is not in double quotes."
                    )
                rows[reader.line_num] = dict(zip(columns, values, strict=True))
        except csv.Error as error:
            raise UnreadableTable(f"{path}: line {reader.line_num}: {error}. The file may be truncated.") from error
        if not columns:
            raise UnreadableTable(f"{path}: the file is empty. The first row must contain the column names.")
        return cls(separator, tuple(columns), rows)


def is_table(path: PurePath) -> bool:
    """Whether a data file is a table, by its suffix: `.csv` or `.tsv`."""
    return path.suffix.lower() in (".csv", ".tsv")


COLUMNS = ("dataset", "metadataid", "query_id", "gold_hypo")

Golds = dict[tuple[str, int, int], str]
"""Gold hypotheses by study folder, metadata number and query id."""


def read_answer_key(path: Path) -> Golds:
    """Read a CSV file with the columns `dataset`, `metadataid`, `query_id` and `gold_hypo`.

    Raises:
        DataMissing: The file cannot be read.
        UnreadableTable: The file is empty, a quoted value is not closed, or a row has too few or too many values.
        DataError: A column is missing, or a row has an invalid number, or a gold hypothesis that contradicts an
            earlier row.
    """
    table = Table.read(path)
    columns = [name.strip() for name in table.columns]
    if missing := [column for column in COLUMNS if column not in columns]:
        raise DataError(
            f"{path}: no column {', '.join(missing)}. The columns are {', '.join(columns)}; "
            f"an answer key needs {', '.join(COLUMNS)}."
        )
    golds: Golds = {}
    lines: dict[tuple[str, int, int], int] = {}
    for line, values in table.rows.items():
        row = {column.strip(): value.strip() for column, value in values.items()}
        if not any(row.values()):
            continue
        for column in ("metadataid", "query_id"):
            if re.fullmatch(r"-?[0-9]{1,18}", row[column]) is None:
                expected = "the number in metadata_<number>.json" if column == "metadataid" else "the qid of the query"
                raise DataError(
                    f"{path}: line {line}: {column} {row[column][:40]!r} is not an integer. Use {expected}."
                )
        key = (row["dataset"], int(row["metadataid"]), int(row["query_id"]))
        if golds.setdefault(key, row["gold_hypo"]) != row["gold_hypo"]:
            raise DataError(
                f"{path}: line {line}: the gold hypothesis for {', '.join(map(str, key))} "
                f"differs from the one in line {lines[key]}. Remove one of the rows."
            )
        lines.setdefault(key, line)
    return golds
