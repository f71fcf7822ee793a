"""Agreement of HMS with annotators who voted, and of annotators with each other (paper §4.3)."""

from collections.abc import Sequence

from inspect_discoverybench.human_study.sheet import majority
from inspect_discoverybench.human_study.statistic import Statistic, kappa, share
from inspect_discoverybench.human_study.votes import CHOICES, Ballot, Choice

PAPER_AGREEMENT = 0.95
PAPER_KAPPA = 0.91
"""Of 100 pairs and three annotators."""


def measure_agreement(ballots: Sequence[Ballot]) -> list[Statistic]:
    """Compute all statistics of votes. Pairs without a majority are used for kappa only."""
    voted = [ballot for ballot in ballots if ballot.votes]
    majorities = [majority(ballot.votes.values()) for ballot in voted]
    without_ties = []
    for choice, ballot in zip(majorities, voted, strict=True):
        is_tie = "equal" in (choice, ballot.hms)
        without_ties.append(None if is_tie else choice)
    return [
        Statistic("pairs", len(ballots)),
        Statistic("pairs with votes", len(voted)),
        Statistic("pairs without a majority", majorities.count(None)),
        _agreement("the majority", voted, majorities, PAPER_AGREEMENT),
        _agreement("the majority, ties excluded", voted, without_ties),
        _kappa(voted),
    ]


def _agreement(
    name: str,
    ballots: Sequence[Ballot],
    choices: Sequence[Choice | None],
    paper: float | None = None,
) -> Statistic:
    """How often choices are those of HMS. Pairs without a choice are left out."""
    agrees = []
    clusters = []
    for ballot, choice in zip(ballots, choices, strict=True):
        if choice is not None:
            agrees.append(choice == ballot.hms)
            clusters.append(ballot.cluster)
    return share(f"HMS agrees with {name}", agrees, clusters, paper)


def _kappa(voted: Sequence[Ballot]) -> Statistic:
    table = []
    clusters = []
    for ballot in voted:
        choices = list(ballot.votes.values())
        table.append([choices.count(choice) for choice in CHOICES])
        clusters.append(ballot.cluster)
    return kappa("Fleiss' kappa", table, clusters, PAPER_KAPPA)
