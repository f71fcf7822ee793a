"""Agreement of HMS with annotators who voted, and of annotators with each other (paper §4.3)."""

from collections.abc import Sequence

from inspect_discoverybench.human_study.statistic import Statistic, kappa, share
from inspect_discoverybench.human_study.votes import CHOICES, Ballot

PAPER_AGREEMENT = 0.95
PAPER_KAPPA = 0.91
"""The paper's agreement and kappa are of 100 pairs and three annotators."""


def measure_agreement(ballots: Sequence[Ballot]) -> list[Statistic]:
    """Compute all statistics of votes. Pairs without a majority are used for kappa only."""
    voted = [ballot for ballot in ballots if ballot.votes]
    decided = [ballot for ballot in voted if ballot.majority]
    without_ties = [ballot for ballot in decided if "equal" not in (ballot.majority, ballot.hms)]
    return [
        Statistic("pairs", len(ballots)),
        Statistic("pairs with votes", len(voted)),
        Statistic("pairs without a majority", len(voted) - len(decided)),
        _agreement("HMS agrees with the majority", decided, PAPER_AGREEMENT),
        _agreement("HMS agrees with the majority, ties excluded", without_ties),
        _fleiss_kappa(voted),
    ]


def _agreement(name: str, ballots: Sequence[Ballot], paper: float | None = None) -> Statistic:
    """How often the majority and HMS make the same choice."""
    agrees = [ballot.majority == ballot.hms for ballot in ballots]
    clusters = [ballot.cluster for ballot in ballots]
    return share(name, agrees, clusters, paper)


def _fleiss_kappa(voted: Sequence[Ballot]) -> Statistic:
    table = []
    clusters = []
    for ballot in voted:
        choices = list(ballot.votes.values())
        table.append([choices.count(choice) for choice in CHOICES])
        clusters.append(ballot.cluster)
    return kappa("Fleiss' kappa", table, clusters, PAPER_KAPPA)
