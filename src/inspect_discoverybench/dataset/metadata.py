"""Metadata files as released: one study with its goals and its data files (paper, appendix D.1).

The release has two formats, which are read into one model. DB-REAL nests columns in `{"raw": […]}` and queries in a
list of one list; DB-SYNTH has flat lists. Fields that this package does not need are ignored.
"""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.invalid_values import did_you_mean, first_reason
from inspect_discoverybench.json_text import load_json

UNUSED_KEYS = frozenset(
    {
        "id",
        "intermediate",
        "hypotheses",
        "max_depth",
        "depth",
        "target_col",
        "true_hypothesis_expr",
        "relevant_cols",
        # What `discoverybench data describe` tells the person who edits its draft.
        "type",
        "examples",
        # What the generator adds to a query.
        "masked_facet",
    }
)
"""Keys of released metadata, of drafts and of generated sets that tasks do not need."""

_MISSPELLED_QUESTION_TYPES = {"variable": "variables", "relationhsip": "relationship"}


def _flatten_columns(value: Any) -> Any:
    if isinstance(value, Mapping):
        return value.get("raw")
    return value


def _with_names(columns: "tuple[Column, ...]") -> "tuple[Column, ...]":
    """Leave out columns without a name. The release has such columns for files that are no tables."""
    return tuple(column for column in columns if column.name)


def _flatten_queries(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(part, list) for part in value):
        return list(chain.from_iterable(value))
    return value


def _require_described_once(files: "tuple[DataFile, ...]") -> "tuple[DataFile, ...]":
    names: set[PurePosixPath] = set()
    for file in files:
        name = PurePosixPath(file.name)  # `./a.csv` and `a.csv` are the same file
        if name in names:
            raise ValueError(f"data file {name} is described twice; remove one entry")
        names.add(name)
    return files


def _correct_spelling(question_type: str) -> str:
    return _MISSPELLED_QUESTION_TYPES.get(question_type, question_type)


def _text_or_empty(value: Any) -> Any:
    if value is None:
        return ""
    return value


RequiredText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
OptionalText = Annotated[str, StringConstraints(strip_whitespace=True), BeforeValidator(_text_or_empty)]


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
    columns: Annotated[tuple[Column, ...], BeforeValidator(_flatten_columns), AfterValidator(_with_names)]
    domain_knowledge: OptionalText = ""


class Goal(ReleasedModel):
    """One discovery goal. The released files call it a query.

    Attributes:
        query_id: Id within the metadata file.
        question: The goal.
        question_type: Facet that it asks for.
        difficulty: Difficulty from 1 to 4 in DB-SYNTH.
        true_hypothesis: Gold hypothesis; empty if an answer key has it.
        survives_permutation: Whether the gold hypothesis also holds in a placebo, because it is about single columns or
            compares two of them. The released files do not have this field: `surviving_golds.csv` lists such goals of
            DB-REAL.
    """

    query_id: int = Field(validation_alias="qid")
    question: RequiredText
    question_type: Annotated[str, AfterValidator(_correct_spelling)]
    difficulty: int | None = None
    true_hypothesis: OptionalText = ""
    survives_permutation: bool = False


class Study(ReleasedModel):
    """The contents of one metadata file.

    A study is named by the number in the name of its file. The `id` inside of the file is not used, because it is
    another number in most files of DB-REAL.
    """

    domain: RequiredText
    data_files: Annotated[tuple[DataFile, ...], AfterValidator(_require_described_once)] = Field(
        validation_alias="datasets", min_length=1
    )
    goals: Annotated[tuple[Goal, ...], BeforeValidator(_flatten_queries)] = Field(validation_alias="queries")
    workflow: OptionalText = ""
    workflow_tags: OptionalText = ""
    domain_knowledge: OptionalText = ""

    @classmethod
    def read(cls, path: Path) -> "Study":
        """Read one metadata file.

        Raises:
            DataError: The file cannot be read or is not JSON, a key occurs twice, or a field is missing or has the
                wrong type.
        """
        content = _read_json(path)
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            reason = first_reason(error)
            unknown = " ".join(_remarks_on_unknown_keys(content))
            if unknown:
                reason += f" Unknown keys: {unknown}"
            raise DataError(f"{path}: {reason} docs/custom.md describes metadata files.") from error


def remarks_on_unknown_keys(path: Path) -> list[str]:
    """A sentence for each key of a metadata file that neither this package nor the release knows at this place.

    The sentence names the place of the key, such as `datasets.0.colour`. If the key is known at another place, the
    sentence says where it belongs. If it is known nowhere, the sentence suggests a similar key, if there is one.

    Raises:
        DataError: The file cannot be read or is not JSON, or a key occurs twice.
    """
    return _remarks_on_unknown_keys(_read_json(path))


def _remarks_on_unknown_keys(content: Any) -> list[str]:
    places_of = _places_of_known_keys()
    remarks = []
    for place in _places_of_unknown_keys(content):
        key = place[-1]
        if key in UNUSED_KEYS:
            continue
        remark = ".".join(place) + "."
        if key in places_of:
            remark += f" It belongs to {' or '.join(places_of[key])}."
        else:
            remark += did_you_mean(key, places_of)
        remarks.append(remark)
    return remarks


def _places_of_unknown_keys(content: Any) -> list[list[str]]:
    """The place of each key that `Study` or a model in it does not have, such as `["datasets", "0", "colour"]`.

    A place is a path: the keys and list positions that lead to the unknown key, and this key.
    """
    try:
        Study.model_validate(content, extra="forbid")
    except ValidationError as error:
        # `Study.read` reports all other errors.
        unknown = [details for details in error.errors() if details["type"] == "extra_forbidden"]
        return [[str(part) for part in details["loc"]] for details in unknown]
    return []


def _places_of_known_keys() -> dict[str, list[str]]:
    """The keys that a metadata file may have, each with the places where it may be."""
    models: dict[str, type[BaseModel]] = {
        "the top level": Study,
        "datasets": DataFile,
        "columns": Column,
        "queries": Goal,
    }
    places: dict[str, list[str]] = {}
    for place, model in models.items():
        for name, field in model.model_fields.items():
            places.setdefault(str(field.validation_alias or name), []).append(place)
    return places


def _read_json(path: Path) -> Any:
    try:
        return load_json(read_text(path))
    except ValueError as error:
        raise DataError(
            f"{path}: {error}. docs/custom.md describes metadata files, which are JSON. To draft one for a data file, "
            "run: discoverybench data describe FILE"
        ) from error
