"""Agreement of HMS with annotators. No number is ever NaN."""

import json
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.human_study.statistic import Statistic
from inspect_discoverybench.human_study.vote_statistics import measure_agreement
from inspect_discoverybench.human_study.votes import Ballot, Choice
from tests.fields import assert_fields

CHOICES: dict[str, Choice] = {"1": "1", "2": "2", "=": "equal"}

PAIRS = st.lists(st.from_regex("[12=] [12=]{0,4}", fullmatch=True), min_size=1, max_size=20)


def measured(*pairs: str) -> dict[str, Statistic]:
    """The statistics of pairs such as `1 112`: the choice of HMS, and the votes of three annotators."""
    ballots = []
    for number, pair in enumerate(pairs):
        votes = {}
        for place, letter in enumerate(pair[2:]):
            votes[f"annotator {place}"] = CHOICES[letter]
        ballots.append(Ballot(votes, CHOICES[pair[0]], cluster=f"pair {number}"))
    return {statistic.name: statistic for statistic in measure_agreement(ballots)}


def test_the_majority_is_compared_with_hms() -> None:
    statistics = measured("1 112", "1 222", "1 12=", "= 1==", "1 ")
    assert statistics["pairs"].number == 5
    assert statistics["pairs with votes"].number == 4
    assert statistics["pairs without a majority"].number == 1
    assert_fields(
        statistics["HMS agrees with the majority"],
        number=3,
        value=2 / 3,
        paper=0.95,
    )
    assert_fields(
        statistics["HMS agrees with the majority, ties excluded"],
        number=2,
        value=0.5,
    )


@pytest.mark.filterwarnings("error::RuntimeWarning")
@settings(max_examples=25, deadline=None)
@example(["1 2"])
@example(["1 111", "1 111"])
@example(["1 "])
@given(PAIRS)
def test_any_votes_give_numbers_within_their_bounds(pairs: list[str]) -> None:
    for statistic in measured(*pairs).values():
        assert json.dumps(asdict(statistic), allow_nan=False)
        value, low, high = statistic.value, statistic.low, statistic.high
        if value is not None and low is not None and high is not None:
            assert -1 <= low <= value + 1e-12
            assert value - 1e-12 <= high <= 1
