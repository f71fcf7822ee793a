"""Several epochs of each task: every number is worked out by hand."""

import math

import pytest

from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, contents, result, results, rows, sections

BEST_AND_WORST = ("epochs", "mean HMS × 100", "best HMS × 100", "worst HMS × 100")
PERFECT = ("epochs", "mean perfect × 100", "best perfect × 100", "worst perfect × 100")


def epochs(**scores: list[float]) -> list[list[ResultRow]]:
    return [[result(name, hms, epoch=epoch) for epoch, hms in enumerate(values, 1)] for name, values in scores.items()]


def test_the_best_and_the_worst_are_expected_over_all_subsets() -> None:
    section = sections(*epochs(a=[1.0, 0.0, 0.5], b=[0.0, 0.0, 0.0]))["epochs"]
    # Pairs of a: (1, 0), (1, 0.5) and (0, 0.5), with a mean best of 2.5 / 3 and a mean worst of 0.5 / 3. Those of b are
    # 0, so the means of both tasks are half as large.
    assert rows(section, *BEST_AND_WORST) == [
        pytest.approx((2, 25, 100 * 2.5 / 6, 100 * 0.5 / 6)),
        pytest.approx((3, 25, 50, 0)),
    ]
    # One epoch of a is perfect, and so is the best of two of its three pairs.
    assert rows(section, *PERFECT) == [
        pytest.approx((2, 50 / 3, 100 * 2 / 6, 0)),
        pytest.approx((3, 50 / 3, 50, 0)),
    ]


@pytest.mark.parametrize("score", ["HMS", "perfect"])
def test_the_intervals_cover_what_unscored_epochs_could_have_scored(score: str) -> None:
    unscored = epochs(a=[1.0, 0.0], b=[0.0, MISSING], c=[0.5, 0.5])
    lowest = epochs(a=[1.0, 0.0], b=[0.0, 0.0], c=[0.5, 0.5])
    highest = epochs(a=[1.0, 0.0], b=[0.0, 1.0], c=[0.5, 0.5])
    [(low, high)] = rows(sections(*unscored)["epochs"], f"best {score} low", f"best {score} high")
    assert rows(sections(*lowest)["epochs"], f"best {score} low") == [(low,)]
    assert rows(sections(*highest)["epochs"], f"best {score} high") == [(high,)]


def test_means_are_unknown_without_a_score_and_there_is_no_section_with_one_epoch() -> None:
    [(best,)] = rows(sections(*epochs(a=[MISSING, MISSING]))["epochs"], "best HMS × 100")
    assert math.isnan(best)
    assert "epochs" not in sections(results({"a": 1.0, "b": 0.0}))
    # A task that ran once says nothing about two epochs.
    assert "epochs" not in sections(*epochs(a=[1.0, 0.0], b=[1.0]))


def test_a_log_with_another_reducer_gets_a_notice() -> None:
    report = contents(results({"a": 1.0}, epochs_reducer="max", log="logs/max.eval"), results({"b": 1.0}))
    [notice] = notices(report.leaderboard, report.results)
    assert notice.startswith("The header of logs/max.eval names the reducer max, which has no effect on HMS")
