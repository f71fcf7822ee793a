"""Metadata files as released: one study, its data files and its goals (paper, appendix D.1).

Both on-disk forms are read into one shape. DB-REAL nests columns in `{"raw": […]}` and queries in a list of one
list; DB-SYNTH has flat lists and is partly Windows-1252. Fields that nothing here needs are ignored.
"""

import codecs
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from inspect_discoverybench.errors import DataMissing, InvalidMetadata

T = TypeVar("T")

_QUESTION_TYPES = {"variable": "variables", "relationhsip": "relationship"}


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _merged_spelling(value: Any) -> Any:
    return _QUESTION_TYPES.get(value, value) if isinstance(value, str) else value


def _flat_columns(value: Any) -> Any:
    return value.get("raw") if isinstance(value, Mapping) else value


Words = Annotated[str, BeforeValidator(_stripped), Field(min_length=1)]
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else _stripped(value))]
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: () if value is None else value)]
QuestionType = Annotated[str, BeforeValidator(_merged_spelling)]


class _Released(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Column(_Released):
    """A described column. Some described columns are absent from their file."""

    name: str
    description: Text = ""


class DataFile(_Released):
    """A described data file, which stands beside its metadata file."""

    name: str
    description: Text = ""
    columns: Annotated[tuple[Column, ...], BeforeValidator(_flat_columns)]
    domain_knowledge: Text = ""


class Goal(_Released):
    """One discovery goal; `query` is its name in the released files.

    `relevant_columns` are those of the gold expression, where it is public (DB-SYNTH).
    """

    query_id: int = Field(validation_alias=AliasChoices("qid", "query_id"))
    question: Words
    question_type: QuestionType
    difficulty: int | None = None
    true_hypothesis: Text = ""
    target_column: str | None = Field(default=None, validation_alias=AliasChoices("target_col", "target_column"))
    relevant_columns: Names = Field(default=(), validation_alias="relevant_cols")


class Study(_Released):
    """One metadata file.

    Its `id` is no key: in most of DB-REAL it differs from the number in the file's name.
    """

    id: int | None = None
    domain: Words
    data_files: tuple[DataFile, ...] = Field(validation_alias="datasets", min_length=1)
    goals: tuple[Goal, ...] = Field(validation_alias="queries", min_length=1)
    workflow: Text = ""
    workflow_tags: Text = ""
    domain_knowledge: Text = ""

    @model_validator(mode="before")
    @classmethod
    def _one_shape(cls, data: Any) -> Any:
        """Flatten nested queries, and lift domain knowledge that stands in a data file's entry only."""
        if not isinstance(data, Mapping):
            return data
        queries, files = data.get("queries"), data.get("datasets")
        if isinstance(queries, list) and all(isinstance(part, list) for part in queries):
            queries = [query for part in queries for query in part]
        entries = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
        texts = [data.get("domain_knowledge"), *(entry.get("domain_knowledge") for entry in entries)]
        return {**data, "queries": queries, "domain_knowledge": next((text for text in texts if text), "")}

    @model_validator(mode="after")
    def _distinct(self) -> "Study":
        query_id = _repeated([goal.query_id for goal in self.goals])
        if query_id is not None:
            raise ValueError(f"two queries have the qid {query_id}; give each its own")
        # `./a.csv` and `a.csv` are one file.
        name = _repeated([str(PurePosixPath(file.name)) for file in self.data_files])
        if name is not None:
            raise ValueError(f"two data files are named {name}; describe each once")
        return self

    @classmethod
    def read(cls, path: Path) -> "Study":
        """Read one metadata file.

        Raises:
            InvalidMetadata: The file is not JSON, or a field is missing or of another type.
        """
        try:
            return cls.model_validate_json(decode(path))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the file"
            raise InvalidMetadata(f"{path}: {place}: {first['msg']}.") from error


def _repeated(values: Sequence[T]) -> T | None:
    return next((value for value, count in Counter(values).items() if count > 1), None)


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`: the answer key goes by it, not by the `id` inside."""
    match = re.fullmatch(r"metadata_(\d+)\.json", path.name)
    if match is None:
        raise InvalidMetadata(f"{path}: a metadata file is named metadata_<number>.json.")
    return int(match.group(1))


def decode(path: Path) -> str:
    """Text of a file; see `decoded`."""
    return decoded(path)[0]


def decoded(path: Path) -> tuple[str, str]:
    """Text of a released file and its encoding: UTF-8, or else Windows-1252.

    Raises:
        DataMissing: There is no such file, or it cannot be read.
        InvalidMetadata: It is in neither encoding.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise DataMissing(f"{path}: there is no such file.") from error
    except IsADirectoryError as error:
        raise DataMissing(f"{path}: this is a folder; name a file.") from error
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}.") from error
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InvalidMetadata(f"{path}: the file is UTF-16; save it as UTF-8.")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass  # 80 metadata files and one answer key of DB-SYNTH
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError as error:
        raise InvalidMetadata(f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252.") from error
