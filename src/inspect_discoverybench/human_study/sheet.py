"""The sheet of a study: a page and a table for annotators, the key that they must not see, and what they filled in."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import resources
from pathlib import Path
from statistics import multimode
from string import Template
from typing import Annotated, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.spreadsheet import read_header, read_rows, to_csv

SHEET = "sheet.csv"
KEY = "key.csv"

Text = Annotated[str, Field(min_length=1)]

Score = Annotated[float, Field(ge=0, le=1)]


def _single_spaces(text: str) -> str:
    return " ".join(text.split())


class Mark(BaseModel):
    """What an annotator filled in for an item. Further columns are ignored."""

    model_config = ConfigDict(frozen=True)

    form: ClassVar[str]
    """What annotators give, `vote` or `label`."""

    item: Text
    annotator: Annotated[Text, BeforeValidator(_single_spaces)]

    @classmethod
    def columns(cls) -> list[str]:
        """The columns that annotators fill in besides their name."""
        return [name for name in cls.model_fields if name not in Mark.model_fields]


class KeyRow(BaseModel):
    """What a row of the key says about an item."""

    model_config = ConfigDict(frozen=True)

    item: Text


MarkT = TypeVar("MarkT", bound=Mark)
KeyRowT = TypeVar("KeyRowT", bound=KeyRow)
ValueT = TypeVar("ValueT", bound=Hashable)


@dataclass(frozen=True)
class Item:
    """A pair or a judged sample on a sheet.

    Attributes:
        name: Name of the item.
        texts: What annotators read, by column.
        key: What the key says about the item, by column.
        answers: The judge's answers that annotators check, by step: each with its `value` and, if there is one, its
            `reason`. Empty for a pair.
    """

    name: str
    texts: Mapping[str, str]
    key: Mapping[str, str]
    answers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def visible_columns(self) -> dict[str, str]:
        """The columns of the sheet that annotators read."""
        columns = {"item": self.name, **self.texts}
        for step, answer in self.answers.items():
            columns[f"judge_{step}"] = "\n".join(answer.values())
        return columns


def write_sheet(mark: type[Mark], items: Sequence[Item], folder: Path) -> None:
    """Write the page and `sheet.csv` for annotators, and `key.csv`, which they must not see, into a folder.

    Raises:
        InvalidArgument: One of the files exists.
    """
    empty_columns = dict.fromkeys(["annotator", *mark.columns()], "")
    sheet_rows = [item.visible_columns | empty_columns for item in items]
    key_rows = [{"item": item.name, **item.key} for item in items]
    contents = {
        SHEET: to_csv(sheet_rows),
        page_name(mark): page(mark, items),
        KEY: to_csv(key_rows),
    }
    for name in contents:
        if (folder / name).exists():
            raise InvalidArgument(f"{folder} already contains {name}. Choose another folder with --out.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        # Without a byte-order mark, Excel reads a CSV file as Windows-1252, and annotators would see Î² for β.
        encoding = "utf-8-sig" if name == SHEET else "utf-8"
        (folder / name).write_text(text, encoding, newline="")


def page_name(mark: type[Mark]) -> str:
    """File name of the page for annotators."""
    return f"{mark.form}.html"


def page(mark: type[Mark], items: Sequence[Item]) -> str:
    """Render the page: a single HTML file that needs no server and no network."""
    content = {
        "form": mark.form,
        "columns": mark.columns(),
        # The keys are left out: annotators must not see them.
        "items": [{"name": item.name, "texts": item.texts, "answers": item.answers} for item in items],
    }
    # Only "<" can end a script element or open a comment inside it.
    data = json.dumps(content).replace("<", "\\u003c")
    # The page stores entries in the browser under this digest, so that those on different sheets do not mix.
    digest = sha256(data.encode()).hexdigest()

    package = resources.files(__package__)
    html = package.joinpath("sheet.html").read_text("utf-8")
    return Template(html).substitute(
        data=data,
        script=package.joinpath("sheet.js").read_text("utf-8"),
        form=mark.form,
        digest=digest[:12],
    )


def read_study(
    mark_type: type[MarkT],
    key_type: type[KeyRowT],
    tables: Sequence[Path],
    keys: Sequence[Path],
) -> list[tuple[KeyRowT, dict[str, MarkT]]]:
    """Read the key of each item and what annotators filled in for it.

    Args:
        mark_type: Type of the marks.
        key_type: Type of the rows of the keys.
        tables: Files that annotators filled in.
        keys: Files with the keys.

    Returns:
        The row of the key and the marks by annotator, for each item of the keys, ordered by item.

    Raises:
        DataError: A file does not exist or is not a CSV file.
        InvalidArgument: A column is missing, a value is invalid, an item or a mark is repeated, an item is not in a
            key, or nothing is filled in.
    """
    items = _read_keys(key_type, keys)
    marks = _read_marks(mark_type, tables)
    paths = ", ".join(map(str, (*tables, *keys)))
    if not marks:
        raise InvalidArgument(f"{paths}: no {mark_type.form}s. Expected one row per item and annotator.")
    for item in marks:
        if item not in items:
            raise InvalidArgument(
                f"{paths}: item {item} is not in the key. Pass the key.csv that was written with the sheet."
            )

    return [(items[item], marks.get(item, {})) for item in sorted(items)]


def _read_keys(key_type: type[KeyRowT], paths: Sequence[Path]) -> dict[str, KeyRowT]:
    keys: dict[str, KeyRowT] = {}
    for path in paths:
        for row in read_rows(path):
            key = row.parse(key_type)
            if key.item in keys:
                raise InvalidArgument(f"{row.location}: a second row for item {key.item}. Remove one of the rows.")
            keys[key.item] = key
    return keys


def _read_marks(mark_type: type[MarkT], paths: Sequence[Path]) -> dict[str, dict[str, MarkT]]:
    """Marks by item and annotator. Rows that are not filled in are skipped."""
    marks: dict[str, dict[str, MarkT]] = {}
    for path in paths:
        _require_columns(mark_type, path)
        for row in read_rows(path):
            filled = [row.values.get(column) for column in mark_type.columns()]
            if not any(filled):
                continue
            mark = row.parse(mark_type)
            by_annotator = marks.setdefault(mark.item, {})
            if mark.annotator in by_annotator:
                raise InvalidArgument(
                    f"{row.location}: a second row for item {mark.item} by {mark.annotator}. Remove one of the rows."
                )
            by_annotator[mark.annotator] = mark
    return marks


def _require_columns(mark_type: type[Mark], path: Path) -> None:
    """Refuse a file without any of the columns that annotators fill in.

    All of its rows would count as not filled in, so an annotator would be left out, for example because of a misspelled
    column.
    """
    present = read_header(path)
    if not any(column in present for column in mark_type.columns()):
        needed = ", ".join(["item", "annotator", *mark_type.columns()])
        raise InvalidArgument(
            f"{path}: {mark_type.form}s have the columns {needed}. The columns are {', '.join(present)}."
        )


def majority(values: Iterable[ValueT]) -> ValueT | None:
    """The value that occurs more often than any other; None without values and in a tie."""
    modes = multimode(values)
    if len(modes) != 1:
        return None
    return modes[0]
