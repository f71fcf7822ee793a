"""The annotation sheet: pairs of predicted hypotheses from two logs, in blinded order (paper §4.3)."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from io import StringIO
from pathlib import Path
from random import Random
from string import Template
from typing import Annotated, Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.scorer import Score
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.scorer.record import differences
from inspect_discoverybench.validation.votes import Row, Scores, by_pair, read_rows

SHEET, PAGE, KEY = "sheet.csv", "vote.html", "key.csv"


class HmsValue(BaseModel):
    """What is read of a score's value; an unscored sample has none."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    hms: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


@dataclass(frozen=True)
class Prediction:
    """A predicted hypothesis that was scored.

    Attributes:
        log: Id of its log.
        sample_id: The sample it answers.
        epoch: From 1.
        goal: The discovery goal.
        gold_hypothesis: What it was compared with.
        hypothesis: The predicted hypothesis.
        hms: 0 to 1.
        record: How it was judged.
    """

    log: str
    sample_id: str
    epoch: int
    goal: str
    gold_hypothesis: str
    hypothesis: str
    hms: float
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoredLog:
    """A log, as far as it matters here.

    Attributes:
        name: How the user named it.
        log: Its id, which is part of the file name and stays the same when the log is scored again.
        task: Name of the task without its package.
        predictions: Those that were scored, by sample id and epoch.
    """

    name: str
    log: str
    task: str
    predictions: Mapping[tuple[str, int], Prediction]

    @classmethod
    def read(cls, name: str, score: str) -> "ScoredLog":
        """Read a log of Inspect.

        Args:
            name: Its path.
            score: Name of the score in it.

        Raises:
            DataMissing: There is no such file.
            InvalidArgument: It is no log, or has no score of this name.
        """
        log = _read(name)
        samples = log.samples or []
        scores = sorted({score_name for sample in samples for score_name in sample.scores or {}})
        if score not in scores:
            raise InvalidArgument(f"{name}: no sample has the score {score}; possible are: {', '.join(scores) or '–'}.")
        predictions = (_prediction(log.eval.task_id, sample, score) for sample in samples)
        by_sample = {(one.sample_id, one.epoch): one for one in predictions if one is not None}
        return cls(name, log.eval.task_id, log.eval.task.rpartition("/")[2], by_sample)


@dataclass(frozen=True)
class SheetPair:
    """Two predicted hypotheses of one sample under the name and in the order that annotators see."""

    name: str
    first: Prediction
    second: Prediction

    @property
    def shown(self) -> dict[str, str]:
        """What annotators may know of it."""
        return {
            "pair": self.name,
            "goal": self.first.goal,
            "gold_hypothesis": self.first.gold_hypothesis,
            "hypothesis_1": self.first.hypothesis,
            "hypothesis_2": self.second.hypothesis,
        }

    @property
    def hidden(self) -> dict[str, str]:
        """Where its hypotheses come from, and their scores."""
        return {
            "pair": self.name,
            "sample_id": self.first.sample_id,
            "epoch": str(self.first.epoch),
            "log_1": self.first.log,
            "log_2": self.second.log,
            "hms_1": str(self.first.hms),
            "hms_2": str(self.second.hms),
        }


def record_differences(a: ScoredLog, b: ScoredLog) -> list[str]:
    """What the records of two runs differ in, a line for each; empty if all of their scores are comparable.

    Scores of one run may differ too, after some of its samples were scored again.
    """
    records = [prediction.record for run in (a, b) for prediction in run.predictions.values()]
    lines = [line for record in records[1:] for line in differences(records[0], record)]
    return list(dict.fromkeys(lines))


def candidates(a: ScoredLog, b: ScoredLog) -> list[tuple[Prediction, Prediction]]:
    """Samples that both runs answered differently and that were scored in both, by sample id and epoch.

    Raises:
        InvalidArgument: The runs are of different tasks or the same run, or there is no such sample.
    """
    if a.task != b.task:
        raise InvalidArgument(f"{a.name} is of the task {a.task}, {b.name} of {b.task}; expected two of one task.")
    _two_runs(a, b)
    both = [(a.predictions[key], b.predictions[key]) for key in sorted(a.predictions.keys() & b.predictions.keys())]
    different = [(one, other) for one, other in both if one.hypothesis.split() != other.hypothesis.split()]
    if not different:
        raise InvalidArgument(
            f"{a.name} and {b.name} make no pair: {len(a.predictions)} and {len(b.predictions)} samples have a scored "
            f"answer, {len(both)} of them in both; expected one at least with different answers."
        )
    return different


