"""What errors of a judge do to means, in closed form."""

import pytest

from inspect_discoverybench.judge_audit.error_effect import Accuracy, Direction, judged_mean

NINETY = Accuracy(context=0.9, variables=0.9, relationship=0.9)

SOLVED = 0.9 * (1 - 0.1 / 3) * (1 - 0.1 / 2)
"""Mean verdict on a solved task: each facet is the next lower one in a tenth of the verdicts."""


def test_a_judge_without_errors_changes_nothing() -> None:
    perfect = Accuracy(1, 1, 1)
    assert judged_mean(0.2, perfect) == pytest.approx(0.2)
    assert judged_mean(0.25, perfect) - judged_mean(0.2, perfect) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("direction", "mean"),
    [
        ("any", 0.2 * SOLVED + 0.8 * 0.1 / 3),
        ("strict", 0.2 * SOLVED),
        ("lenient", 0.2 + 0.8 * 0.1 * (2 / 3 + 0.1 / 3) * (1 / 2 + 0.1 / 2)),
    ],
)
def test_errors_lower_what_is_solved_and_raise_what_is_not(direction: Direction, mean: float) -> None:
    assert judged_mean(0.2, NINETY, direction) == pytest.approx(mean)


def test_differences_shrink() -> None:
    difference = judged_mean(0.25, NINETY) - judged_mean(0.2, NINETY)
    assert 0.03 < difference < 0.05
