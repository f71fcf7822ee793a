"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from inspect_discoverybench.dataset.answer_key import Golds, read_answer_key
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.goals import goal_metadata
from inspect_discoverybench.dataset.irregularities import flag_repeated_questions, group_by_question
from inspect_discoverybench.dataset.metadata import DataFile, Goal, Study
from inspect_discoverybench.dataset.paths import absolute, metadata_files, metadata_number
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target_column import synth_targets, target_flags
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError


class Count(NamedTuple):
    """A number, and the items that were counted, where they can be listed."""

    number: int
    items: Sequence[str] = ()


@dataclass(frozen=True)
class Audit:
    """The audit of one split, or of one folder of custom studies.

    Attributes:
        name: Name of the split or folder.
        counts: The counts by what is counted.
        problems: Reasons why the studies cannot be run; empty if they can.
    """

    name: str
    counts: Mapping[str, Count]
    problems: tuple[str, ...]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split has no metadata files.
    """
    audits = []
    for split in (*REAL, *SYNTH):
        answer_key = root / split.answer_key if split.answer_key else None
        contents = _Contents(split.name, metadata_files(root / split.folder), answer_key)
        audits.append(_audit(f"{split.benchmark}/{split.name}", contents))
    return audits


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit custom studies.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Raises:
        DataMissing: There is no metadata file at the path.
        DataError: The name of a metadata file is invalid.
    """
    location = absolute(path)
    contents = _Contents("custom", metadata_files(location), answer_key)
    if not contents.errors and not contents.without_gold:
        # Loading the samples finds what remains, such as an answer key that is listed as a data file.
        with contents.collect_error():
            custom_samples(path, answer_key, Hints())
    return _audit(location.name, contents)


class _Contents:
    """Everything that could be read of some studies, and the errors of the rest.

    Attributes:
        paths: Paths of all metadata files.
        golds: The answer key, if there is one and it could be read.
        studies: The studies by metadata file.
        goals: Their goals. The gold hypothesis is empty if there is none.
        tables: The tables by data file; None for files in other formats.
        errors: Messages about files that cannot be used.
    """

    def __init__(self, split: str, paths: Sequence[Path], answer_key: Path | None) -> None:
        """Read all files of these studies."""
        self.paths = paths
        self.golds: Golds | None = None
        self.studies: dict[Path, Study] = {}
        self.tables: dict[Path, Table | None] = {}
        self.errors: list[str] = []
        if answer_key is not None:
            with self.collect_error():
                self.golds = read_answer_key(answer_key)
        for path in paths:
            with self.collect_error():
                self.studies[path] = Study.read(path)
        for folder, name in sorted({(path.parent, file.name) for path, file in self.data_files()}):
            with self.collect_error():
                data_file = locate(folder, name)
                self.tables[data_file] = Table.read(data_file) if is_table(data_file) else None

        goals = []
        for path, study in self.studies.items():
            goals += [self._goal(split, path, goal) for goal in study.goals]
        self.goals = flag_repeated_questions(goals)

    @contextmanager
    def collect_error(self) -> Iterator[None]:
        """Record a data error instead of raising it."""
        try:
            yield
        except DataError as error:
            self.errors.append(error.message)

    def data_files(self) -> Iterator[tuple[Path, DataFile]]:
        """Every described data file, with the path of the metadata file that describes it."""
        for path, study in self.studies.items():
            for file in study.data_files:
                yield path, file

    @property
    def without_gold(self) -> list[str]:
        """Ids of the goals that have no gold hypothesis."""
        return [_short_id(goal.sample_id) for goal in self.goals if not goal.gold_hypothesis]

    def _goal(self, split: str, path: Path, goal: Goal) -> SampleMetadata:
        """A goal with the properties of its target column. For DB-SYNTH, only the column's name is as recorded."""
        study = self.studies[path]
        metadata = goal_metadata(split, path, study, goal, self.golds)
        column, _ = synth_targets().get(metadata.key, (goal.target_column, {}))
        table = self.tables.get(path.parent / study.data_files[0].name)
        if column is None or table is None or len(study.data_files) > 1:
            return metadata
        return metadata.model_copy(update=target_flags(column, table, goal.relevant_columns))


Counted = Mapping[str, int | list[str]]
"""A number or the items themselves, by what is counted."""


