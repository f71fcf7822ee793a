"""Everything countable about a split, recomputed from its files.

A file that cannot be used does not end an audit but is one of its findings, so that an audit is also the check before
publishing a study of one's own.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_path import locate
from inspect_discoverybench.dataset.metadata import Goal, Study, decoded, metadata_number
from inspect_discoverybench.dataset.question import group_by_question
from inspect_discoverybench.dataset.samples import Hints
from inspect_discoverybench.dataset.studies import absolute, metadata_files
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.dataset.variant import PROCESSED_FOLDERS
from inspect_discoverybench.dataset.workflow import bucket, workflow_length
from inspect_discoverybench.errors import DataError, DataMissing, InvalidMetadata

LEAK = 0.8
"""A text that holds this share of the words of the gold hypothesis gives it away."""

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True)
class Fact:
    """One row of an audit.

    Attributes:
        name: What was counted.
        count: How many.
        items: Which ones, where they can be listed.
    """

    name: str
    count: int
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Audit:
    """An audit of one split, or of one folder of studies.

    Attributes:
        name: What the table calls it.
        facts: Its rows.
        problems: What keeps these studies from being run.
    """

    name: str
    facts: tuple[Fact, ...]
    problems: tuple[str, ...]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split is not there.
    """
    return [
        _audit(
            f"{split.kind}/{split.name}",
            _read(
                metadata_files(root / split.folder),
                root / split.answer_key if split.answer_key else None,
                split.name if split.kind == "synth" else None,
            ),
        )
        for split in (*splits.REAL.values(), *splits.SYNTH.values())
    ]


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit studies of one's own.

    Raises:
        DataMissing: There is no metadata file at this path.
    """
    place = absolute(path)
    if not place.exists():
        raise DataMissing(f"{path}: there is no such file or folder.")
    contents = _read(metadata_files(place) if place.is_dir() else [place], answer_key, None)
    # Whatever else the task refuses.
    samples = _attempt(lambda path: splits.custom(path, answer_key, Hints()), path)
    known = bool(contents.errors or _without_gold(contents.goals))
    return _audit(place.name, contents, () if known or isinstance(samples, list) else (samples.message,))


@dataclass(frozen=True)
class AuditedGoal:
    """One goal, and where it stands.

    Attributes:
        path: Its metadata file.
        study: What that file contains.
        goal: The goal itself.
        gold: Its gold hypothesis; empty if there is none.
        target_column: Name of its target column; None if it is not known.
    """

    path: Path
    study: Study
    goal: Goal
    gold: str
    target_column: str | None

    @property
    def id(self) -> str:
        """`<study folder>/<metadata number>/<query id>`."""
        return f"{self.path.parent.name}/{metadata_number(self.path)}/{self.goal.query_id}"

    @property
    def data_files(self) -> list[Path]:
        """Paths of its data files, whether or not they are there."""
        return [self.path.parent / file.name for file in self.study.data_files]


@dataclass(frozen=True)
class _Contents:
    """What was read, by path, and why the rest was not."""

    metadata_files: Sequence[Path]
    answer_key: Path | None
    studies: Mapping[Path, Study]
    goals: Sequence[AuditedGoal]
    tables: Mapping[Path, Table]
    other_data_files: Sequence[Path]
    errors: Sequence[str]


def _read(paths: Sequence[Path], answer_key: Path | None, synth_split: str | None) -> _Contents:
    key = _attempt(AnswerKey, answer_key) if answer_key else None
    read_studies = {path: _attempt(_study, path) for path in paths}
    studies = {path: study for path, study in read_studies.items() if isinstance(study, Study)}
    names = sorted({(path.parent, file.name) for path, study in studies.items() for file in study.data_files})
    located = [_attempt(lambda name: locate(*name), name) for name in names]
    data_files = [path for path in located if isinstance(path, Path)]
    read_tables = {path: _attempt(Table.read, path) for path in data_files if is_table(path)}
    goals = [
        AuditedGoal(
            path,
            study,
            goal,
            _gold(key if isinstance(key, AnswerKey) else None, path, goal),
            _target_column(synth_split, path, goal),
        )
        for path, study in studies.items()
        for goal in study.goals
    ]
    results = [key, *read_studies.values(), *located, *read_tables.values()]
    return _Contents(
        metadata_files=paths,
        answer_key=answer_key,
        studies=studies,
        goals=goals,
        tables={path: table for path, table in read_tables.items() if isinstance(table, Table)},
        other_data_files=[path for path in data_files if not is_table(path)],
        errors=[result.message for result in results if isinstance(result, DataError)],
    )


def _attempt(read: Callable[[A], T], source: A) -> T | DataError:
    """What could be read, or why it could not."""
    try:
        return read(source)
    except DataError as error:
        return error


def _study(path: Path) -> Study:
    metadata_number(path)
    return Study.read(path)


def _gold(key: AnswerKey | None, path: Path, goal: Goal) -> str:
    try:
        return key.gold(path.parent.name, metadata_number(path), goal.query_id) if key else goal.true_hypothesis
    except InvalidMetadata:
        return ""


def _target_column(synth_split: str | None, path: Path, goal: Goal) -> str | None:
    """The name of the target; of the package's own table, nothing but names is used."""
    if synth_split is None:
        return goal.target_column
    target = synth_targets().get((synth_split, path.parent.name, metadata_number(path), goal.query_id))
    return target.column if target else None


