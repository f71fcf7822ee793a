"""Results: the samples of any mix of logs, each once for each judge, as typed rows and as a data frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from inspect_discoverybench.results.log_files import Paths
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.usable_log import UsableLog, read_usable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Results:
    """The samples of logs.

    Attributes:
        rows: One per sample, epoch and score, in the order in which the runs started.
        left_out: Why logs could not be used, by path.
    """

    rows: Sequence[Result]
    left_out: Mapping[str, str]

    @cached_property
    def samples(self) -> "pd.DataFrame":
        """The rows as a frame, with the columns of `SAMPLE_COLUMNS`."""
        import pandas as pd

        return pd.DataFrame([row.columns for row in self.rows])


def read_results(paths: Paths, workers: int = 1, any_task: bool = False) -> Results:
    """Read the results of logs.

    A sample that is in several logs, such as the copies that `inspect score` and `inspect eval-retry` make, is read
    once for each judge.

    Args:
        paths: A log or a folder that is searched for logs, or several. URLs such as `s3://…` also work.
        workers: Number of processes that read logs in parallel.
        any_task: Whether to read every numeric score of any Inspect evaluation, not only HMS of this package.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
    """
    logs, left_out = read_usable(paths, workers, any_task)
    return Results(current_results(logs), left_out)


def current_results(logs: Sequence[UsableLog]) -> list[Result]:
    """The valid attempt at each sample, with its latest score by each judge."""
    results: list[Result] = []
    for log in sorted(logs, key=lambda log: log.modified):
        results += log.results
    results.sort(key=lambda result: result.run.created)

    latest: dict[tuple[str | None, ...], Result] = {}
    for result in _valid_attempts(results):
        key = (result.sample.uuid, result.score.score, result.score.judge_record)
        # The log that was changed last has the latest score, unless it was not scored.
        if key not in latest or result.score.is_scored or not latest[key].score.is_scored:
            latest[key] = result
    return _without_unscored_copies(list(latest.values()))


def _valid_attempts(results: Sequence[Result]) -> list[Result]:
    """Keep one attempt at each sample of a run, with all its scores.

    `eval-retry` repeats the samples with an error under a new uuid, and where the file system has no locks, a shard
    that was started twice has two logs. Clocks of machines differ, so a retry may seem to be the earlier attempt.
    """
    valid: dict[tuple[str, str, int], Result] = {}
    for result in results:
        best = valid.setdefault(_attempted(result), result)
        if _validity(result) >= _validity(best):
            valid[_attempted(result)] = result
    return [result for result in results if result.sample.uuid == valid[_attempted(result)].sample.uuid]


def _attempted(result: Result) -> tuple[str, str, int]:
    """What is attempted: a sample of a run in one epoch."""
    return result.run.run, result.sample.id, result.sample.epoch


def _validity(result: Result) -> tuple[bool, bool, str]:
    """An attempt with a score is better than one without, and that than an error; then the one completed last."""
    has_ended = result.sample.error is None
    return result.score.is_scored, has_ended, result.sample.completed_at or ""


def _without_unscored_copies(results: Sequence[Result]) -> list[Result]:
    """Leave out results of logs that were not scored, next to their scored copies."""
    scored = {(result.sample.uuid, result.score.score) for result in results if result.score.is_scored}
    current = []
    for result in results:
        has_scored_copy = (result.sample.uuid, result.score.score) in scored
        if result.score.is_scored or result.score.judge_record or not has_scored_copy:
            current.append(result)
    return current
