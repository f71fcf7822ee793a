"""Drafts of metadata files: what data files say about themselves."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.dataset.metadata_files import METADATA_NAME
from inspect_discoverybench.dataset.table_file import Table, separator_of
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.provider_failures import one_line

if TYPE_CHECKING:  # the import takes 0.4 s
    from pandas import DataFrame, Series

MAX_EXAMPLES = 3
"""Number of values of a column that a draft shows."""

MAX_EXAMPLE_LENGTH = 40
"""Longer values are cut."""

_KINDS = {
    "boolean": "boolean",
    "integer": "integer",
    "floating": "number",
    "mixed-integer-float": "number",
    "decimal": "number",
    "datetime64": "date",
    "datetime": "date",
    "date": "date",
}
"""The type of a column by what pandas infers from its values. Everything else is text."""


@dataclass(frozen=True)
class DraftColumn:
    """A column of a data file.

    Attributes:
        name: Its name.
        description: Its label in a Stata file; otherwise empty.
        kind: `integer`, `number`, `boolean`, `date`, `text`, or `empty` if it has no values.
        examples: Its first different values.
    """

    name: str
    description: str
    kind: str
    examples: Sequence[str]


@dataclass(frozen=True)
class DraftFile:
    """A data file.

    Attributes:
        name: Its path relative to the folder of the draft.
        columns: Its columns; None if its format is not read on this machine. The agent may be able to read the file.
    """

    name: str
    columns: Sequence[DraftColumn] | None


@dataclass(frozen=True)
class Draft:
    """A draft of the metadata of a study: its data files with their columns, without descriptions and goals.

    Attributes:
        folder: The folder that contains all of the files: that of the metadata file.
        files: The data files.
    """

    folder: Path
    files: Sequence[DraftFile]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> "Draft":
        """Read data files.

        Raises:
            DataError: There are no files or they have no folder in common, or a file is missing, empty, damaged, named
                twice, a metadata file or a link to another folder, or has a reserved name.
        """
        if not paths:
            raise DataError("No data file is named. Name at least one.")
        locations = [absolute_path(path) for path in paths]
        for location in locations:
            _require_data_file(location)
            if locations.count(location) > 1:
                raise DataError(f"The data file {location} is named twice. Name it once.")

        folder = Path(os.path.commonpath([location.parent for location in locations]))
        is_root = not folder.name
        if is_root:
            listed = ", ".join(map(str, locations))
            raise DataError(f"These data files have no folder in common: {listed}. Copy them into one folder.")

        files = []
        for location in locations:
            if not location.resolve().is_relative_to(folder.resolve()):
                raise DataError(f"{location} is a link to {location.resolve()}. Name this file instead.")
            name = location.relative_to(folder).as_posix()
            path = locate(folder, name)  # refuses what a task refuses, such as a reserved name
            files.append(DraftFile(name, _read_columns(path)))
        return cls(folder, files)

    def content(self) -> dict[str, Any]:
        """The content of the metadata file. Types and examples are for the person who edits it."""
        return {"domain": "unspecified", "datasets": [_file_entry(file) for file in self.files], "queries": []}

    def study(self) -> Study:
        """The study that the metadata file describes."""
        return Study.model_validate(self.content())


def _file_entry(file: DraftFile) -> dict[str, Any]:
    """What the metadata file says about a data file. The person who edits it adds the missing descriptions."""
    columns = [
        {
            "name": column.name,
            "type": column.kind,
            "examples": ", ".join(column.examples),
            "description": column.description,
        }
        for column in file.columns or ()
    ]
    return {"name": file.name, "description": "", "columns": columns}


def _require_data_file(path: Path) -> None:
    if not path.exists():
        raise DataError(f"The data file '{path}' does not exist. Check the spelling or pass an absolute path.")
    if path.is_dir():
        example = path / "data.csv"
        raise DataError(f"'{path}' is a folder. Name its data files, such as '{example}'.")
    if METADATA_NAME.fullmatch(path.name.casefold()):
        raise DataError(f"'{path}' has the name of a metadata file. Pass it as --metadata, or rename it.")
    if path.is_file() and path.stat().st_size == 0:  # a pipe has the size 0, too; `locate` refuses it
        raise DataError(f"The data file '{path}' is empty. Check the file.")


def _read_columns(path: Path) -> Sequence[DraftColumn] | None:
    """The columns of a data file; None if its format is not read here, or needs a package that is not installed."""
    read = _READERS.get(path.suffix.lower())
    if read is None:
        return None
    try:
        return read(path)
    except ImportError:  # pandas needs a package for this format
        return None
    except DataError:
        raise
    except Exception as error:  # pandas and its engines raise many types for a damaged file
        raise DataError(f"{path} cannot be read as a {path.suffix} file: {one_line(error)}. Check the file.") from error


def _columns_of_text_table(path: Path) -> Sequence[DraftColumn]:
    import pandas as pd

    table = Table.read(path)  # its errors name the line
    text = read_text(path)
    frame = pd.read_csv(StringIO(text), sep=separator_of(text), index_col=False, low_memory=False)
    if len(frame.columns) != len(table.columns):
        raise DataError(
            f"{path}: pandas finds {len(frame.columns)} columns, but the first row has {len(table.columns)}. Check the "
            "file."
        )
    # pandas has renamed a column if its name occurs twice or is empty.
    return _columns(frame.set_axis([*table.columns], axis="columns"))


def _columns_of_stata_file(path: Path) -> Sequence[DraftColumn]:
    import pandas as pd

    # The codes of a column are not replaced by its value labels, because pandas fails if two codes of a column have the
    # same label.
    frame = pd.read_stata(path, convert_categoricals=False)
    with pd.read_stata(path, iterator=True) as reader:  # only a reader has the descriptions of columns
        descriptions = reader.variable_labels()
    return _columns(frame, descriptions)


def _columns_of_excel_sheet(path: Path) -> Sequence[DraftColumn]:
    """The columns of the first sheet."""
    import pandas as pd

    return _columns(pd.read_excel(path))


def _columns_of_parquet_file(path: Path) -> Sequence[DraftColumn]:
    import pandas as pd

    return _columns(pd.read_parquet(path))


_READERS: Mapping[str, Callable[[Path], Sequence[DraftColumn]]] = {
    ".csv": _columns_of_text_table,
    ".tsv": _columns_of_text_table,
    ".dta": _columns_of_stata_file,
    ".xlsx": _columns_of_excel_sheet,
    ".parquet": _columns_of_parquet_file,
}
"""How the columns of a data file are read, by its suffix."""


def _columns(frame: "DataFrame", descriptions: Mapping[str, str] | None = None) -> list[DraftColumn]:
    """The columns of a table.

    Args:
        frame: The table. Several columns may have one name.
        descriptions: Descriptions of columns by name; None if the format has none.
    """
    from pandas.api.types import infer_dtype

    columns = []
    for name, column in frame.items():
        # pandas reads whole numbers with missing values as floats. `convert_dtypes` turns them into integers.
        values = column.convert_dtypes().dropna()
        kind = "empty" if values.empty else _KINDS.get(infer_dtype(values), "text")
        description = descriptions.get(str(name), "") if descriptions else ""
        columns.append(DraftColumn(str(name), description, kind, _examples(values)))
    return columns


def _examples(values: "Series[Any]") -> list[str]:
    examples: list[str] = []
    for value in values:
        text = str(value)[:MAX_EXAMPLE_LENGTH]
        if text not in examples:
            examples.append(text)
        if len(examples) == MAX_EXAMPLES:
            break
    return examples
