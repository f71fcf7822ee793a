"""The contents of a split or folder, as far as they can be read. An audit counts them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_path import locate
from inspect_discoverybench.dataset.metadata import Goal, Study, metadata_number
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import synth_targets
from inspect_discoverybench.errors import DataError, InvalidMetadata

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class AuditedGoal:
    """One goal and its study.

    Attributes:
        path: Its metadata file.
        study: The contents of this file.
        goal: The goal.
        gold: Its gold hypothesis; empty if there is none.
        target_column: Name of its target column; None if it is unknown.
    """

    path: Path
    study: Study
    goal: Goal
    gold: str
    target_column: str | None

    @property
    def id(self) -> str:
        """`<study folder>/<metadata number>/<query id>`."""
        return f"{self.folder}/{metadata_number(self.path)}/{self.goal.query_id}"

    @property
    def folder(self) -> str:
        """Name of the study's folder."""
        return self.path.parent.name

    @property
    def data_files(self) -> list[Path]:
        """Paths of its data files, whether or not they exist."""
        return [self.path.parent / file.name for file in self.study.data_files]


@dataclass(frozen=True)
class Contents:
    """Everything that could be read, and the errors of the rest.

    Attributes:
        metadata_files: Paths of all metadata files.
        answer_key: Path of the answer key; None if the gold hypotheses are in the metadata.
        studies: The studies by metadata file.
        goals: Their goals.
        tables: The tables by data file.
        other_data_files: Data files that are not tables.
        errors: Messages about files that cannot be used.
    """

    metadata_files: Sequence[Path]
    answer_key: Path | None
    studies: Mapping[Path, Study]
    goals: Sequence[AuditedGoal]
    tables: Mapping[Path, Table]
    other_data_files: Sequence[Path]
    errors: Sequence[str]

    @classmethod
    def read(cls, paths: Sequence[Path], answer_key: Path | None = None, synth_split: str | None = None) -> "Contents":
        """Read all files of these studies.

        Args:
            paths: Paths of the metadata files.
            answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.
            synth_split: Name of the split of DB-SYNTH; None for other studies.
        """
        errors = _Errors()
        key = errors.attempt(AnswerKey, answer_key) if answer_key else None
        studies = {path: study for path in paths if (study := errors.attempt(_read_study, path)) is not None}
        names = sorted({(path.parent, file.name) for path, study in studies.items() for file in study.data_files})
        data_files = [path for folder, name in names if (path := errors.attempt(locate, folder, name)) is not None]
        table_files = [path for path in data_files if is_table(path)]
        tables = {path: table for path in table_files if (table := errors.attempt(Table.read, path)) is not None}
        goals = [
            AuditedGoal(path, study, goal, _gold(key, path, goal), _target_column(synth_split, path, goal))
            for path, study in studies.items()
            for goal in study.goals
        ]
        return cls(
            metadata_files=paths,
            answer_key=answer_key,
            studies=studies,
            goals=goals,
            tables=tables,
            other_data_files=[path for path in data_files if not is_table(path)],
            errors=errors.messages,
        )


class _Errors:
    """Collects the messages of data errors."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def attempt(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return the result of `read`, or None if it raises a data error."""
        try:
            return read(*args, **kwargs)
        except DataError as error:
            self.messages.append(error.message)
            return None


def _read_study(path: Path) -> Study:
    metadata_number(path)  # raises if the name is invalid
    return Study.read(path)


def _gold(key: AnswerKey | None, path: Path, goal: Goal) -> str:
    if key is None:
        return goal.true_hypothesis
    try:
        return key.gold(path.parent.name, metadata_number(path), goal.query_id)
    except InvalidMetadata:
        return ""


def _target_column(synth_split: str | None, path: Path, goal: Goal) -> str | None:
    """Name of the target column. For DB-SYNTH, only this name is taken from the table of the package."""
    if synth_split is None:
        return goal.target_column
    target = synth_targets().get((synth_split, path.parent.name, metadata_number(path), goal.query_id))
    return target.column if target else None
