"""What errors of a judge do to means, in closed form."""

import pytest

from inspect_discoverybench.judge_pairs.error_effect import Accuracy, judged_mean

NINETY = Accuracy(context=0.9, variables=0.9, relationship=0.9)
"""In one of ten cases, each verdict is wrong. A wrong one costs the context, 1/3 of F1 or 1/2 of the relationship. So a
solved task keeps 0.9 × (1 − 0.1/3) × (1 − 0.1/2) = 0.8265.

A failed task scores only if its context is wrongly judged to match. It has 2/3 and 1/2 for the other facets, so it gets
0.1 × 2/3 × 1/2 = 0.0333.
"""


def test_errors_lower_what_is_solved_and_raise_what_is_not() -> None:
    assert judged_mean(1, NINETY) == pytest.approx(0.8265)
    assert judged_mean(0, NINETY) == pytest.approx(0.1 / 3)
