"""Everything countable about a split, recomputed from its files.

What cannot be used is a finding and no end: an audit is also the check before publishing a study of one's own.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from inspect_discoverybench.dataset.metadata import AnswerKey, Goal, Study, decoded, metadata_number
from inspect_discoverybench.dataset.splits import REAL, SYNTH
from inspect_discoverybench.dataset.studies import metadata_files
from inspect_discoverybench.dataset.table import Table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.errors import DataError, DataMissing, InvalidMetadata

LEAK = 0.8
"""A text that holds this share of the words of the gold hypothesis gives it away."""

_WITHOUT_GOLD = "goals without a gold hypothesis"
_UNUSABLE = "files that cannot be used"

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
    """

    name: str
    facts: tuple[Fact, ...]

    @property
    def problems(self) -> list[str]:
        """What keeps these studies from being run; empty if nothing does."""
        return [
            f"{item}: no gold hypothesis" if fact.name == _WITHOUT_GOLD else item
            for fact in self.facts
            if fact.name in (_WITHOUT_GOLD, _UNUSABLE)
            for item in fact.items
        ]


def audit_release(root: Path) -> list[Audit]:
    """Audit every split of the released data.

    Raises:
        DataMissing: A split is not there.
    """
    return [
        _audit(
            f"{split.kind}/{split.name}",
            metadata_files(root / split.folder),
            root / split.answer_key if split.answer_key else None,
            split.name if split.kind == "synth" else None,
        )
        for split in (*REAL.values(), *SYNTH.values())
    ]


def audit_studies(path: Path, answer_key: Path | None = None) -> Audit:
    """Audit studies of one's own.

    Raises:
        DataMissing: There is no metadata file at this path.
    """
    if not path.exists():
        raise DataMissing(f"{path}: there is no such file or folder.")
    return _audit(path.name, metadata_files(path) if path.is_dir() else [path], answer_key, None)


@dataclass(frozen=True)
class _Asked:
    """One goal, and where it stands."""

    path: Path
    study: Study
    goal: Goal
    gold: str
    target_column: str | None

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}/{metadata_number(self.path)}/{self.goal.query_id}"


@dataclass
class _Contents:
    """What was read, and why the rest was not."""

    studies: dict[Path, Study] = field(default_factory=dict)
    goals: list[_Asked] = field(default_factory=list)
    tables: dict[Path, Table] = field(default_factory=dict)
    other_files: list[Path] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)

    def attempt(self, read: Callable[[Path], T], path: Path) -> T | None:
        try:
            return read(path)
        except DataError as error:
            self.unusable.append(error.message)
            return None


def _audit(name: str, paths: Sequence[Path], answer_key: Path | None, synth_split: str | None) -> Audit:
    contents = _read(paths, answer_key, synth_split)
    goals, studies = contents.goals, contents.studies
    encoded = [*studies, *([answer_key] if answer_key else [])]
    facts = [
        Fact("study folders", len({path.parent for path in paths})),
        Fact("metadata files", len(paths)),
        Fact("goals", len(goals)),
        _listed(_WITHOUT_GOLD, [asked.id for asked in goals if not asked.gold]),
        Fact("distinct gold hypotheses", len({asked.gold for asked in goals if asked.gold})),
        Fact("goals with several data files", sum(len(asked.study.data_files) > 1 for asked in goals)),
        Fact("most data files of one goal", max((len(asked.study.data_files) for asked in goals), default=0)),
        _listed("domains", [f"{name}: {n}" for name, n in sorted(Counter(a.study.domain for a in goals).items())]),
        *_grouped("question type", (asked.goal.question_type for asked in goals)),
        *_grouped("difficulty", (str(asked.goal.difficulty) for asked in goals if asked.goal.difficulty is not None)),
        Fact("studies with a public workflow", sum(bool(study.workflow) for study in studies.values())),
        _listed("studies without domain knowledge", [_short(p) for p, s in studies.items() if not s.domain_knowledge]),
        _listed("Windows-1252 files", [_short(path) for path in encoded if decoded(path)[1] == "Windows-1252"]),
        _listed(
            "ids unlike the number of their file",
            [_short(p) for p, s in studies.items() if s.id is not None and s.id != metadata_number(p)],
        ),
        Fact("data files", len(contents.tables) + len(contents.other_files)),
        _listed(
            "data files not separated by commas",
            [
                f"{_short(path)} ({table.separator!r})"
                for path, table in contents.tables.items()
                if table.separator != ","
            ],
        ),
        _listed("data files of another kind", [_short(path) for path in contents.other_files]),
        _listed("described columns that are absent", _absent(contents)),
        *_duplicates(goals),
        *_targets(contents),
        _listed("questions that hold the gold hypothesis", _leaks(goals, lambda asked: asked.goal.question)),
        _listed("hints that hold the gold hypothesis", _leaks(goals, lambda asked: asked.study.domain_knowledge)),
        _listed(_UNUSABLE, contents.unusable),
    ]
    return Audit(name, tuple(facts))


