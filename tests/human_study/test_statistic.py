"""Fleiss' kappa and shares, compared with a published example and values computed by hand."""

from collections import Counter

import pytest
from statsmodels.stats.inter_rater import fleiss_kappa

from inspect_discoverybench.human_study.statistic import kappa, share

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""


def test_kappa_of_a_published_example() -> None:
    counts = [Counter(patient) for patient in DIAGNOSES.split()]
    table = [[count[diagnosis] for diagnosis in "12345"] for count in counts]
    result = kappa("", table, range(30))
    assert result.value == pytest.approx(0.430, abs=0.0005)
    assert result.value == pytest.approx(fleiss_kappa(table))
    assert result.low is not None
    assert 0.15 < result.low < 0.43


def test_items_may_have_different_numbers_of_votes_and_those_with_one_are_left_out() -> None:
    """Agreement (1 + 1 + 0) / 3; chance (5/8)² + (3/8)²."""
    result = kappa("", [[3, 0], [0, 2], [1, 1], [1, 0]], "abcd")
    chance = (4 / 7) ** 2 + (3 / 7) ** 2
    assert result.number == 3
    assert result.value == pytest.approx((2 / 3 - chance) / (1 - chance))
    assert result.note == "annotators agree in 66.7%"


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ([[1, 0], [0, 1]], "not defined: nothing has votes from two annotators"),
        ([[2, 0], [3, 0]], "not defined: all votes are the same choice"),
    ],
)
def test_kappa_that_is_not_defined_says_why(table: list[list[int]], note: str) -> None:
    result = kappa("", table, "ab")
    assert result.value is None
    assert result.note == note


def test_items_of_one_gold_widen_the_interval() -> None:
    """The choice agrees on all items of 9 golds and on none of the tenth's."""
    values = [1.0] * 45 + [0.0] * 5
    apart = share("", values, range(50))
    together = share("", values, [item // 5 for item in range(50)])
    assert apart.value == together.value == 0.9
    assert together.low is not None
    assert apart.low is not None
    assert together.low < apart.low - 0.05


def test_values_of_a_single_gold_have_no_interval() -> None:
    result = share("", [1.0, 0.0], "aa")
    assert result.value == 0.5
    assert result.low is None
