"""Preference votes of annotators, and the scores that HMS gave the same pairs (paper §4.3)."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from math import isnan
from pathlib import Path

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import DataMissing, InvalidArgument, UnreadableTable

# Two products of the same facets may differ in their last digits.
SAME_HMS = 1e-9


class Choice(StrEnum):
    """Which of two predicted hypotheses is closer to the gold hypothesis."""

    FIRST = "1"
    SECOND = "2"
    EQUAL = "equal"

    @property
    def sign(self) -> int:
        """The signed preference: 1 for hypothesis 1, -1 for hypothesis 2, 0 for neither."""
        return {Choice.FIRST: 1, Choice.SECOND: -1, Choice.EQUAL: 0}[self]


_SPELLINGS = {choice.value: choice for choice in Choice} | dict.fromkeys(("=", "tie", "0"), Choice.EQUAL)


@dataclass(frozen=True)
class Row:
    """A row of a CSV file.

    Attributes:
        place: File and line, for messages.
        values: Its values by the names of the columns, both without outer white space.
    """

    place: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Vote:
    """What one annotator chose for one pair; `place` is the file and line it was read from."""

    pair: str
    annotator: str
    choice: Choice
    place: str


@dataclass(frozen=True)
class Scores:
    """HMS of the two hypotheses of a pair, each 0 to 1."""

    hms_1: float
    hms_2: float

    @property
    def preference(self) -> Choice:
        """The hypothesis with the higher HMS."""
        if abs(self.hms_1 - self.hms_2) <= SAME_HMS:
            return Choice.EQUAL
        return Choice.FIRST if self.hms_1 > self.hms_2 else Choice.SECOND


@dataclass(frozen=True)
class Ballot:
    """A pair with every vote on it.

    Attributes:
        pair: Its name.
        votes: Choices by annotator.
        hms: The choice of HMS.
    """

    pair: str
    votes: Mapping[str, Choice]
    hms: Choice


def read_votes(paths: Sequence[Path]) -> list[Vote]:
    """Votes of all files, which have the columns `pair`, `annotator` and `choice`.

    Names that differ in case or spaces only are one annotator.

    Raises:
        DataMissing: A file is not there.
        UnreadableTable: A file is no table, or a column is missing.
        InvalidArgument: A name is empty, a choice unknown, an annotator votes twice on a pair, or there are no votes.
    """
    first: dict[tuple[str, str], Vote] = {}
    names: dict[str, str] = {}
    for row in (row for path in paths for row in read_rows(path, ("pair", "annotator", "choice"))):
        name = " ".join(_filled(row, "annotator").split())
        vote = Vote(_filled(row, "pair"), names.setdefault(name.casefold(), name), _choice(row), row.place)
        earlier = first.setdefault((vote.pair, vote.annotator), vote)
        if earlier is not vote:
            raise InvalidArgument(
                f"{vote.place}: {vote.annotator} votes {vote.choice} on pair {vote.pair}, but voted {earlier.choice} "
                f"on it before ({earlier.place}); keep one of the two rows."
            )
    if not first:
        raise InvalidArgument(f"{', '.join(map(str, paths))}: no votes; expected a row for each pair and annotator.")
    return list(first.values())


def read_scores(path: Path) -> dict[str, Scores]:
    """HMS by pair, from a file with the columns `pair`, `hms_1` and `hms_2` such as `key.csv`.

    Raises:
        DataMissing: The file is not there.
        UnreadableTable: It is no table, or a column is missing.
        InvalidArgument: A value is not a number from 0 to 1, or a pair has two rows.
    """
    rows = by_pair(read_rows(path, ("pair", "hms_1", "hms_2")))
    return {pair: Scores(_hms(row, "hms_1"), _hms(row, "hms_2")) for pair, row in rows.items()}


def ballots(votes: Iterable[Vote], scores: Mapping[str, Scores], source: Path) -> list[Ballot]:
    """Bring votes and scores together, in the order of the pairs' names; pairs without votes are left out.

    Args:
        votes: At most one for each pair and annotator.
        scores: HMS by pair.
        source: The file that names the pairs, for the message.

    Raises:
        InvalidArgument: A pair has votes and no scores.
    """
    choices: dict[str, dict[str, Choice]] = {}
    for vote in votes:
        if vote.pair not in scores:
            raise InvalidArgument(
                f"{vote.place}: pair={vote.pair} has no scores in {source}; expected the key.csv that was written with "
                "the sheet voted on."
            )
        choices.setdefault(vote.pair, {})[vote.annotator] = vote.choice
    return [Ballot(pair, choices[pair], scores[pair].preference) for pair in sorted(choices)]


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """Rows of a CSV file that has these columns, in any order and among others; empty rows are left out.

    Raises:
        DataMissing: The file is not there.
        UnreadableTable: It is no table, a column is missing, or a row has another number of values than the first.
    """
    if not path.is_file():
        raise DataMissing(f"{path}: there is no such file.")
    text = read_text(path)
    first = text.partition("\n")[0]
    # Spreadsheets write semicolons where the comma is the decimal sign.
    reader = csv.reader(StringIO(text, newline=""), delimiter=max(",\t;", key=first.count), strict=True)
    try:
        names = [name.strip() for name in next(reader, ())]
        if missing := [column for column in columns if column not in names]:
            raise UnreadableTable(
                f"{path}: line 1: no column {', '.join(missing)}; expected the columns {', '.join(columns)}."
            )
        for values in reader:
            place = f"{path}: line {reader.line_num}"
            if not any(values):
                continue
            if len(values) != len(names):
                raise UnreadableTable(f"{place} has {len(values)} values, but there are {len(names)} columns.")
            yield Row(place, dict(zip(names, map(str.strip, values), strict=True)))
    except csv.Error as error:
        raise UnreadableTable(f"{path}: line {reader.line_num}: {error}; expected a CSV file.") from error


def by_pair(rows: Iterable[Row]) -> dict[str, Row]:
    """Rows by their column `pair`.

    Raises:
        InvalidArgument: A pair has no name, or two rows.
    """
    by_name: dict[str, Row] = {}
    for row in rows:
        pair = _filled(row, "pair")
        if pair in by_name:
            raise InvalidArgument(
                f"{row.place}: pair={pair} has a row before ({by_name[pair].place}); keep one of them."
            )
        by_name[pair] = row
    return by_name


def _choice(row: Row) -> Choice:
    choice = _SPELLINGS.get(row.values["choice"].casefold())
    if choice is None:
        raise InvalidArgument(f"{row.place}: choice={row.values['choice']} is not possible; expected 1, 2 or equal.")
    return choice


def _hms(row: Row, column: str) -> float:
    text = row.values[column]
    try:
        hms = float(text)
    except ValueError:
        hms = float("nan")
    if isnan(hms) or not 0 <= hms <= 1:
        raise InvalidArgument(f"{row.place}: {column}={text} is not possible; expected a number from 0 to 1.")
    return hms


def _filled(row: Row, column: str) -> str:
    if not row.values[column]:
        raise InvalidArgument(f"{row.place}: {column} is empty; every row needs one.")
    return row.values[column]
