"""Metadata files as released: one study, its data files and its goals (paper, appendix D.1).

Both on-disk forms are read into one shape. DB-REAL nests columns in `{"raw": […]}` and queries in a list of one
list; DB-SYNTH has flat lists and is partly Windows-1252. Fields that nothing here needs are ignored.
"""

import csv
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from inspect_discoverybench.errors import DataMissing, InvalidMetadata

_QUESTION_TYPES = {"variable": "variables", "relationhsip": "relationship"}

Text = Annotated[str, BeforeValidator(lambda value: (value or "").strip())]
QuestionType = Annotated[str, BeforeValidator(lambda value: _QUESTION_TYPES.get(value, value))]


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
    columns: Annotated[tuple[Column, ...], BeforeValidator(lambda c: c["raw"] if isinstance(c, Mapping) else c)]
    domain_knowledge: Text = ""


class Goal(_Released):
    """One discovery goal; `query` is its name in the released files."""

    query_id: int = Field(validation_alias=AliasChoices("qid", "query_id"))
    question: Text
    question_type: QuestionType
    difficulty: int | None = None
    true_hypothesis: Text = ""


class Study(_Released):
    """One metadata file."""

    domain: Text
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
        queries = data.get("queries") or []
        nested = any(isinstance(query, list) for query in queries)
        files = [file for file in data.get("datasets") or [] if isinstance(file, Mapping)]
        knowledge = data.get("domain_knowledge") or next(
            (file["domain_knowledge"] for file in files if file.get("domain_knowledge")), ""
        )
        flat = [query for part in queries for query in part] if nested else queries
        return {**data, "queries": flat, "domain_knowledge": knowledge}

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


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`: the answer key goes by it, not by the `id` inside."""
    match = re.fullmatch(r"metadata_(\d+)\.json", path.name)
    if match is None:
        raise InvalidMetadata(f"{path}: a metadata file is named metadata_<number>.json.")
    return int(match.group(1))


class AnswerKey:
    """Gold hypotheses of a test split, by folder, metadata number and query id."""

    def __init__(self, path: Path) -> None:
        """Read `dataset,metadataid,query_id,gold_hypo`.

        Raises:
            InvalidMetadata: A column is missing.
        """
        self.path = path
        rows = csv.DictReader(StringIO(decode(path), newline=""))
        expected = {"dataset", "metadataid", "query_id", "gold_hypo"}
        if missing := expected - set(rows.fieldnames or ()):
            raise InvalidMetadata(f"{path}: no column {', '.join(sorted(missing))}.")
        self._golds = {
            (row["dataset"], int(row["metadataid"]), int(row["query_id"])): row["gold_hypo"].strip() for row in rows
        }

    def gold(self, folder: str, number: int, query_id: int) -> str:
        """The gold hypothesis of one goal.

        Raises:
            InvalidMetadata: The key has no row for it.
        """
        gold = self._golds.get((folder, number, query_id))
        if not gold:
            raise InvalidMetadata(
                f"{self.path}: no gold hypothesis for dataset {folder}, metadataid {number}, query_id {query_id}."
            )
        return gold


def decode(path: Path) -> str:
    """Text of a released file: UTF-8, or else Windows-1252.

    Raises:
        DataMissing: There is no such file.
        InvalidMetadata: A byte is in neither encoding.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise DataMissing(f"{path}: there is no such file.") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass  # 80 metadata files and one answer key of DB-SYNTH
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        raise InvalidMetadata(f"{path}: byte {error.start} is neither UTF-8 nor Windows-1252.") from error
