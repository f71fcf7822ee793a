"""Counts of the studies, goals, files and irregularities of a split, recomputed from its files.

A file that cannot be used is reported instead of raised, so an audit also checks custom studies before they are run.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.contents import AuditedGoal, Contents
from inspect_discoverybench.dataset.metadata import metadata_number
from inspect_discoverybench.dataset.question import group_by_question
from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.dataset.studies import absolute, metadata_files
from inspect_discoverybench.dataset.target import Target
from inspect_discoverybench.dataset.text_file import read_text_and_encoding
from inspect_discoverybench.dataset.variant import PROCESSED_FOLDERS
from inspect_discoverybench.dataset.workflow import bucket, workflow_length
from inspect_discoverybench.errors import DataError, DataMissing

LEAK_THRESHOLD = 0.8
"""A text reveals the gold hypothesis if it contains at least this share of its words."""


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

    @classmethod
    def of_items(cls, name: str, items: Sequence[str]) -> "AuditRow":
        """Count these items."""
        return cls(name, len(items), tuple(items))


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

    Args:
        root: Folder with the released data.

    Raises:
        DataMissing: A split has no metadata files.
    """
    audits = []
    for split in (*splits.REAL.values(), *splits.SYNTH.values()):
        paths = metadata_files(root / split.folder)
        answer_key = root / split.answer_key if split.answer_key else None
        contents = Contents.read(paths, answer_key, split.name if split.kind == "synth" else None)
        audits.append(_audit(f"{split.kind}/{split.name}", contents))
    return audits


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit custom studies.

    Args:
        path: A metadata file, or a folder of them.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.

    Raises:
        DataMissing: There is no metadata file at the path.
    """
    location = absolute(path)
    if not location.exists():
        raise DataMissing(f"The path '{path}' does not exist. Check the spelling or pass an absolute path.")
    contents = Contents.read(metadata_files(location) if location.is_dir() else [location], answer_key)
    errors: list[str] = []
    if not contents.errors and not _without_gold(contents.goals):
        # Loading the samples finds what remains, such as an answer key that is listed as a data file.
        try:
            splits.custom(path, answer_key, Hints())
        except DataError as error:
            errors.append(error.message)
    return _audit(location.name, contents, errors)


def _audit(name: str, contents: Contents, task_errors: Sequence[str] = ()) -> Audit:
    goals = contents.goals
    without_gold = _without_gold(goals)
    errors = [*contents.errors, *task_errors]
    rows = (
        *_sizes(contents),
        AuditRow.of_items("goals without a gold hypothesis", without_gold),
        *_categories(goals),
        *_workflows(contents),
        *_formats(contents),
        *_duplicates(goals),
        *_targets(contents),
        AuditRow.of_items("questions that reveal the gold hypothesis", _leaks(goals, lambda goal: goal.goal.question)),
        AuditRow.of_items(
            "hints that reveal the gold hypothesis", _leaks(goals, lambda goal: goal.study.domain_knowledge)
        ),
        AuditRow.of_items("unusable files", errors),
    )
    return Audit(name, rows, (*(f"{goal_id}: no gold hypothesis" for goal_id in without_gold), *errors))


def _sizes(contents: Contents) -> list[AuditRow]:
    goals = contents.goals
    return [
        AuditRow("study folders", len({path.parent for path in contents.metadata_files})),
        AuditRow("metadata files", len(contents.metadata_files)),
        AuditRow("goals", len(goals)),
        AuditRow("distinct gold hypotheses", len({goal.gold for goal in goals if goal.gold})),
        AuditRow("data files", len(contents.tables) + len(contents.other_data_files)),
        AuditRow("goals with several data files", sum(len(goal.data_files) > 1 for goal in goals)),
        AuditRow("maximum data files per goal", max((len(goal.data_files) for goal in goals), default=0)),
    ]


def _categories(goals: Sequence[AuditedGoal]) -> list[AuditRow]:
    domains = Counter(goal.study.domain for goal in goals)
    difficulties = (str(goal.goal.difficulty) for goal in goals if goal.goal.difficulty is not None)
    return [
        AuditRow.of_items("domains", [f"{domain}: {count}" for domain, count in sorted(domains.items())]),
        *_count_by_value("question type", (goal.goal.question_type for goal in goals)),
        *_count_by_value("difficulty", difficulties),
    ]


def _workflows(contents: Contents) -> list[AuditRow]:
    lengths = [workflow_length(goal.study.workflow) for goal in contents.goals]
    return [
        AuditRow("studies with a public workflow", sum(bool(study.workflow) for study in contents.studies.values())),
        *_count_by_value("workflow length", (bucket(length) for length in lengths if length is not None)),
    ]


def _formats(contents: Contents) -> list[AuditRow]:
    """Deviations from the format that most of the release uses."""
    studies, tables = contents.studies, contents.tables
    text_files = [*studies]
    if contents.answer_key and contents.answer_key.is_file():
        text_files.append(contents.answer_key)
    missing_columns = [
        f"{_short(path)}: {file.name}: {column.name}"
        for path, study in studies.items()
        for file in study.data_files
        if (table := tables.get(path.parent / file.name)) is not None
        for column in file.columns
        if column.name not in table.columns
    ]
    rows = {
        "studies without domain knowledge": [
            _short(path) for path, study in studies.items() if not study.domain_knowledge
        ],
        "Windows-1252 files": [_short(path) for path in text_files if _is_windows_1252(path)],
        "ids that differ from the file number": [
            _short(path) for path, study in studies.items() if study.id not in (None, metadata_number(path))
        ],
        "data files not separated by commas": [
            f"{_short(path)} ({table.separator!r})" for path, table in tables.items() if table.separator != ","
        ],
        "data files in other formats": [_short(path) for path in contents.other_data_files],
        "described columns that are missing": missing_columns,
    }
    return [AuditRow.of_items(name, items) for name, items in rows.items()]


def _duplicates(goals: Sequence[AuditedGoal]) -> list[AuditRow]:
    groups = [group for group in group_by_question(goals, lambda goal: goal.goal.question) if len(group) > 1]
    conflicting = [group for group in groups if len({goal.gold for goal in group}) > 1]
    variants = [
        f"{hard.id} = {easy.id}"
        for group in groups
        for hard in group
        for easy in group
        if easy.folder == PROCESSED_FOLDERS.get(hard.folder)
    ]
    return [
        AuditRow.of_items("duplicate questions", [_ids(group) for group in groups]),
        AuditRow.of_items("duplicates: hard and easy variants", variants),
        AuditRow.of_items("duplicates: different gold hypotheses", [_ids(group) for group in conflicting]),
    ]


def _targets(contents: Contents) -> list[AuditRow]:
    targets = {
        goal.id: Target.of(goal.target_column, table, goal.goal.relevant_columns)
        for goal in contents.goals
        if goal.target_column is not None and len(goal.data_files) == 1
        if (table := contents.tables.get(goal.data_files[0])) is not None
    }
    constant = [goal_id for goal_id, target in targets.items() if not target.solvable]
    near_constant = [goal_id for goal_id, target in targets.items() if target.near_constant]
    missing = [goal_id for goal_id, target in targets.items() if target.predictors_present is False]
    with_predictors = sum(target.predictors_present is not None for target in targets.values())
    return [
        AuditRow("goals with a known target column", len(targets)),
        AuditRow.of_items("constant target columns", constant),
        AuditRow.of_items("nearly constant target columns", near_constant),
        AuditRow("goals with known predictors", with_predictors),
        AuditRow.of_items("goals with missing predictors", missing),
    ]


def _without_gold(goals: Sequence[AuditedGoal]) -> list[str]:
    return [goal.id for goal in goals if not goal.gold]


def _leaks(goals: Sequence[AuditedGoal], text: Callable[[AuditedGoal], str]) -> list[str]:
    return [goal.id for goal in goals if reveals(text(goal), goal.gold)]


def reveals(text: str, gold: str) -> bool:
    """Whether a text contains at least `LEAK_THRESHOLD` of the words of a gold hypothesis."""
    gold_words, text_words = _words(gold), set(_words(text))
    shared = sum(word in text_words for word in gold_words)
    return bool(gold_words) and shared / len(gold_words) >= LEAK_THRESHOLD


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _is_windows_1252(path: Path) -> bool:
    return read_text_and_encoding(path)[1] == "Windows-1252"


def _count_by_value(name: str, values: Iterable[str]) -> list[AuditRow]:
    return [AuditRow(f"{name}: {value}", count) for value, count in sorted(Counter(values).items())]


def _ids(goals: Sequence[AuditedGoal]) -> str:
    return " = ".join(goal.id for goal in goals)


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
