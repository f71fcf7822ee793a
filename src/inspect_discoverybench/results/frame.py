"""Results: the samples of any mix of logs, each once for each judge, as typed rows and as a data frame."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.results.log_files import Paths
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.usable_log import ReadLog, read_usable

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


def current_results(logs: Sequence[ReadLog]) -> list[Result]:
    """The valid attempt at each sample, with its latest score by each judge."""
    results: list[Result] = []
    for log in sorted(logs, key=lambda log: log.modified):
        results += log.results
    results.sort(key=lambda result: result.run.created)

    # `eval-retry` repeats the samples with an error under a new uuid, and where the file system has no locks, a shard
    # that was started twice has two logs. Clocks of machines differ, so a retry may seem to be the earlier attempt.
    attempts = _best(results, _attempted, _validity)
    valid = {result.sample.uuid for result in attempts}
    # The log that was changed last has the latest score, unless it was not scored.
    latest = _best(results, _judged, _is_scored)
    # A log that was not scored may be next to its scored copy.
    scored = {_named(result) for result in latest if result.score.is_scored}

    current = []
    for result in latest:
        has_scored_copy = _named(result) in scored
        is_judged = result.score.is_scored or result.score.judge_record is not None
        if result.sample.uuid in valid and (is_judged or not has_scored_copy):
            current.append(result)
    return current


def _best(
    results: Sequence[Result], group: Callable[[Result], Hashable], rank: Callable[[Result], Any]
) -> list[Result]:
    """The result of each group with the highest rank; of equal ones the last."""
    best: dict[Hashable, Result] = {}
    for result in results:
        current = best.setdefault(group(result), result)
        if rank(result) >= rank(current):
            best[group(result)] = result
    return list(best.values())


def _attempted(result: Result) -> Hashable:
    """What is attempted: a sample of a run in one epoch."""
    return result.run.run, result.sample.id, result.sample.epoch


def _validity(result: Result) -> tuple[bool, bool, str]:
    """An attempt with a score is better than one without, and that than an error; then the one completed last."""
    has_ended = result.sample.error is None
    return result.score.is_scored, has_ended, result.sample.completed_at or ""


def _judged(result: Result) -> Hashable:
    """A sample with one of its scores by one judge."""
    return result.sample.uuid, result.score.score, result.score.judge_record


def _named(result: Result) -> Hashable:
    """A sample with the name of one of its scores."""
    return result.sample.uuid, result.score.score


def _is_scored(result: Result) -> bool:
    return result.score.is_scored