def _audit(name: str, contents: _Contents, refusals: Sequence[str] = ()) -> Audit:
    without_gold = _without_gold(contents.goals)
    errors = [*contents.errors, *refusals]
    facts = (
        *_sizes(contents),
        _listed("goals without a gold hypothesis", without_gold),
        *_kinds(contents.goals),
        *_workflows(contents),
        *_forms(contents),
        *_same_questions(contents.goals),
        *_targets(contents),
        _listed("questions that hold the gold hypothesis", _leaks(contents.goals, lambda goal: goal.goal.question)),
        _listed(
            "hints that hold the gold hypothesis", _leaks(contents.goals, lambda goal: goal.study.domain_knowledge)
        ),
        _listed("files that cannot be used", errors),
    )
    return Audit(name, facts, (*(f"{goal_id}: no gold hypothesis" for goal_id in without_gold), *errors))


def _sizes(contents: _Contents) -> list[Fact]:
    goals = contents.goals
    return [
        Fact("study folders", len({path.parent for path in contents.metadata_files})),
        Fact("metadata files", len(contents.metadata_files)),
        Fact("goals", len(goals)),
        Fact("distinct gold hypotheses", len({goal.gold for goal in goals if goal.gold})),
        Fact("data files", len(contents.tables) + len(contents.other_data_files)),
        Fact("goals with several data files", sum(len(goal.data_files) > 1 for goal in goals)),
        Fact("most data files of one goal", max((len(goal.data_files) for goal in goals), default=0)),
    ]


def _kinds(goals: Sequence[AuditedGoal]) -> list[Fact]:
    domains = Counter(goal.study.domain for goal in goals)
    difficulties = (str(goal.goal.difficulty) for goal in goals if goal.goal.difficulty is not None)
    return [
        _listed("domains", [f"{domain}: {count}" for domain, count in sorted(domains.items())]),
        *_grouped("question type", (goal.goal.question_type for goal in goals)),
        *_grouped("difficulty", difficulties),
    ]


def _workflows(contents: _Contents) -> list[Fact]:
    lengths = [workflow_length(goal.study.workflow) for goal in contents.goals]
    return [
        Fact("studies with a public workflow", sum(bool(study.workflow) for study in contents.studies.values())),
        *_grouped("workflow length", (bucket(length) for length in lengths if length is not None)),
    ]


def _forms(contents: _Contents) -> list[Fact]:
    """What is unlike the form that most of the release has."""
    studies, tables = contents.studies, contents.tables
    texts = [*studies, *([contents.answer_key] if contents.answer_key and contents.answer_key.is_file() else [])]
    return [
        _listed("studies without domain knowledge", [_short(p) for p, s in studies.items() if not s.domain_knowledge]),
        _listed("Windows-1252 files", [_short(path) for path in texts if _is_windows_1252(path)]),
        _listed(
            "ids unlike the number of their file",
            [_short(p) for p, s in studies.items() if s.id is not None and s.id != metadata_number(p)],
        ),
        _listed(
            "data files not separated by commas",
            [f"{_short(path)} ({table.separator!r})" for path, table in tables.items() if table.separator != ","],
        ),
        _listed("data files of another kind", [_short(path) for path in contents.other_data_files]),
        _listed(
            "described columns that are absent",
            [
                f"{_short(path)}: {file.name}: {column.name}"
                for path, study in studies.items()
                for file in study.data_files
                if (table := tables.get(path.parent / file.name)) is not None
                for column in file.columns
                if column.name not in table.columns
            ],
        ),
    ]


def _same_questions(goals: Sequence[AuditedGoal]) -> list[Fact]:
    groups = [group for group in group_by_question(goals, lambda goal: goal.goal.question) if len(group) > 1]
    conflicting = [group for group in groups if len({goal.gold for goal in group}) > 1]
    variants = [
        f"{hard.id} = {easy.id}"
        for group in groups
        for hard in group
        for easy in group
        if easy.path.parent.name == PROCESSED_FOLDERS.get(hard.path.parent.name)
    ]
    return [
        _listed("questions asked twice", [" = ".join(goal.id for goal in group) for group in groups]),
        _listed("of these, a hard and an easy variant", variants),
        _listed(
            "of these, with different gold hypotheses", [" = ".join(goal.id for goal in group) for group in conflicting]
        ),
    ]


def _targets(contents: _Contents) -> list[Fact]:
    targets = {
        goal.id: Target.of(goal.target_column, table, goal.goal.relevant_columns)
        for goal in contents.goals
        if goal.target_column is not None and len(goal.data_files) == 1
        if (table := contents.tables.get(goal.data_files[0])) is not None
    }
    return [
        Fact("goals with a known target column", len(targets)),
        _listed("target columns that are constant", [name for name, target in targets.items() if not target.solvable]),
        _listed(
            "target columns that are nearly constant", [n for n, target in targets.items() if target.near_constant]
        ),
        Fact("goals with known predictors", sum(t.predictors_present is not None for t in targets.values())),
        _listed("of these, with absent predictors", [n for n, t in targets.items() if t.predictors_present is False]),
    ]


def _without_gold(goals: Sequence[AuditedGoal]) -> list[str]:
    return [goal.id for goal in goals if not goal.gold]


def _leaks(goals: Sequence[AuditedGoal], text: Callable[[AuditedGoal], str]) -> list[str]:
    leaking = []
    for goal in goals:
        gold_words, text_words = _words(goal.gold), set(_words(text(goal)))
        if gold_words and sum(word in text_words for word in gold_words) / len(gold_words) >= LEAK:
            leaking.append(goal.id)
    return leaking


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _is_windows_1252(path: Path) -> bool:
    return decoded(path)[1] == "Windows-1252"


def _grouped(name: str, values: Iterable[str]) -> list[Fact]:
    return [Fact(f"{name}: {value}", count) for value, count in sorted(Counter(values).items())]


def _listed(name: str, items: Sequence[str]) -> Fact:
    return Fact(name, len(items), tuple(items))


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
