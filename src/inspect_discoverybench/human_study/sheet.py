"""Sheets: a page and a table for annotators, the key that they must not see, and what they filled in (paper §4.3)."""

import csv
import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.resources import files
from io import StringIO
from pathlib import Path
from statistics import multimode
from string import Template
from typing import TypeVar

from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.errors.exceptions import InvalidArgument, UnreadableTable

T = TypeVar("T", bound=Hashable)

SHEET, KEY = "sheet.csv", "key.csv"
CORRECT = "true_"
"""Start of the names of columns with correct answers, which a file may leave out."""

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


def number(low: float, high: float, text: str) -> float:
    """A parser of numbers between two bounds; without the text, for `Row.parse`."""
    with suppress(ValueError):
        if low <= float(text) <= high:  # false for NaN
            return float(text)
    raise ValueError(f"a number from {low:,} to {high:,}")


def word(spellings: Mapping[str, T], expected: str, text: str) -> T:
    """A parser of words in any case; without the text, for `Row.parse`."""
    if text.casefold() not in spellings:
        raise ValueError(expected)
    return spellings[text.casefold()]


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
    table = Table.read(path)
    names = [_unescape(name).strip() for name in table.columns]
    if missing := [column for column in columns if column not in names]:
        raise UnreadableTable(
            f"{path}: line 1: missing column {', '.join(missing)}. Expected the columns {', '.join(columns)}."
        )
    for line, values in table.rows.items():
        cells = [_unescape(value).strip() for value in values.values()]
        if any(cells):
            yield Row(f"{path}: line {line}", dict(zip(names, cells, strict=True)))


def read_header(path: Path) -> list[str]:
    """The column names of a CSV file."""
    return [_unescape(name).strip() for name in Table.read(path).columns]


def _unescape(text: str) -> str:
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


@dataclass(frozen=True)
class Form:
    """What annotators fill in.

    Attributes:
        name: What they give, `vote` or `label`.
        item: Column with the name of an item.
        columns: Columns that they fill in.
    """

    name: str
    item: str
    columns: tuple[str, ...]

    @property
    def page(self) -> str:
        """File name of the page."""
        return f"{self.name}.html"


@dataclass(frozen=True)
class Item:
    """A pair or a judged sample on a sheet.

    Attributes:
        name: Name of the item.
        texts: What annotators read, by column.
        key: What the key says about it, by column.
        answers: The `value` and the `reason` of each of the judge's answers, if they are to be checked.
    """

    name: str
    texts: Mapping[str, str]
    key: Mapping[str, str]
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def write_sheet(form: Form, items: Sequence[Item], folder: Path, force: bool = False) -> None:
    """Write the page and `sheet.csv` for annotators, and `key.csv`, which they must not see, into a folder.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    empty = dict.fromkeys(("annotator", *form.columns), "")
    rows = [
        {form.item: item.name, **item.texts}
        | {f"judge_{step}": "\n".join(filter(None, answer.values())) for step, answer in item.answers.items()}
        | empty
        for item in items
    ]
    contents = {
        SHEET: to_csv(rows),
        form.page: page(form, items),
        KEY: to_csv([{form.item: item.name, **item.key} for item in items]),
    }
    existing = [name for name in contents if (folder / name).exists()]
    if existing and not force:
        raise InvalidArgument(
            f"{folder} already contains {', '.join(existing)}. "
            "Choose another folder with --out, or overwrite with --force."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        (folder / name).write_text(text, "utf-8", newline="")


def page(form: Form, items: Sequence[Item]) -> str:
    """Render the page: a single HTML file that needs no server and no network."""
    cards = [{"name": item.name, "texts": item.texts, "answers": item.answers} for item in items]
    data = json.dumps({"form": asdict(form), "items": cards})
    # Only "<" can end a script element or open a comment inside it.
    data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    html, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("sheet.html", "sheet.js"))
    digest = sha256(data.encode()).hexdigest()[:12]
    return Template(html).substitute(data=data, script=script, form=form.name, digest=digest)


def read_marks(
    form: Form, tables: Sequence[Path], keys: Sequence[Path], key_columns: Sequence[str]
) -> list[tuple[Row, Mapping[str, Row]]]:
    """Read what annotators filled in: the row of each item in the keys with their rows by name, ordered by item.

    Rows that are not filled in are skipped. Names of annotators that differ only in case or white space are the same.

    Raises:
        DataError: A file does not exist, is not a CSV file, or lacks a column.
        InvalidArgument: A name is missing or repeated, an item is not in a key, or nothing is filled in.
    """
    paths = ", ".join(map(str, [*tables, *keys]))
    items: dict[str, Row] = {}
    for row in (row for path in keys for row in read_rows(path, (form.item, *key_columns))):
        name = row.parse(form.item, nonempty)
        _add(items, name, row, f"{form.item} {name}")
    filled: dict[str, dict[str, Row]] = {name: {} for name in sorted(items)}
    names: dict[str, str] = {}
    required = (form.item, "annotator", *(column for column in form.columns if not column.startswith(CORRECT)))
    for row in (row for path in tables for row in read_rows(path, required) if any(map(row.values.get, form.columns))):
        name, annotator = row.parse(form.item, nonempty), " ".join(row.parse("annotator", nonempty).split())
        annotator = names.setdefault(annotator.casefold(), annotator)
        if name not in filled:
            raise InvalidArgument(
                f"{row.location}: {form.item} {name} is not in the key. Pass the key.csv that was written with the "
                "sheet."
            )
        _add(filled[name], annotator, row, f"{form.item} {name} by {annotator}")
    if not any(filled.values()):
        raise InvalidArgument(f"{paths}: no {form.name}s. Expected one row per {form.item} and annotator.")
    return [(items[name], rows) for name, rows in filled.items()]


def majority(values: Iterable[T]) -> T | None:
    """The value that occurs more often than any other; None if there is none."""
    modes = multimode(values)
    return modes[0] if len(modes) == 1 else None


def _add(rows: dict[str, Row], name: str, row: Row, subject: str) -> None:
    earlier = rows.setdefault(name, row)
    if earlier is not row:
        raise InvalidArgument(
            f"{row.location}: a second row for {subject} ({earlier.location}). Remove one of the two rows."
        )
