"""Agreement of HMS with annotators."""

from inspect_discoverybench.human_study.statistic import Statistic
from inspect_discoverybench.human_study.vote_statistics import measure_agreement
from inspect_discoverybench.human_study.votes import Ballot, Choice
from tests.fields import assert_fields

CHOICES: dict[str, Choice] = {"1": "1", "2": "2", "=": "equal"}


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
    statistics = measured(
        "1 112",  # HMS agrees
        "1 222",  # HMS disagrees
        "1 12=",  # no majority
        "= 1==",  # HMS agrees, and the majority is a tie
        "1 ",  # no votes
    )
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
    assert_fields(statistics["Fleiss' kappa"], number=4, paper=0.91)
