"""Agreement of HMS with annotators who voted, and of annotators with each other (paper §4.3)."""

from collections.abc import Sequence

from inspect_discoverybench.human_study.sheet import majority
from inspect_discoverybench.human_study.statistic import Statistic, kappa, share
from inspect_discoverybench.human_study.votes import CHOICES, Ballot, Choice

PAPER_AGREEMENT = 0.95
PAPER_KAPPA = 0.91
"""Of 100 pairs and three annotators."""


def measure_agreement(ballots: Sequence[Ballot]) -> list[Statistic]:
    """Compute all statistics of votes. Pairs without a majority are used for kappa and annotators only."""
    table = []
    names: set[str] = set()
    decided: list[tuple[Choice, Ballot]] = []
    for ballot in ballots:
        choices = list(ballot.votes.values())
        table.append([choices.count(choice) for choice in CHOICES])
        names |= ballot.votes.keys()
        choice = majority(choices)
        if choice is not None:
            decided.append((choice, ballot))
    voted = sum(bool(ballot.votes) for ballot in ballots)
    without_ties = [(choice, ballot) for choice, ballot in decided if "equal" not in (choice, ballot.hms)]

    statistics = [
        Statistic("pairs", len(ballots)),
        Statistic("pairs with votes", voted),
        Statistic("pairs without a majority", voted - len(decided)),
        _agreement("the majority", decided, PAPER_AGREEMENT),
        _agreement("the majority, ties excluded", without_ties),
    ]
    for name in sorted(names):
        own = [(ballot.votes[name], ballot) for ballot in ballots if name in ballot.votes]
        statistics.append(_agreement(name, own))
    clusters = [ballot.cluster for ballot in ballots]
    return [*statistics, kappa("Fleiss' kappa", table, clusters, PAPER_KAPPA)]


def _agreement(name: str, choices: Sequence[tuple[Choice, Ballot]], paper: float | None = None) -> Statistic:
    agrees = [choice == ballot.hms for choice, ballot in choices]
    clusters = [ballot.cluster for _, ballot in choices]
    return share(f"HMS agrees with {name}", agrees, clusters, paper)
