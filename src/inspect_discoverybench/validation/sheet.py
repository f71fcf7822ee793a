"""The annotation sheet: pairs of predicted hypotheses from two logs, in blinded order (paper §4.3)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Annotated, Any, Protocol

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.scorer import Score
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.judge_record import differences
from inspect_discoverybench.validation.page import Card, page
from inspect_discoverybench.validation.spreadsheet import Row, read_rows, rows_by, to_csv
from inspect_discoverybench.validation.votes import HmsPair, gold_of

SHEET, PAGE, KEY = "sheet.csv", "vote.html", "key.csv"


class Run(Protocol):
    """A log of a run: the path, as the user wrote it, and the id of its task."""

    @property
    def path(self) -> str: ...  # noqa: D102

    @property
    def task_id(self) -> str: ...  # noqa: D102


class HmsValue(BaseModel):
    """The part of a score's value that is read here. The value of an unscored sample does not validate."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    hms: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True)
class Prediction:
    """A scored predicted hypothesis.

    Attributes:
        task_id: Id of the log's task.
        sample_id: Id of the sample.
        epoch: Epoch, starting at 1.
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis.
        hypothesis: The predicted hypothesis.
        hms: HMS, in [0, 1].
        record: Score metadata, which record how the hypothesis was judged.
    """

    task_id: str
    sample_id: str
    epoch: int
    goal: str
    gold_hypothesis: str
    hypothesis: str
    hms: float
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoredLog:
    """The scored predictions of a log.

    Attributes:
        path: Path of the log, as the user wrote it.
        task_id: Id of the log's task. It is part of the log's file name and does not change when the log is re-scored.
        task: Name of the task without its package.
        predictions: Scored predictions by sample id and epoch.
    """

    path: str
    task_id: str
    task: str
    predictions: Mapping[tuple[str, int], Prediction]

    @classmethod
    def read(cls, path: str, score: str) -> "ScoredLog":
        """Read an Inspect log.

        Args:
            path: Path of the log.
            score: Name of the score.

        Raises:
            DataMissing: The file does not exist.
            InvalidArgument: The file is not an Inspect log, or no sample has a score with this name.
        """
        log = read_log(path, score)
        samples = log.samples or []
        predictions = (_prediction(log.eval.task_id, sample, score) for sample in samples)
        by_sample = {(p.sample_id, p.epoch): p for p in predictions if p is not None}
        return cls(path, log.eval.task_id, log.eval.task.rpartition("/")[2], by_sample)

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """How each prediction was judged."""
        return [prediction.record for prediction in self.predictions.values()]


@dataclass(frozen=True)
class SheetPair:
    """Two predicted hypotheses for one sample, named and ordered as annotators see them."""

    name: str
    first: Prediction
    second: Prediction

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


def record_differences(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """List how the judging of any two scores differs, one line per difference; empty if all are comparable.

    Scores within one log can also differ, if some of its samples were re-scored.

    Args:
        records: Metadata of the scores.
    """
    lines = [line for record in records[1:] for line in differences(records[0], record)]
    return list(dict.fromkeys(lines))


def candidates(*logs: ScoredLog) -> list[tuple[Prediction, Prediction]]:
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


def draw(pairs: Sequence[tuple[Prediction, Prediction]], count: int, seed: int) -> list[SheetPair]:
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


def check_distinct_runs(logs: Sequence[Run]) -> None:
    """Check that no two logs are of the same run.

    Raises:
        InvalidArgument: Two logs are of the same run.
    """
    for a, b in combinations(logs, 2):
        if a.task_id == b.task_id:
            raise InvalidArgument(
                f"{a.path} and {b.path} are logs of the same run, {a.task_id}. Pass one log of each run."
            )


def read_log(path: str, score: str) -> EvalLog:
    """Read an Inspect log without messages and events.

    Args:
        path: Path of the log.
        score: Name of the score that it must contain.

    Raises:
        DataMissing: The file does not exist.
        InvalidArgument: The file is not an Inspect log, or no sample has a score with this name.
    """
    try:
        log = read_eval_log(path, exclude_fields={"messages", "events", "store"})
    except FileNotFoundError as error:
        raise DataMissing(f"The file '{path}' does not exist. Check the path of the log.") from error
    except (ValueError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidArgument(f"{path} is not a readable Inspect log: {reason}") from error
    scores = sorted({name for sample in log.samples or [] for name in sample.scores or {}})
    if score not in scores:
        raise InvalidArgument(
            f"{path}: no sample has the score '{score}'. Available scores: {', '.join(scores) or 'none'}."
        )
    return log


def hms_of(score: Score) -> float | None:
    """HMS of a score; None if the sample is unscored."""
    try:
        return HmsValue.model_validate(score.value).hms
    except ValidationError:
        return None


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


def _shared(a: ScoredLog, b: ScoredLog) -> list[tuple[Prediction, Prediction]]:
    """The predictions for the samples that are scored in both logs."""
    if a.task != b.task:
        raise InvalidArgument(
            f"{a.path} is a log of the task '{a.task}' and {b.path} of '{b.task}'. Pass logs of the same task."
        )
    return [(a.predictions[key], b.predictions[key]) for key in sorted(a.predictions.keys() & b.predictions.keys())]


def _join(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _prediction(task_id: str, sample: EvalSample, score_name: str) -> Prediction | None:
    """The sample's prediction; None if it is unscored, has no answer, or its task has no goals."""
    score = (sample.scores or {}).get(score_name)
    hms = None if score is None else hms_of(score)
    goal = sample.metadata.get("goal")
    if score is None or hms is None or not score.answer or not goal:
        return None
    target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    return Prediction(task_id, str(sample.id), sample.epoch, str(goal), target, score.answer, hms, score.metadata or {})
