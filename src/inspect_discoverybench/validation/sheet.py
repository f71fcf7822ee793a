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
from inspect_discoverybench.validation.spreadsheet import Row, read_rows, rows_by, to_csv

T = TypeVar("T", bound=Hashable)

SHEET, KEY = "sheet.csv", "key.csv"


@dataclass(frozen=True)
class Form:
    """What annotators fill in.

    Attributes:
        name: What they give, `vote` or `label`.
        item: Column with the name of an item.
        columns: Columns that they fill in.
        optional: Columns that a file may leave out.
    """

    name: str
    item: str
    columns: tuple[str, ...]
    optional: tuple[str, ...] = ()

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


@dataclass(frozen=True)
class MarkedItem:
    """An item of a key, with the rows that annotators filled in by their names; empty if there are none."""

    key: Row
    rows: Mapping[str, Row]


def write_sheet(form: Form, items: Sequence[Item], folder: Path, force: bool = False) -> None:
    """Write the page and `sheet.csv` for annotators, and `key.csv`, which they must not see.

    Args:
        form: What they fill in.
        items: At least one item.
        folder: The folder, which is created if it does not exist.
        force: Overwrite existing files.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    contents = {
        SHEET: to_csv([_sheet_row(form, item) for item in items]),
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
    data = json.dumps({"form": asdict(form), "items": cards}, default=asdict)
    # Only "<" can end a script element or open a comment inside it.
    data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    html, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("sheet.html", "sheet.js"))
    return Template(html).substitute(data=data, script=script, digest=sha256(data.encode()).hexdigest()[:12])


def read_marks(
    form: Form, tables: Sequence[Path], keys: Sequence[Path], key_columns: Sequence[str]
) -> list[MarkedItem]:
    """Read what annotators filled in. Names of annotators that differ only in case or white space are the same.

    Args:
        form: What they filled in.
        tables: Their files. Rows that are not filled in are skipped.
        keys: The keys of the sheets.
        key_columns: Columns that a key must have.

    Returns:
        All items of the keys, ordered by name.

    Raises:
        DataError: A file does not exist, is not a CSV file, or lacks a column.
        InvalidArgument: A name is missing or repeated, an item is not in a key, or nothing is filled in.
    """
    items = rows_by(form.item, (row for path in keys for row in read_rows(path, (form.item, *key_columns))))
    filled: dict[str, dict[str, Row]] = {name: {} for name in sorted(items)}
    names: dict[str, str] = {}
    required = (form.item, "annotator", *(column for column in form.columns if column not in form.optional))
    for row in (row for path in tables for row in read_rows(path, required)):
        if not any(row.values.get(column) for column in form.columns):
            continue
        name, annotator = row.nonempty(form.item), " ".join(row.nonempty("annotator").split())
        annotator = names.setdefault(annotator.casefold(), annotator)
        if name not in filled:
            raise InvalidArgument(
                f"{row.location}: {form.item} {name} is not in {_join(keys)}. Pass the key.csv that was written with "
                "this sheet."
            )
        earlier = filled[name].setdefault(annotator, row)
        if earlier is not row:
            raise InvalidArgument(
                f"{row.location}: {annotator} already has a {form.name} on {form.item} {name} ({earlier.location}). "
                "Remove one of the two rows."
            )
    if not any(filled.values()):
        raise InvalidArgument(
            f"{_join([*tables, *keys])}: no {form.name}s. Expected one row per {form.item} and annotator."
        )
    return [MarkedItem(items[name], rows) for name, rows in filled.items()]


def majority(values: Iterable[T]) -> T | None:
    """The value that occurs more often than any other; None if there is none."""
    ranking = Counter(values).most_common(2)
    if not ranking or (len(ranking) == 2 and ranking[0][1] == ranking[1][1]):
        return None
    return ranking[0][0]


def _sheet_row(form: Form, item: Item) -> dict[str, str]:
    answers = {f"judge_{step}": "\n".join(filter(None, answer.values())) for step, answer in item.answers.items()}
    return {form.item: item.name, **item.texts, **answers, "annotator": "", **dict.fromkeys(form.columns, "")}


def _join(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))