def draw(pairs: Sequence[tuple[Prediction, Prediction]], count: int, seed: int) -> list[SheetPair]:
    """Choose pairs, their order and which hypothesis is 1, at random; all of them where there are no more."""
    random = Random(seed)
    chosen = random.sample(pairs, min(count, len(pairs)))
    shuffled = [random.sample(pair, 2) for pair in chosen]
    return [SheetPair(f"p{number:03}", first, second) for number, (first, second) in enumerate(shuffled, 1)]


def write(pairs: Sequence[SheetPair], folder: Path, force: bool = False) -> None:
    """Write `sheet.csv` and `vote.html` for annotators, and `key.csv`, which they must not see.

    Raises:
        InvalidArgument: One of them is there already and `force` is not given.
    """
    contents = {
        SHEET: _csv([pair.shown for pair in pairs]),
        PAGE: page(pairs),
        KEY: _csv([pair.hidden for pair in pairs]),
    }
    there = [name for name in contents if (folder / name).exists()]
    if there and not force:
        raise InvalidArgument(
            f"{folder} holds {', '.join(there)} already; --out names another folder, --force replaces them."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        (folder / name).write_text(text, "utf-8", newline="")


def page(pairs: Sequence[SheetPair]) -> str:
    """The page that people vote on: one HTML file that loads nothing else."""
    shown = json.dumps([pair.shown for pair in pairs])
    # Within a script element, nothing but "<" can end it or begin a comment.
    embedded = shown.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    template = files(__package__).joinpath("page.html").read_text("utf-8")
    return Template(template).substitute(pairs=embedded, sheet=sha256(shown.encode()).hexdigest()[:12])


def scores_anew(key: Path, a: ScoredLog, b: ScoredLog) -> dict[str, Scores]:
    """HMS by pair, read from two logs; `key.csv` tells which of them is 1.

    Raises:
        DataMissing: There is no such key.
        UnreadableTable: It lacks a column.
        InvalidArgument: It names another log, or a sample that has no HMS in its log.
    """
    _two_runs(a, b)
    runs = {run.log: run for run in (a, b)}
    rows = by_pair(read_rows(key, ("pair", "sample_id", "epoch", "log_1", "log_2")))
    return {pair: Scores(_anew(row, "log_1", runs), _anew(row, "log_2", runs)) for pair, row in rows.items()}


def _anew(row: Row, column: str, runs: Mapping[str, ScoredLog]) -> float:
    values = row.values
    run = runs.get(values[column])
    if run is None:
        given = ", ".join(f"{run.name} ({run.log})" for run in runs.values())
        raise InvalidArgument(f"{row.place}: {column}={values[column]} is none of the given logs: {given}.")
    if not values["epoch"].isdecimal():
        raise InvalidArgument(f"{row.place}: epoch={values['epoch']} is not possible; expected a number from 1 on.")
    prediction = run.predictions.get((values["sample_id"], int(values["epoch"])))
    if prediction is None:
        raise InvalidArgument(
            f"{row.place}: sample {values['sample_id']}, epoch {values['epoch']}, has no HMS in {run.name}; score the "
            "log again, or remove the pair here and its votes."
        )
    return prediction.hms


def _two_runs(a: ScoredLog, b: ScoredLog) -> None:
    if a.log == b.log:
        raise InvalidArgument(f"{a.name} and {b.name} are of the same run, {a.log}; expected logs of two.")


def _read(name: str) -> EvalLog:
    try:
        return read_eval_log(name)
    except FileNotFoundError as error:
        raise DataMissing(f"{name}: there is no such file.") from error
    except (ValueError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidArgument(f"{name}: {reason}; expected a log of Inspect.") from error


def _prediction(log: str, sample: EvalSample, score: str) -> Prediction | None:
    """None if the sample is unscored, has no answer or is of a task without goals."""
    judgement = (sample.scores or {}).get(score)
    hms = None if judgement is None else _hms(judgement)
    goal = sample.metadata.get("goal")
    if judgement is None or hms is None or not judgement.answer or not goal:
        return None
    target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    return Prediction(
        log, str(sample.id), sample.epoch, str(goal), target, judgement.answer, hms, judgement.metadata or {}
    )


def _hms(score: Score) -> float | None:
    try:
        return HmsValue.model_validate(score.value).hms
    except ValidationError:
        return None


def _csv(rows: Iterable[Mapping[str, str]]) -> str:
    rows = list(rows)
    text = StringIO(newline="")
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