def _read(paths: Sequence[Path], answer_key: Path | None, synth_split: str | None) -> _Contents:
    contents = _Contents()
    key = contents.attempt(AnswerKey, answer_key) if answer_key else None
    for path in paths:
        study = contents.attempt(Study.read, path)
        if study is None:
            continue
        contents.studies[path] = study
        contents.goals += [
            _Asked(path, study, goal, _gold(key, path, goal), _target_column(synth_split, path, goal))
            for goal in study.goals
        ]
    for file in sorted(
        {path.parent / file.name for path, study in contents.studies.items() for file in study.data_files}
    ):
        if file.suffix in (".csv", ".tsv"):
            table = contents.attempt(Table.read, file)
            if table is not None:
                contents.tables[file] = table
        elif file.is_file():
            contents.other_files.append(file)
        else:
            contents.unusable.append(f"{file}: there is no such file.")
    return contents


def _gold(key: AnswerKey | None, path: Path, goal: Goal) -> str:
    try:
        return key.gold(path.parent.name, metadata_number(path), goal.query_id) if key else goal.true_hypothesis
    except InvalidMetadata:
        return ""


def _target_column(synth_split: str | None, path: Path, goal: Goal) -> str | None:
    """The name of the target; of the released table, nothing but names is used."""
    if synth_split is None:
        return goal.target_column
    target = synth_targets().get((synth_split, path.parent.name, metadata_number(path), goal.query_id))
    return target.column if target else None


def _absent(contents: _Contents) -> list[str]:
    return [
        f"{_short(path)}: {file.name}: {column.name}"
        for path, study in contents.studies.items()
        for file in study.data_files
        if (table := contents.tables.get(path.parent / file.name)) is not None
        for column in file.columns
        if column.name not in table.columns
    ]


def _duplicates(goals: Sequence[_Asked]) -> list[Fact]:
    same: dict[str, list[_Asked]] = defaultdict(list)
    for asked in goals:
        same[" ".join(asked.goal.question.casefold().split())].append(asked)
    groups = [group for group in same.values() if len(group) > 1]
    conflicts = [group for group in groups if len({asked.gold for asked in group}) > 1]
    return [
        _listed(name, [" = ".join(asked.id for asked in group) for group in found])
        for name, found in (("questions asked twice", groups), ("of these, with different gold hypotheses", conflicts))
    ]


def _targets(contents: _Contents) -> list[Fact]:
    found = {
        asked.id: Target.of(asked.target_column, table.rows)
        for asked in contents.goals
        if asked.target_column is not None and len(asked.study.data_files) == 1
        if (table := contents.tables.get(asked.path.parent / asked.study.data_files[0].name)) is not None
    }
    return [
        Fact("goals with a known target column", len(found)),
        _listed("target columns that are constant", [name for name, target in found.items() if not target.solvable]),
        _listed("target columns that are nearly constant", [n for n, target in found.items() if target.near_constant]),
    ]


def _leaks(goals: Sequence[_Asked], text: Callable[[_Asked], str]) -> list[str]:
    leaking = []
    for asked in goals:
        gold, held = _words(asked.gold), set(_words(text(asked)))
        if gold and sum(word in held for word in gold) / len(gold) >= LEAK:
            leaking.append(asked.id)
    return leaking


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _grouped(name: str, values: Iterable[str]) -> list[Fact]:
    return [Fact(f"{name}: {value}", count) for value, count in sorted(Counter(values).items())]


def _listed(name: str, items: Sequence[str]) -> Fact:
    return Fact(name, len(items), tuple(items))


def _short(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
