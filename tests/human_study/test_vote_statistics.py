"""Agreement of HMS with annotators. No number is ever NaN."""

import json
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.human_study.statistic import Statistic
from inspect_discoverybench.human_study.vote_statistics import measure_agreement
from inspect_discoverybench.human_study.votes import Ballot, Choice

NAMES: dict[str, Choice] = {"1": "1", "2": "2", "=": "equal"}

PAIRS = st.lists(st.from_regex("[12=]{0,4} [12=]", fullmatch=True), min_size=1, max_size=20)


def measured(pairs: list[str]) -> dict[str, Statistic]:
    """The statistics of pairs such as `112 1`: the votes of three annotators, and the choice of HMS."""
    ballots = []
    for number, pair in enumerate(pairs):
        votes, hms = pair.split(" ")
        by_name = {f"annotator {place}": NAMES[vote] for place, vote in enumerate(votes)}
        ballots.append(Ballot(by_name, NAMES[hms], cluster=f"pair {number}"))
    return {statistic.name: statistic for statistic in measure_agreement(ballots)}


def test_the_majority_is_compared_with_hms() -> None:
    statistics = measured(["112 1", "222 1", "12= 1", "1== =", " 1"])
    assert statistics["pairs"].number == 5
    assert statistics["pairs with votes"].number == 4
    assert statistics["pairs without a majority"].number == 1
    assert statistics["HMS agrees with the majority"].value == pytest.approx(2 / 3)
    assert statistics["HMS agrees with the majority"].paper == 0.95
    assert statistics["HMS agrees with the majority, ties excluded"].value == 0.5


@pytest.mark.filterwarnings("error::RuntimeWarning")
@settings(max_examples=25, deadline=None)
@example(["1 2"])
@example(["111 1", "111 1"])
@example([" 1"])
@given(PAIRS)
def test_any_votes_give_numbers_within_their_bounds(pairs: list[str]) -> None:
    for statistic in measured(pairs).values():
        assert json.dumps(asdict(statistic), allow_nan=False)
        if statistic.value is not None and statistic.low is not None and statistic.high is not None:
            assert -1 <= statistic.low <= statistic.value + 1e-12
            assert statistic.value - 1e-12 <= statistic.high <= 1
