"""Attempts: which of several results of a sample counts."""

from collections.abc import Hashable, Iterable, Sequence

from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome


def current_results(results: Sequence[ResultRow]) -> list[ResultRow]:
    """The valid attempt at each sample, with its latest score by each judge.

    Args:
        results: The results of all logs, in the order in which the logs were last changed.
    """
    valid = _valid_attempts(results)
    latest = _latest_scores(results)
    current = []
    for result in results:
        is_latest = latest.get(_score_key(result)) is result
        if is_latest and result.sample.uuid in valid:
            current.append(result)
    # The sort is stable: the results of a log keep their order.
    return sorted(current, key=lambda result: result.run.created)


def _valid_attempts(results: Sequence[ResultRow]) -> set[str]:
    """The uuid of the valid attempt at each sample in each epoch of a run.

    A sample can have several attempts, each with its own uuid: `eval-retry` repeats samples with an error, and a shard
    that was started twice has two logs if the file system has no locks. The latest attempt is not always the valid one,
    because clocks of machines differ, and a retry may seem to be the earlier attempt. So `_validity` compares how the
    attempts ended. It compares when they ended only if they ended in the same way.
    """
    runs = _runs_by_task_id(results)
    attempts = {}
    for result in sorted(results, key=_validity):  # a better attempt replaces the one before it
        attempted = (runs[result.run.task_id], result.sample.id, result.sample.epoch)
        attempts[attempted] = result.sample.uuid
    return set(attempts.values())


def _runs_by_task_id(results: Iterable[ResultRow]) -> dict[str, str]:
    """The run of each of Inspect's task ids.

    The shards of a task have different task ids. They are one run because they share the id of their eval set. A log of
    `eval-retry` keeps the task id, but not the id of the eval set. So if any log with a task id is of an eval set, the
    others are of the same run.
    """
    runs: dict[str, str] = {}
    for result in results:
        task_id = result.run.task_id
        if result.run.is_of_eval_set or task_id not in runs:
            runs[task_id] = result.run.run
    return runs


def _latest_scores(results: Sequence[ResultRow]) -> dict[Hashable, ResultRow]:
    """The latest result for each score of each attempt.

    It is in the log that was changed last. A result without a verdict counts only if no log has one with a verdict.
    """
    latest: dict[Hashable, ResultRow] = {}
    # Each result replaces the one before it, so those with a verdict come last. Among equals, the sort keeps the order
    # of the logs.
    for result in sorted(results, key=_progress):
        latest[_score_key(result)] = result
        if result.score.judge_record is not None:
            # This result also replaces that of a copy of its log that was not scored. The copy has no judge record, so
            # its result has another key.
            key_in_unscored_copy = (result.sample.uuid, result.score.score, None)
            latest.pop(key_in_unscored_copy, None)
    return latest


def _progress(result: ResultRow) -> tuple[bool, bool]:
    """A key that sorts results into those that were not scored, those without a verdict, and those with one.

    An attempt that somebody has marked as invalid counts as one with a verdict.
    """
    has_verdict = result.score.is_scored or result.score.outcome is SampleOutcome.INVALIDATED
    was_judged = has_verdict or result.score.judge_record is not None
    return has_verdict, was_judged


def _validity(result: ResultRow) -> tuple[bool, bool, str]:
    """A key that sorts attempts from the worst to the best.

    An attempt with a score is the best. An attempt without a score is better than one that is invalidated or ended with
    an error. Among equals, the one that was completed last is the best.
    """
    is_valid = result.score.outcome not in (SampleOutcome.ERROR, SampleOutcome.INVALIDATED)
    return result.score.is_scored, is_valid, result.sample.completed_at or ""


def _score_key(result: ResultRow) -> Hashable:
    """What identifies a score: the attempt, the name of the score, and how it was judged."""
    return result.sample.uuid, result.score.score, result.score.judge_record
