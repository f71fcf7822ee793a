"""Sheets: a page and a table for annotators, the key that they must not see, and what they filled in (paper §4.3)."""

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TypeVar

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.validation.spreadsheet import Row, nonempty, read_rows, to_csv

T = TypeVar("T", bound=Hashable)

SHEET, KEY = "sheet.csv", "key.csv"
CORRECT = "true_"
"""Start of the names of columns with correct answers, which a file may leave out."""


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


MarkedItem = tuple[Row, Mapping[str, Row]]
"""The row of an item in the key, and the rows that annotators filled in by their names, if there are any."""


def write_sheet(form: Form, items: Sequence[Item], folder: Path, force: bool = False) -> None:
    """Write the page and `sheet.csv` for annotators, and `key.csv`, which they must not see, into a folder.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    empty = dict.fromkeys(("annotator", *form.columns), "")
    contents = {
        SHEET: to_csv([{form.item: item.name, **item.texts, **_answer_cells(item), **empty} for item in items]),
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
) -> list[MarkedItem]:
    """Read what annotators filled in: all items of the keys, ordered by name.

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
    for row in (row for path in tables for row in read_rows(path, required)):
        if not any(row.values.get(column) for column in form.columns):
            continue
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
    ranking = Counter(values).most_common(2)
    if not ranking or (len(ranking) == 2 and ranking[0][1] == ranking[1][1]):
        return None
    return ranking[0][0]


def _answer_cells(item: Item) -> dict[str, str]:
    return {f"judge_{step}": "\n".join(filter(None, answer.values())) for step, answer in item.answers.items()}


def _add(rows: dict[str, Row], name: str, row: Row, subject: str) -> None:
    earlier = rows.setdefault(name, row)
    if earlier is not row:
        raise InvalidArgument(
            f"{row.location}: a second row for {subject} ({earlier.location}). Remove one of the two rows."
        )
