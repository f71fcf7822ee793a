"""Which columns a goal is about: matched by words, before anything is fitted."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_discoverybench.offline.task_text import DataFile, TaskText
from inspect_discoverybench.offline.words import content_stems, stems

_TARGET_AFTER = re.compile(
    r"\b(?:affects?|influences?|impacts?|determines?|predicts?|explains?|drives?|shapes?|raises?|lowers?|"
    r"increases?|reduces?|improves?|helps?|matters? for|(?:effect|influence|impact)s?\b.*?\bon|relates? to|"
    r"contributes? to|leads? to)\b",
    re.IGNORECASE,
)
_TARGET_BEFORE = re.compile(
    r"\b(?:depends? (?:up)?on|(?:vary|varies|changed?s?|differs?|differed) "
    r"(?:with|by|between|across|over|from|among)|"
    r"(?:affected|influenced|determined|predicted|explained|driven|shaped) by)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"(?:^|[^a-z])(?:id|uuid)(?:$|[^a-z])|^(?:index|code)$", re.IGNORECASE)
_MATCHED = 0.6
_MOST_PREDICTORS = 4
_MOST_USABLE = 40


@dataclass(frozen=True)
class Table:
    """A table that the session has loaded.

    Attributes:
        file: Its name in the session.
        rows: Number of rows.
        kinds: Kind of each column: number, binary, group, year, text or constant.
    """

    file: str
    rows: int
    kinds: Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """What to fit.

    Attributes:
        file: Table to use.
        target: Column to explain.
        predictors: Columns named by the goal.
        usable: Columns that may be looked at besides, when the goal names too few.
    """

    file: str
    target: str
    predictors: tuple[str, ...]
    usable: tuple[str, ...]


@dataclass(frozen=True)
class _Match:
    column: str
    kind: str
    score: float
    hits: frozenset[str]
    position: int


def described_tables(task: TaskText) -> list[Table]:
    """The tables as the task describes them, for plans made before anything is loaded."""
    return [Table(file.name, 0, dict.fromkeys(file.columns, "number")) for file in task.files if file.columns]


def make_plan(task: TaskText, tables: Sequence[Table]) -> Plan | None:
    """Choose table, target and predictors; None when no table has two columns that vary."""
    ranked: list[tuple[float, Table, list[_Match]]] = []
    for table in tables:
        matches = _match(task, table)
        if len(matches) >= 2:
            best = sum(sorted((match.score for match in matches), reverse=True)[:3])
            ranked.append((best, table, matches))
    if not ranked:
        return None
    _, table, matches = max(ranked, key=lambda entry: entry[0])
    named = _named(matches)
    target = _target(task.goal, sorted(named, key=lambda match: match.position))
    chosen = [match.column for match in named if match.column != target]
    usable = [match.column for match in matches if match.kind != "text"]
    return Plan(table.file, target, tuple(chosen), tuple(usable[:_MOST_USABLE]))


def _match(task: TaskText, table: Table) -> list[_Match]:
    """Every column that varies, with how well it fits the goal's words (0 to 3) and where they stand."""
    goal = stems(task.goal)
    wanted = set(content_stems(task.goal))
    names = {name: set(content_stems(name)) for name in table.kinds}
    abouts = {name: set(content_stems(_description(task.files, name))) for name in table.kinds}
    common = Counter(word for name in table.kinds for word in names[name] | abouts[name])
    matches = []
    for name, kind in table.kinds.items():
        if kind == "constant" or _IDENTIFIER.search(name):
            continue
        hits = (names[name] | abouts[name]) & wanted
        score = 2 * _share(names[name], wanted, common) + _share(abouts[name], wanted, common)
        telling = sorted(hits, key=lambda word: (common[word], word))[:1]
        matches.append(_Match(name, kind, score, frozenset(hits), goal.index(telling[0]) if telling else len(goal)))
    return matches


def _named(matches: Sequence[_Match]) -> list[_Match]:
    """The columns that the goal names, the best match first; at least one.

    A column that only repeats words which better ones have claimed is passed over: "loaf volume" names
    `loaf_volume`, not also `loaf_number`.
    """
    named: list[_Match] = []
    claimed: set[str] = set()
    for match in sorted(matches, key=lambda match: -match.score):
        if match.score >= _MATCHED and not match.hits <= claimed and len(named) <= _MOST_PREDICTORS:
            named.append(match)
            claimed |= match.hits
    return named or [max(matches, key=lambda match: (match.score, match.kind == "number"))]


def _share(words: set[str], wanted: set[str], common: Mapping[str, int]) -> float:
    """Share of the words that the goal has, each weighed down by how many columns it stands for."""
    whole = sum(1 / common[word] for word in words)
    return sum(1 / common[word] for word in words & wanted) / whole if whole else 0.0


def _description(files: Sequence[DataFile], column: str) -> str:
    return next((about for file in files if (about := file.describe(column))), "")


def _target(goal: str, named: Sequence[_Match]) -> str:
    """The column to explain: told by the goal's verb, else the last number that it names."""
    before, after = _TARGET_BEFORE.search(goal), _TARGET_AFTER.search(goal)
    if before:
        border = len(stems(goal[: before.start()]))
        fitting = [match for match in named if match.position < border]
    elif after:
        border = len(stems(goal[: after.end()]))
        fitting = [match for match in named if match.position >= border]
    else:
        fitting = [match for match in named if match.kind == "number"][-1:]
    return max(fitting or named[-1:], key=lambda match: match.score).column
