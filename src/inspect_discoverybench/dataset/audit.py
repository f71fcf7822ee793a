"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.metadata import Goal, Study, locate, metadata_number
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata, hint_texts
from inspect_discoverybench.dataset.studies import (
    absolute,
    goal_metadata,
    group_by_question,
    metadata_files,
    reveals,
    stated_formula,
    synth_targets,
    target_flags,
    with_repeated_questions,
)
from inspect_discoverybench.dataset.table import Golds, Table, is_table, read_answer_key
from inspect_discoverybench.errors.exceptions import DataError

Counted = Mapping[str, int | Sequence[str]]
"""A number or the items themselves, by what is counted."""


@dataclass(frozen=True)
class Audit:
    """The audit of one split, or of one folder of custom studies.

    Attributes:
        name: Name of the split or folder.
        counts: The number and, where they can be listed, the items, by what is counted.
        problems: Reasons why the studies cannot be run; empty if they can.
    """

    name: str
    counts: Mapping[str, tuple[int, Sequence[str]]]
    problems: tuple[str, ...]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split has no metadata files.
    """
    return [
        _audit(
            f"{split.kind}/{split.name}",
            _Contents(
                split.name, metadata_files(root / split.folder), root / key if (key := split.answer_key) else None
            ),
        )
        for split in (*splits.REAL.values(), *splits.SYNTH.values())
    ]


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
            splits.custom(path, answer_key, Hints())
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
        with self.collect_error():
            self.golds = read_answer_key(answer_key) if answer_key else None
        for path in paths:
            with self.collect_error():
                self.studies[path] = Study.read(path)
        named = {(path.parent, file.name) for path, study in self.studies.items() for file in study.data_files}
        for folder, name in sorted(named):
            with self.collect_error():
                path = locate(folder, name)
                self.tables[path] = Table.read(path) if is_table(path) else None
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
        metadata = goal_metadata(split, path, study, goal, self.golds)
        column, _ = synth_targets().get(metadata.key, (goal.target_column, {}))
        table = self.tables.get(path.parent / study.data_files[0].name)
        if column is None or table is None or len(study.data_files) > 1:
            return metadata
        return metadata.model_copy(update=target_flags(column, table, goal.relevant_columns))


def _audit(name: str, contents: _Contents) -> Audit:
    counted = {**_sizes(contents), **_formats(contents), **_irregularities(contents)}
    counts = {name: (value, ()) if isinstance(value, int) else (len(value), value) for name, value in counted.items()}
    missing = (f"{goal_id}: no gold hypothesis" for goal_id in contents.without_gold)
    return Audit(name, counts, (*missing, *contents.errors))


def _sizes(contents: _Contents) -> Counted:
    goals = contents.goals
    domains = Counter(goal.domain for goal in goals)
    return {
        "study folders": len({path.parent for path in contents.paths}),
        "metadata files": len(contents.paths),
        "goals": len(goals),
        "distinct gold hypotheses": len({goal.gold_hypothesis for goal in goals if goal.gold_hypothesis}),
        "data files": len(contents.tables),
        "goals with several data files": sum(goal.data_file_count > 1 for goal in goals),
        "maximum data files per goal": max((goal.data_file_count for goal in goals), default=0),
        "goals without a gold hypothesis": contents.without_gold,
        "domains": [f"{domain}: {count}" for domain, count in sorted(domains.items())],
        **_count_by_value("question type", (goal.question_type for goal in goals)),
        **_count_by_value("difficulty", (goal.difficulty for goal in goals)),
        "studies with a public workflow": sum(bool(study.workflow) for study in contents.studies.values()),
        **_count_by_value("workflow length", (goal.workflow_bucket for goal in goals)),
    }


def _formats(contents: _Contents) -> Counted:
    """Deviations from the format that most of the release uses."""
    studies, tables = contents.studies, contents.tables
    return {
        "ids that differ from the file number": [
            _short(path) for path, study in studies.items() if study.id not in (None, metadata_number(path))
        ],
        "data files not separated by commas": [
            f"{_short(path)} ({table.separator!r})"
            for path, table in tables.items()
            if table and table.separator != ","
        ],
        "data files in other formats": [_short(path) for path, table in tables.items() if table is None],
        "described columns that are missing": [
            f"{_short(path)}: {file.name}: {column.name}"
            for path, study in studies.items()
            for file in study.data_files
            if (table := tables.get(path.parent / file.name)) is not None
            for column in file.columns
            if column.name not in table.columns
        ],
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
        "descriptions that state a formula": [
            f"{_short(path)}: {column.name}: {formula}"
            for path, study in contents.studies.items()
            for file in study.data_files
            for column in file.columns
            if (formula := stated_formula(column.description, [one.name for one in file.columns]))
        ],
        "hints that reveal the gold hypothesis": ids(
            lambda goal: any(reveals(text, goal.gold_hypothesis) for text in hint_texts("domain_knowledge", goal))
        ),
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
