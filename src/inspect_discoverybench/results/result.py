"""A result: a sample in one epoch, with one of its scores."""

from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog

from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.results.sample_score import KEYS, SampleScore, ScoreRecord
from inspect_discoverybench.submission.submission import SCORE_NAME


@dataclass(frozen=True)
class Result:
    """A sample in one epoch, with one of its scores."""

    run: RunRecord
    sample: SampleRecord
    score: ScoreRecord

    @property
    def attempted(self) -> tuple[str, str, int]:
        """What is attempted: a sample of a run in one epoch. `eval-retry` makes further attempts."""
        return self.run.run, self.sample.id, self.sample.epoch

    @property
    def validity(self) -> tuple[bool, bool, str]:
        """An attempt with a score is better than one without, and that than an error; then the one completed last."""
        return self.score.is_scored, self.sample.error is None, self.sample.completed_at or ""

    @property
    def columns(self) -> dict[str, Any]:
        """Values by column; columns as in `SAMPLE_COLUMNS`."""
        columns = vars(self.run) | vars(self.sample) | vars(self.score)
        del columns["values"]
        return columns | {key: self.score.value(key) for key in KEYS}


def results_of(log: EvalLog, any_task: bool) -> list[Result]:
    """A result for each sample and score of a log.

    Args:
        log: The log.
        any_task: Whether to read every numeric score of any task. Otherwise only those of this package: `HMS`, and
            `HMS1`, … for further judges.

    Raises:
        UnreadableLog: The samples or scores are not of this package, and `any_task` is false.
    """
    samples = log.samples or []
    names = {name for sample in samples for name in sample.scores or {}}
    if not any_task:
        names = {name for name in names if name.rstrip("0123456789") == SCORE_NAME} or {SCORE_NAME}

    run = RunRecord.of(log)
    results = []
    for sample in samples:
        record = SampleRecord.of(sample)
        for name in sorted(names):
            if not any_task:
                SampleScore.of(sample, name).check()
            results.append(Result(run, record, ScoreRecord.of(sample, name)))

    if any_task:
        numeric = {result.score.score for result in results if result.score.values}
        results = [result for result in results if result.score.score in numeric]
    return results
