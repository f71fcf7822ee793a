"""Metadata files as released: one study with its goals and its data files (paper, appendix D.1).

The release has two formats, which are read into one model. DB-REAL nests columns in `{"raw": […]}` and queries in a
list of one list; DB-SYNTH has flat lists. Fields that this package does not need are ignored.

The data files must be the same in the sandbox as when the task was built. Inspect copies `Sample.files`. If a path no
longer exists when the sample starts, it writes the path itself into the file, without an error.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from inspect_discoverybench.dataset.table import read_text
from inspect_discoverybench.errors.exceptions import DataError, DataMissing
from inspect_discoverybench.errors.invalid_values import first_reason

METADATA_NAME = re.compile(r"metadata_(\d+)\.json")

# SHA-256 of each file, without names in the output, which can contain line breaks. The second program is that of macOS.
_CHECKSUMS = 'for name do { sha256sum || shasum -a 256; } <"$name" || echo unreadable; done'

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
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"data file {repeated[0]} is described twice; remove one entry")
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
            DataError: The file is not JSON, or a field is missing or has the wrong type.
        """
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            is_other = error.errors()[0]["type"] == "json_invalid" and not METADATA_NAME.fullmatch(path.name)
            remedy = " Pass a metadata file, as docs/custom.md describes it." if is_other else ""
            raise DataError(f"{path}: {first_reason(error)}{remedy}") from error


def metadata_number(path: Path) -> int:
    """The number in `metadata_<number>.json`, which the answer key refers to.

    Raises:
        DataError: The file is not named `metadata_<number>.json`.
    """
    match = METADATA_NAME.fullmatch(path.name)
    if match is None:
        raise DataError(f"{path}: invalid name of a metadata file. Rename it to metadata_<number>.json.")
    return int(match.group(1))


def locate(folder: Path, name: str) -> Path:
    """Find a data file.

    Args:
        folder: Folder of the metadata file.
        name: Name of the data file in the metadata and in the sandbox: a path relative to the folder.

    Raises:
        DataError: The name is not a path inside the folder, is reserved, or is that of a metadata file.
        DataMissing: The file does not exist.
    """
    subject = f"{folder}: datasets: the data file {name!r}"
    relative, path = PurePosixPath(name), folder / name
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
        exists = path.exists()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name that is too long or has a null byte
        raise DataError(f"{subject} cannot be found ({error}). Rename it, or remove the link.") from error
    # A link to a file such as /proc/self/environ would carry this machine's secrets into the sandbox.
    if relative.is_absolute() or ".." in relative.parts or not is_inside:
        raise DataError(
            f"{subject} is not inside the folder of its metadata file, or is a link to a file outside. Copy it there "
            "and use its relative path."
        )
    # Inspect reads the part before a colon as the name of a sandbox.
    if ":" in name or "\\" in name:
        raise DataError(f"{subject} has ':' or '\\' in its name. Rename it; separate folders with '/'.")
    if re.match(r"\.session|trial-\d+(?:/|$)", str(relative)):  # of sessions, and of Reflexion
        raise DataError(f"{subject} has a reserved name. Rename it.")
    if not path.is_file():
        problem = "is not a regular file. List regular files" if exists else "does not exist. Add it"
        raise DataMissing(f"{path}: the metadata describes this data file, but it {problem}.")
    others = (other for other in folder.iterdir() if METADATA_NAME.fullmatch(other.name))
    is_metadata = METADATA_NAME.fullmatch(path.resolve().name.casefold())
    if is_metadata or (path.stat().st_nlink > 1 and any(map(path.samefile, others))):
        raise DataError(f"{subject} is a metadata file, which the agent must not see. Remove it from `datasets`.")
    return path


@solver
def verify_data_files() -> Solver:
    """Compare the data files in the sandbox with the checksums in the metadata, with one sandbox call per sample.

    Samples without checksums in their metadata are not checked.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        expected: dict[str, str] = (state.metadata or {}).get("data_checksums", {})
        for name in await changed_files(expected) if expected else []:
            raise DataError(
                f"The data file {state.metadata['dataset']}/{name} differs from the file that was checked when the "
                "task was built, or is missing. Restore it on this machine (for released data, `discoverybench "
                "data verify` says how). Then run `inspect eval-retry` on the log, or repeat `discoverybench run`."
            )
        return state

    return solve


async def changed_files(checksums: Mapping[str, str], folder: str | None = None) -> list[str]:
    """Compare files in the sandbox with their checksums, with one sandbox call.

    Args:
        checksums: SHA-256 of each file by name.
        folder: Folder of the files; None for the sandbox's working folder.

    Returns:
        Names of the files that differ or are missing.

    Raises:
        DataError: The sandbox cannot compute checksums.
    """
    # Through `sh`, because some providers raise an exception if a program does not exist.
    result = await sandbox().exec(["sh", "-c", _CHECKSUMS, "sh", *checksums], cwd=folder, timeout=600)
    found = [line.partition(" ")[0] for line in result.stdout.splitlines()]
    if not result.success or len(found) != len(checksums):
        raise DataError(
            f"The data files cannot be checked in the sandbox (exit code {result.returncode}): "
            f"{result.stderr.strip()[-500:]}. The sandbox needs `sh` and `sha256sum`."
        )
    return [name for (name, recorded), now in zip(checksums.items(), found, strict=True) if now != recorded]
