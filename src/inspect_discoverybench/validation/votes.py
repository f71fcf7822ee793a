"""Annotators' preference votes, and the HMS of the pairs they voted on (paper §4.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isnan
from pathlib import Path

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.validation.spreadsheet import Row, read_rows, rows_by

HMS_TOLERANCE = 1e-9
"""Two HMS values that differ by no more than this are a tie: products of equal facets can differ by rounding."""


class Choice(StrEnum):
    """Which of two predicted hypotheses is closer to the gold hypothesis."""

    FIRST = "1"
    SECOND = "2"
    EQUAL = "equal"

    @property
    def sign(self) -> int:
        """The preference as a number: 1 for hypothesis 1, -1 for hypothesis 2, 0 for a tie."""
        return {Choice.FIRST: 1, Choice.SECOND: -1, Choice.EQUAL: 0}[self]


_SPELLINGS = {choice.value: choice for choice in Choice} | dict.fromkeys(("=", "tie", "0"), Choice.EQUAL)


@dataclass(frozen=True)
class Vote:
    """One annotator's choice for one pair; `location` is the file and line of the vote."""

    pair: str
    annotator: str
    choice: Choice
    location: str


@dataclass(frozen=True)
class HmsPair:
    """HMS of the two hypotheses of a pair, each in [0, 1].

    Attributes:
        hms_1: HMS of hypothesis 1.
        hms_2: HMS of hypothesis 2.
        gold: Digest of the gold hypothesis; empty if the key does not have it.
    """

    hms_1: float
    hms_2: float
    gold: str = ""

    @property
    def preference(self) -> Choice:
        """The hypothesis with the higher HMS."""
        if abs(self.hms_1 - self.hms_2) <= HMS_TOLERANCE:
            return Choice.EQUAL
        return Choice.FIRST if self.hms_1 > self.hms_2 else Choice.SECOND


@dataclass(frozen=True)
class Ballot:
    """All votes on one pair.

    Attributes:
        pair: Name of the pair.
        votes: Choices by annotator.
        hms: The preference of HMS.
        gold: Digest of the gold hypothesis; empty if it is not known.
    """

    pair: str
    votes: Mapping[str, Choice]
    hms: Choice
    gold: str = ""

    @property
    def cluster(self) -> str:
        """The gold hypothesis, on which the pairs of a cluster depend. A pair without one is its own cluster."""
        return f"gold {self.gold}" if self.gold else f"pair {self.pair}"


def read_votes(paths: Sequence[Path]) -> list[Vote]:
    """Read votes from CSV files with the columns `pair`, `annotator` and `choice`.

    Annotator names that differ only in case or whitespace are the same annotator.

    Raises:
        DataMissing: A file does not exist.
        UnreadableTable: A file is not a CSV file, or lacks a column.
        InvalidArgument: A name is empty, a choice is invalid, an annotator voted twice on a pair, or no votes exist.
    """
    votes: dict[tuple[str, str], Vote] = {}
    names: dict[str, str] = {}
    for row in (row for path in paths for row in read_rows(path, ("pair", "annotator", "choice"))):
        name = " ".join(row.nonempty("annotator").split())
        vote = Vote(row.nonempty("pair"), names.setdefault(name.casefold(), name), _choice(row), row.location)
        earlier = votes.setdefault((vote.pair, vote.annotator), vote)
        if earlier is not vote:
            raise InvalidArgument(
                f"{vote.location}: {vote.annotator} already voted {earlier.choice} on pair {vote.pair} "
                f"({earlier.location}). Remove one of the two rows."
            )
    if not votes:
        raise InvalidArgument(f"{', '.join(map(str, paths))}: no votes. Expected one row per pair and annotator.")
    return list(votes.values())


def read_scores(path: Path) -> dict[str, HmsPair]:
    """Read HMS by pair from a CSV file with the columns `pair`, `hms_1` and `hms_2`, such as `key.csv`.

    The column `gold` is optional. Keys of earlier versions do not have it.

    Raises:
        DataMissing: The file does not exist.
        UnreadableTable: The file is not a CSV file, or lacks a column.
        InvalidArgument: A value is not a number in [0, 1], or a pair has two rows.
    """
    rows = rows_by("pair", read_rows(path, ("pair", "hms_1", "hms_2")))
    return {pair: HmsPair(_hms(row, "hms_1"), _hms(row, "hms_2"), gold_of(row)) for pair, row in rows.items()}


def gold_of(row: Row) -> str:
    """The digest of the gold hypothesis in a row of `key.csv`; empty if the key does not have it."""
    return row.values.get("gold", "")


def ballots(votes: Iterable[Vote], scores: Mapping[str, HmsPair], source: Path) -> list[Ballot]:
    """Join votes and scores by pair, ordered by pair name. Pairs without votes are left out.

    Args:
        votes: At most one per pair and annotator.
        scores: HMS by pair.
        source: The file that lists the pairs, for the error message.

    Raises:
        InvalidArgument: A pair has votes but no scores.
    """
    choices: dict[str, dict[str, Choice]] = {}
    for vote in votes:
        if vote.pair not in scores:
            raise InvalidArgument(
                f"{vote.location}: pair {vote.pair} has no scores in {source}. Pass the key.csv that was written with "
                "this sheet."
            )
        choices.setdefault(vote.pair, {})[vote.annotator] = vote.choice
    return [Ballot(pair, choices[pair], scores[pair].preference, scores[pair].gold) for pair in sorted(choices)]


def _choice(row: Row) -> Choice:
    choice = _SPELLINGS.get(row.values["choice"].casefold())
    if choice is None:
        raise InvalidArgument(f"{row.location}: choice must be 1, 2 or equal, got '{row.values['choice']}'.")
    return choice


def _hms(row: Row, column: str) -> float:
    text = row.values[column]
    try:
        hms = float(text)
    except ValueError:
        hms = float("nan")
    if isnan(hms) or not 0 <= hms <= 1:
        raise InvalidArgument(f"{row.location}: {column} must be a number between 0 and 1, got '{text}'.")
    return hms
