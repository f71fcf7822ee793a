"""Metadata files as released: one study with its data files and its goals (paper, appendix D.1).

The release has two formats, which are read into one model. DB-REAL nests columns in `{"raw": […]}` and queries in a
list of one list; DB-SYNTH has flat lists. Fields that this package does not need are ignored.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import InvalidMetadata

T = TypeVar("T")

_MISSPELLED_QUESTION_TYPES = {"variable": "variables", "relationhsip": "relationship"}


def _strip(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _strip_or_empty(value: Any) -> Any:
    return "" if value is None else _strip(value)


def _empty_for_none(value: Any) -> Any:
    return () if value is None else value


def _correct_question_type(value: Any) -> Any:
    return _MISSPELLED_QUESTION_TYPES.get(value, value) if isinstance(value, str) else value


def _flatten_columns(value: Any) -> Any:
    return value.get("raw") if isinstance(value, Mapping) else value


RequiredText = Annotated[str, BeforeValidator(_strip), Field(min_length=1)]
OptionalText = Annotated[str, BeforeValidator(_strip_or_empty)]


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

    query_id: int = Field(validation_alias=AliasChoices("qid", "query_id"))
    question: RequiredText
    question_type: Annotated[str, BeforeValidator(_correct_question_type)]
    difficulty: int | None = None
    true_hypothesis: OptionalText = ""
    target_column: str | None = Field(default=None, validation_alias=AliasChoices("target_col", "target_column"))
    relevant_columns: Annotated[tuple[str, ...], BeforeValidator(_empty_for_none)] = Field(
        default=(), validation_alias="relevant_cols"
    )


class Study(ReleasedModel):
    """The contents of one metadata file.

    Do not use `id` as a key: in most of DB-REAL it differs from the number in the file name.
    """

    id: int | None = None
    domain: RequiredText
    data_files: tuple[DataFile, ...] = Field(validation_alias="datasets", min_length=1)
    goals: tuple[Goal, ...] = Field(validation_alias="queries", min_length=1)
    workflow: OptionalText = ""
    workflow_tags: OptionalText = ""
    domain_knowledge: OptionalText = ""

    @classmethod
    def read(cls, path: Path) -> "Study":
        """Read one metadata file.

        Raises:
            DataMissing: The file does not exist or cannot be read.
            InvalidMetadata: The file is not JSON, or a field is missing or has the wrong type.
        """
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "the file"
            raise InvalidMetadata(f"{path}: {field}: {first['msg'].removeprefix('Value error, ')}.") from error

    @model_validator(mode="before")
    @classmethod
    def _normalize(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        return {**data, "queries": _flat_queries(data), "domain_knowledge": _domain_knowledge(data)}

    @model_validator(mode="after")
    def _reject_duplicates(self) -> "Study":
        query_id = _first_duplicate([goal.query_id for goal in self.goals])
        if query_id is not None:
            raise ValueError(f"two queries have qid {query_id}; use a different qid for each")
        # `./a.csv` and `a.csv` are the same file.
        name = _first_duplicate([str(PurePosixPath(file.name)) for file in self.data_files])
        if name is not None:
            raise ValueError(f"data file {name} is described twice; remove one entry")
        return self


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`, which the answer key refers to.

    Raises:
        InvalidMetadata: The file is not named `metadata_<number>.json`.
    """
    match = re.fullmatch(r"metadata_(\d+)\.json", path.name)
    if match is None:
        raise InvalidMetadata(f"{path}: invalid name of a metadata file. Rename it to metadata_<number>.json.")
    return int(match.group(1))


def _flat_queries(data: Mapping[str, Any]) -> Any:
    queries = data.get("queries")
    if isinstance(queries, list) and all(isinstance(part, list) for part in queries):
        return [query for part in queries for query in part]
    return queries


def _domain_knowledge(data: Mapping[str, Any]) -> Any:
    """The domain knowledge of the study, or else that of its first data file that has any."""
    files = data.get("datasets")
    entries = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
    texts = [entry.get("domain_knowledge") for entry in (data, *entries)]
    return next((text for text in texts if text), "")


def _first_duplicate(values: Sequence[T]) -> T | None:
    return next((value for value, count in Counter(values).items() if count > 1), None)
