"""The annotation sheet: pairs of predicted hypotheses from two logs, in blinded order (paper §4.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from random import Random

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.validation.page import Card, page
from inspect_discoverybench.validation.scored_log import ScoredLog, ScoredPrediction, check_distinct_runs
from inspect_discoverybench.validation.spreadsheet import Row, read_rows, rows_by, to_csv
from inspect_discoverybench.validation.votes import HmsPair, gold_of

SHEET, PAGE, KEY = "sheet.csv", "vote.html", "key.csv"


@dataclass(frozen=True)
class SheetPair:
    """Two predicted hypotheses for one sample, named and ordered as annotators see them."""

    name: str
    first: ScoredPrediction
    second: ScoredPrediction

    @property
    def sheet_row(self) -> dict[str, str]:
        """The row of `sheet.csv`, for annotators."""
        return {
            "pair": self.name,
            "goal": self.first.goal,
            "gold_hypothesis": self.first.gold_hypothesis,
            "hypothesis_1": self.first.hypothesis,
            "hypothesis_2": self.second.hypothesis,
        }

    @property
    def key_row(self) -> dict[str, str]:
        """The row of `key.csv`: the sample, the logs and the scores, which annotators must not see."""
        return {
            "pair": self.name,
            "sample_id": self.first.sample_id,
            "epoch": str(self.first.epoch),
            "log_1": self.first.task_id,
            "log_2": self.second.task_id,
            "gold": gold_digest(self.first.gold_hypothesis),
            "hms_1": str(self.first.hms),
            "hms_2": str(self.second.hms),
        }


def gold_digest(gold_hypothesis: str) -> str:
    """The name of a gold hypothesis in `key.csv`, which must not contain the answers of the test split."""
    return sha256(gold_hypothesis.encode()).hexdigest()[:12]


def candidates(*logs: ScoredLog) -> list[tuple[ScoredPrediction, ScoredPrediction]]:
    """List the pairs of different hypotheses for one sample and epoch in two of the logs.

    They are ordered by the position of the logs, then by sample id and epoch.

    Args:
        logs: At least two logs.

    Raises:
        InvalidArgument: Two logs are of different tasks or of the same run, or no sample qualifies.
    """
    check_distinct_runs(logs)
    shared = [pair for a, b in combinations(logs, 2) for pair in _shared(a, b)]
    different = [(p, q) for p, q in shared if p.hypothesis.split() != q.hypothesis.split()]
    if not different:
        counts = [str(len(log.predictions)) for log in logs]
        raise InvalidArgument(
            f"No pairs can be drawn from {_join(log.path for log in logs)}: they have {_join(counts)} scored "
            f"hypotheses, {len(shared)} samples are scored in both logs of a pair, and none of these has two different "
            "hypotheses."
        )
    return different


def draw(pairs: Sequence[tuple[ScoredPrediction, ScoredPrediction]], count: int, seed: int) -> list[SheetPair]:
    """Draw pairs, their order and their sides at random. All pairs are drawn if there are fewer than `count`."""
    random = Random(seed)
    drawn = random.sample(pairs, min(count, len(pairs)))
    shuffled = [random.sample(pair, 2) for pair in drawn]
    return [SheetPair(f"p{number:03}", first, second) for number, (first, second) in enumerate(shuffled, 1)]


def write(pairs: Sequence[SheetPair], folder: Path, force: bool = False) -> None:
    """Write `sheet.csv` and `vote.html` for annotators, and `key.csv`, which they must not see.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    sheet_rows = [pair.sheet_row for pair in pairs]
    contents = {
        SHEET: to_csv(sheet_rows),
        PAGE: page(Card.VOTE, sheet_rows),
        KEY: to_csv([pair.key_row for pair in pairs]),
    }
    write_files(contents, folder, force)


def write_files(contents: Mapping[str, str], folder: Path, force: bool) -> None:
    """Write files into a folder, which is created if it does not exist.

    Args:
        contents: Text by file name.
        folder: The folder.
        force: Overwrite existing files.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    existing = [name for name in contents if (folder / name).exists()]
    if existing and not force:
        raise InvalidArgument(
            f"{folder} already contains {', '.join(existing)}. "
            "Choose another folder with --out, or overwrite with --force."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        (folder / name).write_text(text, "utf-8", newline="")


def read_scores_from_logs(key: Path, *logs: ScoredLog) -> dict[str, HmsPair]:
    """Read HMS by pair from logs, in any order. `key.csv` maps each pair to its sample and logs.

    Raises:
        DataMissing: The key does not exist.
        UnreadableTable: The key lacks a column.
        InvalidArgument: The key refers to another log, or to a sample without HMS in its log.
    """
    check_distinct_runs(logs)
    by_id = {log.task_id: log for log in logs}
    rows = rows_by("pair", read_rows(key, ("pair", "sample_id", "epoch", "log_1", "log_2")))
    return {
        pair: HmsPair(_logged_hms(row, "log_1", by_id), _logged_hms(row, "log_2", by_id), gold_of(row))
        for pair, row in rows.items()
    }


def _logged_hms(row: Row, column: str, logs: Mapping[str, ScoredLog]) -> float:
    values = row.values
    log = logs.get(values[column])
    if log is None:
        available = ", ".join(f"{log.path} ({log.task_id})" for log in logs.values())
        raise InvalidArgument(
            f"{row.location}: {column} is {values[column]}, which is none of the logs passed: {available}."
        )
    if not values["epoch"].isdecimal():
        raise InvalidArgument(f"{row.location}: epoch must be a positive integer, got '{values['epoch']}'.")
    prediction = log.predictions.get((values["sample_id"], int(values["epoch"])))
    if prediction is None:
        raise InvalidArgument(
            f"{row.location}: sample {values['sample_id']}, epoch {values['epoch']}, has no HMS in {log.path}. "
            "Re-score the log, or remove this pair from the key and from the votes."
        )
    return prediction.hms


def _shared(a: ScoredLog, b: ScoredLog) -> list[tuple[ScoredPrediction, ScoredPrediction]]:
    """The predictions for the samples that are scored in both logs."""
    if a.task != b.task:
        raise InvalidArgument(
            f"{a.path} is a log of the task '{a.task}' and {b.path} of '{b.task}'. Pass logs of the same task."
        )
    return [(a.predictions[key], b.predictions[key]) for key in sorted(a.predictions.keys() & b.predictions.keys())]


def _join(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
