"""Metadata files as released: one study with its data files and its goals (paper, appendix D.1).

The release has two formats, which are read into one model. DB-REAL nests columns in `{"raw": […]}` and queries in a
list of one list; DB-SYNTH has flat lists. Fields that this package does not need are ignored.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import InvalidMetadata, first_reason

METADATA_NAME = re.compile(r"metadata_(\d+)\.json")

_MISSPELLED_QUESTION_TYPES = {"variable": "variables", "relationhsip": "relationship"}


def _flatten_columns(value: Any) -> Any:
    """The columns without those that have no name, by which the release describes files that are no tables."""
    columns = value.get("raw") if isinstance(value, Mapping) else value
    if not isinstance(columns, list):
        return columns
    return [column for column in columns if not isinstance(column, Mapping) or column.get("name") != ""]


def _flatten_queries(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(part, list) for part in value):
        return [query for part in value for query in part]
    return value


def _require_different_names(files: "tuple[DataFile, ...]") -> "tuple[DataFile, ...]":
    names = [PurePosixPath(file.name) for file in files]  # `./a.csv` and `a.csv` are the same file
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"data file {name} is described twice; remove one entry")
    return files


RequiredText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
OptionalText = Annotated[
    str, StringConstraints(strip_whitespace=True), BeforeValidator(lambda value: "" if value is None else value)
]


class ReleasedModel(BaseModel):
    """Base of the models of released files."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Column(ReleasedModel):
    """The description of a column. Some described columns are missing from their data file."""

    name: str
    description: OptionalText = ""


class DataFile(ReleasedModel):
    """The description of a data file. Its name is a path relative to the metadata file."""

    name: str
    description: OptionalText = ""
    columns: Annotated[tuple[Column, ...], BeforeValidator(_flatten_columns)]
    domain_knowledge: OptionalText = ""


class Goal(ReleasedModel):
    """One discovery goal. The released files call it a query.

    `relevant_columns` are the columns of the gold expression, where that is public (DB-SYNTH).
    """

    query_id: int = Field(validation_alias="qid")
    question: RequiredText
    question_type: Annotated[str, AfterValidator(lambda name: _MISSPELLED_QUESTION_TYPES.get(name, name))]
    difficulty: int | None = None
    true_hypothesis: OptionalText = ""
    target_column: str | None = Field(default=None, validation_alias="target_col")
    relevant_columns: tuple[str, ...] = Field(default=(), validation_alias="relevant_cols")


class Study(ReleasedModel):
    """The contents of one metadata file.

    Do not use `id` as a key: in most of DB-REAL it differs from the number in the file name.
    """

    id: int | None = None
    domain: RequiredText
    data_files: Annotated[tuple[DataFile, ...], AfterValidator(_require_different_names)] = Field(
        validation_alias="datasets", min_length=1
    )
    goals: Annotated[tuple[Goal, ...], BeforeValidator(_flatten_queries)] = Field(
        validation_alias="queries", min_length=1
    )
    workflow: OptionalText = ""
    workflow_tags: OptionalText = ""
    domain_knowledge: OptionalText = ""

    @classmethod
    def read(cls, path: Path) -> "Study":
        """Read one metadata file.

        Raises:
            DataMissing: The file cannot be read.
            InvalidMetadata: The file is not JSON, or a field is missing or has the wrong type.
        """
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            raise InvalidMetadata(f"{path}: {first_reason(error)}") from error


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`, which the answer key refers to.

    Raises:
        InvalidMetadata: The file is not named `metadata_<number>.json`.
    """
    match = METADATA_NAME.fullmatch(path.name)
    if match is None:
        raise InvalidMetadata(f"{path}: invalid name of a metadata file. Rename it to metadata_<number>.json.")
    return int(match.group(1))
