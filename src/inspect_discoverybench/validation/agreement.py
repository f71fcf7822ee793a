"""Agreement statistics: HMS with the majority of annotators, and annotators with each other (paper §4.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from scipy.stats import binomtest, wilcoxon
from statsmodels.stats.inter_rater import fleiss_kappa

from inspect_discoverybench.statistics.jackknife import jackknife_interval
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.paired import smallest_effect_size
from inspect_discoverybench.validation.sheet import majority
from inspect_discoverybench.validation.votes import CHOICES, Ballot


@dataclass(frozen=True)
class Statistic:
    """A row of what `discoverybench agree votes` prints. None is a number that is not defined or does not apply.

    Attributes:
        name: What is measured.
        number: Number of pairs, samples or answers that are used.
        value: The value.
        low: Lower end of its 95 % interval.
        high: Upper end.
        p: Two-sided p-value.
        paper: The paper's value.
        note: What was left out, or why a number is not defined.
    """

    name: str
    number: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    paper: float | None = None
    note: str = ""


def measure_agreement(ballots: Sequence[Ballot]) -> list[Statistic]:
    """Compute all statistics of votes. Pairs without a majority are used for kappa and annotators only."""
    voted = [ballot for ballot in ballots if ballot.votes]
    ranked = [(choice, ballot) for ballot in voted if (choice := majority(ballot.votes.values())) is not None]
    decided = [(choice, ballot) for choice, ballot in ranked if choice and ballot.hms]
    names = sorted({name for ballot in voted for name in ballot.votes})
    annotators = [
        _share(name, [(ballot.votes[name], ballot) for ballot in voted if name in ballot.votes]) for name in names
    ]
    differences = [choice - ballot.hms for choice, ballot in ranked]
    table = [[list(ballot.votes.values()).count(choice) for choice in CHOICES] for ballot in voted]
    return [
        Statistic("pairs", len(ballots)),
        Statistic("pairs with votes", len(voted)),
        Statistic("votes", sum(len(ballot.votes) for ballot in voted)),
        Statistic("pairs without a majority", len(voted) - len(ranked)),
        _share("the majority", ranked),
        _share("the majority, ties excluded", decided),
        *annotators,
        Statistic("mean over annotators", len(names), fmean(one.value or 0.0 for one in annotators)),
        kappa("Fleiss' kappa", table, [ballot.cluster for ballot in voted]),
        *paired_tests(differences),
    ]


def kappa(name: str, table: Sequence[Sequence[int]], clusters: Sequence[str]) -> Statistic:
    """Compute Fleiss' kappa (Fleiss 1971): agreement among annotators beyond chance.

    Only rows with the most common number of votes above one are used, or the higher of two that are equally common.
    The interval is a jackknife over clusters; None if kappa is not defined without one of them. A row of the table has
    the number of votes for each choice.
    """
    sizes = Counter(size for row in table if (size := sum(row)) > 1)
    if not sizes:
        return Statistic(name, 0, note="not defined: nothing has votes from two annotators")
    size = max(sizes, key=lambda votes: (sizes[votes], votes))
    groups: dict[str, list[Sequence[int]]] = {}
    for row, cluster in zip(table, clusters, strict=True):
        if sum(row) == size:
            groups.setdefault(cluster, []).append(row)
    value = _fleiss(list(groups.values()))
    if value is None:
        return Statistic(name, sizes[size], note="not defined: all votes are the same choice")
    left_out = len(table) - sizes[size]
    low, high = jackknife_interval(list(groups.values()), _fleiss) or (None, None)
    note = f"{size} votes each" + (f"; {left_out} with another number of votes excluded" if left_out else "")
    return Statistic(name, sizes[size], value, low, high, note=note)


def paired_tests(differences: Sequence[int]) -> list[Statistic]:
    """Wilcoxon's signed-rank test, the exact sign test, and the smallest effect that so many pairs can show.

    Null hypothesis: the majority and HMS rank pairs alike. The tests leave out zero differences (Wilcoxon's original
    treatment). For two choices, the sign test is McNemar's exact test. The statistics are the smaller of the two rank
    sums, and the number of pairs on which the majority ranks hypothesis 1 higher than HMS does. The effect size is the
    mean difference divided by its standard deviation.

    Args:
        differences: The rank by the majority minus that by HMS for each pair, from -2 to 2.
    """
    nonzero = [difference for difference in differences if difference]
    positive = sum(difference > 0 for difference in nonzero)
    rank_sum = p_ranks = p_signs = None
    zeros = len(differences) - len(nonzero)
    note = f"zero differences left out: {zeros}" if zeros else ""
    if nonzero:
        ranks = wilcoxon(nonzero)
        rank_sum, p_ranks = float(ranks.statistic), float(ranks.pvalue)
        p_signs = float(binomtest(positive, len(nonzero)).pvalue)
    elif differences:
        p_ranks, p_signs, note = 1.0, 1.0, "not defined: the two rankings are identical"
    effect = smallest_effect_size(len(differences)) if len(differences) > 1 else None
    return [
        Statistic("Wilcoxon signed-rank", len(nonzero), rank_sum, p=p_ranks, note=note),
        Statistic("exact sign (McNemar)", len(nonzero), float(positive) if nonzero else None, p=p_signs, note=note),
        Statistic("smallest detectable effect size", len(differences), effect, note="paired t-test with power 0.8"),
    ]


def _share(name: str, choices: Sequence[tuple[int, Ballot]]) -> Statistic:
    """The share of pairs on which HMS agrees. Its interval is clustered by gold hypothesis."""
    if not choices:
        return Statistic(f"HMS agrees with {name}", 0)
    agrees = [choice == ballot.hms for choice, ballot in choices]
    estimate = estimate_mean(agrees, [ballot.cluster for _, ballot in choices])
    return Statistic(f"HMS agrees with {name}", len(agrees), estimate.mean, estimate.low, estimate.high)


def _fleiss(groups: Sequence[Sequence[Sequence[int]]]) -> float | None:
    """Fleiss' kappa; None if all votes are one choice, because chance agreement is then 1 and kappa is 0 / 0."""
    rows = [row for group in groups for row in group]
    if sum(any(column) for column in zip(*rows, strict=True)) == 1:
        return None
    return float(fleiss_kappa(rows))
