"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_files import locate
from inspect_discoverybench.dataset.metadata import Goal, Study, metadata_number
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata
from inspect_discoverybench.dataset.studies import (
    absolute,
    goal_metadata,
    group_by_question,
    metadata_files,
    reveals,
    with_repeated_questions,
    with_target,
)
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.errors import DataError

Counted = Mapping[str, int | Sequence[str]]
"""A number or the items themselves, by what is counted."""


@dataclass(frozen=True)
class AuditRow:
    """One count.

    Attributes:
        name: What is counted.
        count: The number of items.
        items: The items, where they can be listed.
    """

    name: str
    count: int
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Audit:
    """The audit of one split, or of one folder of custom studies.

    Attributes:
        name: Name of the split or folder.
        rows: The counts.
        problems: Reasons why the studies cannot be run; empty if they can.
    """

    name: str
    rows: tuple[AuditRow, ...]
    problems: tuple[str, ...]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split has no metadata files.
    """
    audits = []
    for split in (*splits.REAL.values(), *splits.SYNTH.values()):
        answer_key = root / split.answer_key if split.answer_key else None
        contents = _Contents(split.name, metadata_files(root / split.folder), answer_key)
        audits.append(_audit(f"{split.kind}/{split.name}", contents))
    return audits


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit custom studies.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Raises:
        DataMissing: There is no metadata file at the path.
        InvalidMetadata: The name of a metadata file is invalid.
    """
    location = absolute(path)
    contents = _Contents("custom", metadata_files(location), answer_key)
    if not contents.errors and not contents.without_gold:
        # Loading the samples finds what remains, such as an answer key that is listed as a data file.
        with contents.collect_error():
            splits.custom(path, answer_key, Hints())
    return _audit(location.name, contents)


class _Contents:
    """Everything that could be read of some studies, and the errors of the rest.

    Attributes:
        paths: Paths of all metadata files.
        answer_key: Path of the answer key, if it could be read.
        studies: The studies by metadata file.
        goals: Their goals. The gold hypothesis is empty if there is none.
        tables: The tables by data file.
        other_data_files: Data files that are not tables.
        errors: Messages about files that cannot be used.
    """

    def __init__(self, split: str, paths: Sequence[Path], answer_key: Path | None) -> None:
        """Read all files of these studies."""
        self.paths = paths
        self.answer_key: AnswerKey | None = None
        self.studies: dict[Path, Study] = {}
        self.tables: dict[Path, Table] = {}
        self.other_data_files: list[Path] = []
        self.errors: list[str] = []
        with self.collect_error():
            self.answer_key = AnswerKey(answer_key) if answer_key else None
        for path in paths:
            with self.collect_error():
                self.studies[path] = Study.read(path)
        named = {(path.parent, file.name) for path, study in self.studies.items() for file in study.data_files}
        for folder, name in sorted(named):
            with self.collect_error():
                path = locate(folder, name)
                if is_table(path):
                    self.tables[path] = Table.read(path)
                else:
                    self.other_data_files.append(path)
        self.goals = with_repeated_questions(
            [self._goal(split, path, goal) for path, study in self.studies.items() for goal in study.goals]
        )

    @property
    def without_gold(self) -> list[str]:
        """Ids of the goals that have no gold hypothesis."""
        return [_short_id(goal.sample_id) for goal in self.goals if not goal.gold_hypothesis]

    @contextmanager
    def collect_error(self) -> Iterator[None]:
        """Record a data error instead of raising it."""
        try:
            yield
        except DataError as error:
            self.errors.append(error.message)

    def _goal(self, split: str, path: Path, goal: Goal) -> SampleMetadata:
        """A goal with the properties of its target column. For DB-SYNTH, only the column's name is as recorded."""
        study = self.studies[path]
        metadata = goal_metadata(split, path, study, goal, self.answer_key)
        recorded = synth_targets().get(metadata.key)
        column = recorded.column if recorded else goal.target_column
        table = self.tables.get(path.parent / study.data_files[0].name)
        if column is None or table is None or len(study.data_files) > 1:
            return metadata
        return with_target(metadata, Target.of(column, table, goal.relevant_columns))