def _audit(name: str, contents: _Contents) -> Audit:
    counts = {}
    for subject, value in {**_sizes(contents), **_formats(contents), **_irregularities(contents)}.items():
        counts[subject] = Count(value) if isinstance(value, int) else Count(len(value), value)
    problems = [f"{goal_id}: no gold hypothesis" for goal_id in contents.without_gold]
    return Audit(name, counts, (*problems, *contents.errors))


def _sizes(contents: _Contents) -> Counted:
    goals = contents.goals
    file_counts = [len(goal.data_files) for goal in goals]
    domains = Counter(goal.domain for goal in goals)
    return {
        "study folders": len({path.parent for path in contents.paths}),
        "metadata files": len(contents.paths),
        "goals": len(goals),
        "distinct gold hypotheses": len({goal.gold_hypothesis for goal in goals if goal.gold_hypothesis}),
        "data files": len(contents.tables),
        "goals with several data files": sum(count > 1 for count in file_counts),
        "maximum data files per goal": max(file_counts, default=0),
        "goals without a gold hypothesis": contents.without_gold,
        "domains": [f"{domain}: {count}" for domain, count in sorted(domains.items())],
        **_count_by_value("question type", (goal.question_type for goal in goals)),
        **_count_by_value("difficulty", (goal.difficulty for goal in goals)),
        "studies with a public workflow": sum(bool(study.workflow) for study in contents.studies.values()),
        **_count_by_value("workflow length", (goal.workflow_bucket for goal in goals)),
    }


def _formats(contents: _Contents) -> Counted:
    """Deviations from the format that most of the release uses."""
    studies = contents.studies
    tables = {path: table for path, table in contents.tables.items() if table is not None}
    other_ids = [path for path, study in studies.items() if study.id not in (None, metadata_number(path))]
    missing_columns: list[str] = []
    for path, file in contents.data_files():
        table = tables.get(path.parent / file.name)
        if table is not None:
            missing = [column.name for column in file.columns if column.name not in table.columns]
            missing_columns += [f"{_short(path)}: {file.name}: {name}" for name in missing]
    return {
        "ids that differ from the file number": [_short(path) for path in other_ids],
        "data files not separated by commas": [
            f"{_short(path)} ({table.separator!r})" for path, table in tables.items() if table.separator != ","
        ],
        "data files in other formats": [_short(path) for path in contents.tables if path not in tables],
        "described columns that are missing": missing_columns,
    }


def _irregularities(contents: _Contents) -> Counted:
    """Goals with a known peculiarity, which their samples have as a flag."""
    goals = contents.goals
    groups = [group for group in group_by_question(goals) if len(group) > 1]
    variants = [goal for goal in goals if goal.variant_of]
    return {
        "duplicate questions": [_ids(group) for group in groups],
        "duplicates: hard and easy variants": [
            f"{_short_id(goal.sample_id)} = {_short_id(str(goal.variant_of))}" for goal in variants
        ],
        "duplicates: different gold hypotheses": [_ids(group) for group in groups if group[0].conflicting_gold],
        "goals with a known target column": sum(goal.solvable is not None for goal in goals),
        "constant target columns": _flagged(goals, "solvable", False),
        "nearly constant target columns": _flagged(goals, "near_constant", True),
        "goals with known predictors": sum(goal.predictors_present is not None for goal in goals),
        "goals with missing predictors": _flagged(goals, "predictors_present", False),
        "questions that reveal the gold hypothesis": _flagged(goals, "reveals_gold", "goal"),
        "unusable files": contents.errors,
    }


def _flagged(goals: Sequence[SampleMetadata], flag: str, value: object) -> list[str]:
    """Ids of the goals whose flag has a value."""
    return [_short_id(goal.sample_id) for goal in goals if getattr(goal, flag) == value]


def _count_by_value(name: str, values: Iterable[object]) -> Counted:
    counts = Counter(str(value) for value in values if value is not None)
    return {f"{name}: {value}": count for value, count in sorted(counts.items())}


def _short_id(sample_id: str) -> str:
    """`<dataset folder>/<metadata number>/<query id>`."""
    return sample_id.partition("/")[2]


def _ids(goals: Sequence[SampleMetadata]) -> str:
    return " = ".join(_short_id(goal.sample_id) for goal in goals)


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
