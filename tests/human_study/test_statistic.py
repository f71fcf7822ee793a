"""Fleiss' kappa and shares, compared with a published example and values computed by hand."""

from collections import Counter

import pytest

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
    result = kappa("", table, clusters=range(30))
    assert result.value == pytest.approx(0.430, abs=0.0005)
    # The article has no such interval. The lower end is only checked to be plausible.
    assert result.low is not None
    assert 0.15 < result.low < 0.43


def test_items_may_have_different_numbers_of_votes_and_those_with_one_are_left_out() -> None:
    """Agreement is (1 + 1 + 0) / 3. Each choice has a share of 1/2, so the agreement by chance is 1/2² + 1/2² = 1/2."""
    table = [[3, 0], [0, 2], [1, 1], [1, 0]]
    result = kappa("", table, clusters="abcd")
    assert result.number == 3
    assert result.note == "annotators agree in 66.7%"
    assert result.value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ([1, 0], "not defined: nothing has votes from two annotators"),
        ([2, 0], "not defined: all votes are the same choice"),
    ],
)
def test_kappa_that_is_not_defined_says_why(row: list[int], note: str) -> None:
    result = kappa("", [row, row], clusters="ab")
    assert result.value is None
    assert result.note == note


def test_values_of_a_single_gold_have_no_interval() -> None:
    result = share("", [1.0, 0.0], clusters="aa")
    assert result.value == 0.5
    assert result.low is None
