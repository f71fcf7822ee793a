"""Scored logs: the predictions and HMS of one run, as studies of human agreement read them from logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Annotated, Any, Protocol

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.scorer import Score
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.judge_record import differences


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
class ScoredPrediction:
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
    predictions: Mapping[tuple[str, int], ScoredPrediction]

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


def record_differences(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """List how the judging of any two scores differs, one line per difference; empty if all are comparable.

    Scores within one log can also differ, if some of its samples were re-scored.

    Args:
        records: Metadata of the scores.
    """
    lines = [line for record in records[1:] for line in differences(records[0], record)]
    return list(dict.fromkeys(lines))


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


def _prediction(task_id: str, sample: EvalSample, score_name: str) -> ScoredPrediction | None:
    """The sample's prediction; None if it is unscored, has no answer, or its task has no goals."""
    score = (sample.scores or {}).get(score_name)
    hms = None if score is None else hms_of(score)
    goal = sample.metadata.get("goal")
    if score is None or hms is None or not score.answer or not goal:
        return None
    target = sample.target if isinstance(sample.target, str) else "\n".join(sample.target)
    return ScoredPrediction(
        task_id, str(sample.id), sample.epoch, str(goal), target, score.answer, hms, score.metadata or {}
    )
