"""What errors of a judge do to means, in closed form."""

import pytest

from inspect_discoverybench.judge_pairs.error_effect import Accuracy, judged_mean

NINETY = Accuracy(context=0.9, variables=0.9, relationship=0.9)
"""A solved task keeps 0.9 × (1 − 0.1/3) × (1 − 0.1/2) = 0.8265; a failed one gets 0.1 × 2/3 × 1/2 = 0.0333."""


def test_errors_lower_what_is_solved_and_raise_what_is_not() -> None:
    assert judged_mean(1, NINETY) == pytest.approx(0.8265)
    assert judged_mean(0, NINETY) == pytest.approx(0.1 / 3)