def _audit(name: str, contents: _Contents) -> Audit:
    counted = {**_sizes(contents), **_categories(contents), **_formats(contents), **_irregularities(contents)}
    rows = (
        AuditRow(name, value) if isinstance(value, int) else AuditRow(name, len(value), tuple(value))
        for name, value in counted.items()
    )
    missing = (f"{goal_id}: no gold hypothesis" for goal_id in contents.without_gold)
    return Audit(name, tuple(rows), (*missing, *contents.errors))


def _sizes(contents: _Contents) -> Counted:
    goals = contents.goals
    return {
        "study folders": len({path.parent for path in contents.paths}),
        "metadata files": len(contents.paths),
        "goals": len(goals),
        "distinct gold hypotheses": len({goal.gold_hypothesis for goal in goals if goal.gold_hypothesis}),
        "data files": len(contents.tables) + len(contents.other_data_files),
        "goals with several data files": sum(goal.data_file_count > 1 for goal in goals),
        "maximum data files per goal": max((goal.data_file_count for goal in goals), default=0),
        "goals without a gold hypothesis": contents.without_gold,
    }


def _categories(contents: _Contents) -> Counted:
    goals = contents.goals
    domains = Counter(goal.domain for goal in goals)
    return {
        "domains": [f"{domain}: {count}" for domain, count in sorted(domains.items())],
        **_count_by_value("question type", (goal.question_type for goal in goals)),
        **_count_by_value("difficulty", (goal.difficulty for goal in goals)),
        "studies with a public workflow": sum(bool(study.workflow) for study in contents.studies.values()),
        **_count_by_value("workflow length", (goal.workflow_bucket for goal in goals)),
    }


def _formats(contents: _Contents) -> Counted:
    """Deviations from the format that most of the release uses."""
    studies, tables = contents.studies, contents.tables
    missing_columns = [
        f"{_short(path)}: {file.name}: {column.name}"
        for path, study in studies.items()
        for file in study.data_files
        if (table := tables.get(path.parent / file.name)) is not None
        for column in file.columns
        if column.name not in table.columns
    ]
    return {
        "ids that differ from the file number": [
            _short(path) for path, study in studies.items() if study.id not in (None, metadata_number(path))
        ],
        "data files not separated by commas": [
            f"{_short(path)} ({table.separator!r})" for path, table in tables.items() if table.separator != ","
        ],
        "data files in other formats": [_short(path) for path in contents.other_data_files],
        "described columns that are missing": missing_columns,
    }


def _irregularities(contents: _Contents) -> Counted:
    """Goals with a known peculiarity, which their samples have as a flag."""
    goals = contents.goals
    groups = [group for group in group_by_question(goals) if len(group) > 1]

    def ids(belongs: Callable[[SampleMetadata], bool]) -> list[str]:
        return [_short_id(goal.sample_id) for goal in goals if belongs(goal)]

    return {
        "duplicate questions": [_ids(group) for group in groups],
        "duplicates: hard and easy variants": [
            f"{_short_id(goal.sample_id)} = {_short_id(goal.variant_of)}" for goal in goals if goal.variant_of
        ],
        "duplicates: different gold hypotheses": [_ids(group) for group in groups if group[0].conflicting_gold],
        "goals with a known target column": sum(goal.solvable is not None for goal in goals),
        "constant target columns": ids(lambda goal: goal.solvable is False),
        "nearly constant target columns": ids(lambda goal: goal.near_constant is True),
        "goals with known predictors": sum(goal.predictors_present is not None for goal in goals),
        "goals with missing predictors": ids(lambda goal: goal.predictors_present is False),
        "questions that reveal the gold hypothesis": ids(lambda goal: goal.reveals_gold == "goal"),
        "columns that reveal the gold hypothesis": ids(lambda goal: goal.reveals_gold == "column"),
        "hints that reveal the gold hypothesis": ids(lambda goal: reveals(goal.domain_knowledge, goal.gold_hypothesis)),
        "unusable files": contents.errors,
    }


def _count_by_value(name: str, values: Iterable[object]) -> Counted:
    counts = Counter(str(value) for value in values if value is not None)
    return {f"{name}: {value}": count for value, count in sorted(counts.items())}


def _short_id(sample_id: str) -> str:
    """`<study folder>/<metadata number>/<query id>`."""
    return sample_id.partition("/")[2]


def _ids(goals: Sequence[SampleMetadata]) -> str:
    return " = ".join(_short_id(goal.sample_id) for goal in goals)


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
