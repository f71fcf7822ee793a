"""Which attempt at a sample counts, and which of its scores."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from inspect_discoverybench.results.frame import current_results
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.results.usable_log import ReadLog
from tests.typed_results import MISSING, result

NOON, LATER = "2026-01-01T12:00:00+00:00", "2026-01-01T13:00:00+00:00"


def attempt(hms: float = MISSING, **columns: Any) -> Result:
    return result("a", hms, **columns)


def error(**columns: Any) -> Result:
    return attempt(outcome="error", error="The provider did not answer", judge_record=None, **columns)


def scores_of(*logs: Sequence[Result]) -> list[float]:
    """HMS of the results that count; logs were changed in this order."""
    usable = [ReadLog("x.eval", "log", modified, rows) for modified, rows in enumerate(logs)]
    return [row.score.value("hms") for row in current_results(usable)]


def is_close(values: Iterable[float], expected: Sequence[float]) -> bool:
    return list(values) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("created", [LATER, NOON, "2025-12-31T00:00:00+00:00"])
def test_a_scored_retry_counts_whatever_the_clock_says(created: str) -> None:
    assert is_close(scores_of([error(created=NOON)], [attempt(1.0, created=created)]), [1.0])


def test_a_scored_attempt_counts_if_a_later_one_failed() -> None:
    assert is_close(scores_of([attempt(1.0, created=NOON)], [error(created=LATER)]), [1.0])
    assert is_close(scores_of([attempt(1.0, created=NOON)], [attempt(created=LATER)]), [1.0])


def test_an_attempt_without_a_score_counts_before_an_error() -> None:
    [row] = current_results([ReadLog("x", "log", 0.0, [attempt(created=NOON), error(created=LATER)])])
    assert row.sample.error is None


def test_of_two_scored_attempts_the_one_completed_last_counts() -> None:
    first = attempt(0.0, created=LATER, completed_at=NOON)
    last = attempt(1.0, created=NOON, completed_at=LATER)
    assert is_close(scores_of([first], [last]), [1.0])
    assert is_close(scores_of([last], [first]), [1.0])


def test_epochs_and_runs_are_different_samples() -> None:
    rows = [attempt(1.0), attempt(0.0, epoch=2), attempt(0.5, run="other", log="b.eval")]
    assert sorted(scores_of(rows)) == [0.0, 0.5, 1.0]


def test_each_judge_counts_once_with_its_latest_score() -> None:
    other = '{"judge": "provider/other"}'
    logs = ([attempt(0.0)], [attempt(1.0)], [attempt(0.5, judge_record=other)], [attempt(judge_record=other)])
    assert sorted(scores_of(*logs)) == [0.5, 1.0]


def test_a_log_that_was_not_scored_is_obsolete_beside_its_scored_copy() -> None:
    assert is_close(scores_of([attempt(1.0)], [attempt(judge_record=None)]), [1.0])
    assert is_close(scores_of([attempt(judge_record=None)]), [MISSING])
