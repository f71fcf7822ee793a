"""Which attempt at a sample counts, and which of its scores."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from inspect_discoverybench.results.attempts import current_results
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from tests.typed_results import MISSING, result

EARLIER = "2026-01-01T11:00:00+00:00"
NOON = "2026-01-01T12:00:00+00:00"
LATER = "2026-01-01T13:00:00+00:00"


def attempt(hms: float = MISSING, **columns: Any) -> ResultRow:
    return result("a", hms, **columns)


def error(**columns: Any) -> ResultRow:
    return attempt(outcome=SampleOutcome.ERROR, judge_record=None, **columns)


def ids_and_hms(results: Sequence[ResultRow]) -> set[tuple[str, float]]:
    """The id and HMS of each result, of which there is one for each sample."""
    found = {(row.sample.id, row.score.value("hms")) for row in results}
    assert len(found) == len(results)
    return found


@pytest.mark.parametrize("created", [EARLIER, NOON, LATER])
def test_a_scored_retry_counts_whatever_the_clock_says(created: str) -> None:
    failed = error(created=NOON)
    retry = attempt(1.0, created=created)
    assert current_results([failed, retry]) == [retry]


def test_a_scored_attempt_counts_before_an_unscored_one_and_that_before_an_error() -> None:
    scored = attempt(1.0, created=EARLIER)
    unscored = attempt(created=NOON)
    later_error = error(created=LATER)
    assert current_results([scored, unscored]) == [scored]
    assert current_results([scored, later_error]) == [scored]
    assert current_results([unscored, later_error]) == [unscored]


def test_of_two_scored_attempts_the_one_completed_last_counts() -> None:
    first = attempt(0.0, created=LATER, completed_at=NOON)
    last = attempt(1.0, created=NOON, completed_at=LATER)
    assert current_results([first, last]) == [last]
    assert current_results([last, first]) == [last]
    # An attempt whose time is not recorded counts as the earliest.
    without_time = attempt(0.5)
    assert current_results([last, without_time]) == [last]


def test_a_scored_attempt_between_errors_counts_in_any_order_of_the_logs() -> None:
    before = error(created=EARLIER)
    scored = attempt(1.0, created=NOON)
    after = error(created=LATER)
    for results in permutations([before, scored, after]):
        assert current_results(results) == [scored]


def test_of_attempts_completed_at_the_same_time_the_one_in_the_log_changed_last_counts() -> None:
    first = attempt(0.0, created=LATER, completed_at=NOON)
    last = attempt(1.0, created=EARLIER, completed_at=NOON)
    # Results are passed in the order in which their logs were changed. The attempts started in the opposite order.
    assert current_results([first, last]) == [last]


def test_epochs_and_runs_are_different_samples_in_the_order_in_which_the_runs_started() -> None:
    later_run = attempt(0.5, run="other", task_id="other", created=LATER)
    first = attempt(1.0)
    second_epoch = attempt(0.0, epoch=2)
    results = [later_run, first, second_epoch]
    assert current_results(results) == [first, second_epoch, later_run]


def test_a_retry_by_inspect_is_an_attempt_at_the_samples_of_its_eval_set() -> None:
    # `a` is in the first shard of an eval set, and `b` in the second one.
    failed_a = error(run="set/task", task_id="first shard")
    first_b = result("b", 1.0, run="set/task", task_id="second shard", completed_at=EARLIER)
    # `eval-retry` of the first shard runs the samples of all shards. Its log keeps the task id, but not the id of the
    # eval set, so its run has another id.
    retried_a = attempt(1.0, run="first shard", task_id="first shard", completed_at=LATER)
    retried_b = result("b", 0.5, run="first shard", task_id="first shard", completed_at=LATER)
    for results in permutations([failed_a, first_b, retried_a, retried_b]):
        assert ids_and_hms(current_results(results)) == {("a", 1.0), ("b", 0.5)}


def test_each_judge_counts_once_with_its_latest_score() -> None:
    other = '{"judge": "provider/other"}'
    scored = attempt(0.0)
    scored_again = attempt(1.0)
    of_other = attempt(0.5, judge_record=other)
    failure_of_other = attempt(judge_record=other)
    results = [scored, scored_again, of_other, failure_of_other]
    assert current_results(results) == [scored_again, of_other]


def test_a_log_that_was_not_scored_is_obsolete_beside_its_scored_copy() -> None:
    scored = attempt(1.0)
    without_verdict = attempt()  # the judge was asked, but gave no valid reply
    not_scored = attempt(judge_record=None)
    assert current_results([scored, not_scored]) == [scored]
    assert current_results([not_scored, without_verdict]) == [without_verdict]
    assert current_results([without_verdict, not_scored]) == [without_verdict]


def test_an_edited_score_is_not_dropped_for_that_of_a_judge_without_a_verdict() -> None:
    """The edit has replaced the metadata of the score, so the score has no judge record."""
    without_verdict = attempt()
    edited = attempt(0.5, judge_record=None)
    assert current_results([without_verdict, edited]) == [without_verdict, edited]
    assert current_results([edited, without_verdict]) == [edited, without_verdict]
