"""Which attempt at a sample counts, and which of its scores."""

from typing import Any

import pytest

from inspect_discoverybench.results.attempts import current_results
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.sample_score import Outcome
from tests.typed_results import MISSING, result

NOON = "2026-01-01T12:00:00+00:00"
LATER = "2026-01-01T13:00:00+00:00"


def attempt(hms: float = MISSING, **columns: Any) -> Result:
    return result("a", hms, **columns)


def error(**columns: Any) -> Result:
    return attempt(outcome=Outcome.ERROR, judge_record=None, **columns)


def scores_of(*results: Result) -> list[float | None]:
    """HMS of the results that count; None if there is none. The logs were changed in this order."""
    return [row.score.values.get("hms") for row in current_results(results)]


@pytest.mark.parametrize("created", [LATER, NOON, "2025-12-31T00:00:00+00:00"])
def test_a_scored_retry_counts_whatever_the_clock_says(created: str) -> None:
    retry = attempt(1.0, created=created)
    assert scores_of(error(created=NOON), retry) == [1.0]


def test_a_scored_attempt_counts_if_a_later_one_failed() -> None:
    first = attempt(1.0, created=NOON)
    later_error = error(created=LATER)
    unscored = attempt(created=LATER)
    assert scores_of(first, later_error) == [1.0]
    assert scores_of(first, unscored) == [1.0]


def test_an_attempt_without_a_score_counts_before_an_error() -> None:
    unscored = attempt(created=NOON)
    later_error = error(created=LATER)
    [current] = current_results([unscored, later_error])
    assert current == unscored


def test_of_two_scored_attempts_the_one_completed_last_counts() -> None:
    first = attempt(0.0, created=LATER, completed_at=NOON)
    last = attempt(1.0, created=NOON, completed_at=LATER)
    assert scores_of(first, last) == [1.0]
    assert scores_of(last, first) == [1.0]


def test_epochs_and_runs_are_different_samples() -> None:
    first = attempt(1.0)
    second_epoch = attempt(0.0, epoch=2)
    other_run = attempt(0.5, run="other", log="b.eval")
    assert scores_of(first, second_epoch, other_run) == [1.0, 0.0, 0.5]


def test_each_judge_counts_once_with_its_latest_score() -> None:
    other = '{"judge": "provider/other"}'
    scored = attempt(0.0)
    scored_again = attempt(1.0)
    of_other = attempt(0.5, judge_record=other)
    failure_of_other = attempt(judge_record=other)
    scores = scores_of(scored, scored_again, of_other, failure_of_other)
    assert scores == [1.0, 0.5]


def test_a_log_that_was_not_scored_is_obsolete_beside_its_scored_copy() -> None:
    scored = attempt(1.0)
    not_scored = attempt(judge_record=None)
    assert scores_of(scored, not_scored) == [1.0]
    assert scores_of(not_scored) == [None]
