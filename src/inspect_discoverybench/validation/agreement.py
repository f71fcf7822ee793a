"""Agreement statistics: HMS with the majority of annotators, and annotators with each other (paper §4.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev

from scipy.stats import binomtest, ttest_1samp, wilcoxon
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.power import TTestPower

from inspect_discoverybench.statistics.jackknife import jackknife_interval
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.power import SIGNIFICANCE_LEVEL, smallest_effect_size
from inspect_discoverybench.validation.sheet import majority
from inspect_discoverybench.validation.votes import Ballot, Choice

NO_MAJORITY = "cannot be computed: no pair has a majority"
IDENTICAL = "cannot be computed: the two rankings are identical"


@dataclass(frozen=True)
class Interval:
    """A 95% confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Share:
    """The share of pairs on which HMS agrees with an annotator or with the majority; None if no pairs were compared.

    The interval is clustered by gold hypothesis, of which there are `clusters`.
    """

    agreeing: int
    pairs: int
    share: float | None
    interval: Interval | None
    clusters: int


@dataclass(frozen=True)
class Annotator:
    """Agreement of HMS with one annotator."""

    name: str
    agreement: Share


@dataclass(frozen=True)
class Kappa:
    """Fleiss' kappa: agreement among annotators beyond chance; None if it is not defined, and why.

    Only pairs with the most common number of votes above one are used; the others are left out. The interval is a
    jackknife over gold hypotheses; None if kappa is not defined without one of them.
    """

    kappa: float | None
    interval: Interval | None
    pairs: int
    votes_per_pair: int
    pairs_left_out: int
    note: str | None


@dataclass(frozen=True)
class PairedTest:
    """A two-sided paired test. Null hypothesis: the majority and HMS rank pairs alike.

    Statistic and p-value are None if they cannot be computed; the p-value is 1 if the rankings are identical. The note
    says which pairs were left out, or why a value is missing.
    """

    name: str
    statistic: float | None
    p_value: float | None
    pairs: int
    note: str | None


@dataclass(frozen=True)
class Power:
    """Power of the paired t-test at level 0.05 for the observed effect, and the smallest effect with a power of 0.8.

    An effect size is a mean difference divided by its standard deviation. Values are None for fewer than two pairs, and
    the observed ones if the differences do not vary.
    """

    pairs: int
    effect_size: float | None
    power: float | None
    smallest_effect: float | None


@dataclass(frozen=True)
class AgreementStatistics:
    """All statistics that `discoverybench agree votes` prints for votes.

    Some of the scored pairs can have no votes. Pairs without a majority are used for kappa and annotators only.
    `agreement_decided` leaves out pairs on which HMS or the majority chose `equal`.
    """

    pairs_scored: int
    pairs: int
    votes: int
    without_majority: int
    agreement: Share
    agreement_decided: Share
    annotators: tuple[Annotator, ...]
    annotator_mean: float
    kappa: Kappa
    tests: tuple[PairedTest, ...]
    power: Power


def measure(ballots: Sequence[Ballot]) -> AgreementStatistics:
    """Compute all statistics.

    Args:
        ballots: At least one ballot with votes.
    """
    voted = [ballot for ballot in ballots if ballot.votes]
    ranked = [(choice, ballot) for ballot in voted if (choice := majority(ballot.votes.values()))]
    differences = [choice.sign - ballot.hms.sign for choice, ballot in ranked]
    names = sorted({name for ballot in voted for name in ballot.votes})
    annotators = tuple(
        Annotator(name, _agreement([(ballot.votes[name], ballot) for ballot in voted if name in ballot.votes]))
        for name in names
    )
    return AgreementStatistics(
        pairs_scored=len(ballots),
        pairs=len(voted),
        votes=sum(len(ballot.votes) for ballot in voted),
        without_majority=len(voted) - len(ranked),
        agreement=_agreement(ranked),
        agreement_decided=_agreement([pair for pair in ranked if Choice.EQUAL not in (pair[0], pair[1].hms)]),
        annotators=annotators,
        annotator_mean=mean(one.agreement.agreeing / one.agreement.pairs for one in annotators),
        kappa=kappa(
            [[list(ballot.votes.values()).count(choice) for choice in Choice] for ballot in voted],
            [ballot.cluster for ballot in voted],
        ),
        tests=paired_tests(differences),
        power=power(differences),
    )


def share(agrees: Sequence[bool], clusters: Sequence[str]) -> Share:
    """The share of pairs on which HMS agrees, with its 95% interval.

    Args:
        agrees: Whether HMS agrees, for each pair.
        clusters: The cluster of each pair.
    """
    if not agrees:
        return Share(0, 0, None, None, 0)
    estimate = estimate_mean(agrees, clusters)
    return Share(sum(agrees), len(agrees), estimate.mean, Interval(estimate.low, estimate.high), estimate.clusters)


def kappa(table: Sequence[Sequence[int]], clusters: Sequence[str], noun: str = "pair") -> Kappa:
    """Compute Fleiss' kappa (Fleiss 1971) over the pairs with the most common number of votes above one.

    If two numbers of votes are equally common, the higher one is used.

    Args:
        table: Number of votes for each choice, one row per pair.
        clusters: The cluster of each row.
        noun: What a row is, for the note.
    """
    sizes = Counter(size for row in table if (size := sum(row)) > 1)
    if not sizes:
        return Kappa(None, None, 0, 1, len(table), f"not defined: no {noun} has votes from two annotators")
    size = max(sizes, key=lambda votes: (sizes[votes], votes))
    groups: dict[str, list[Sequence[int]]] = {}
    for row, cluster in zip(table, clusters, strict=True):
        if sum(row) == size:
            groups.setdefault(cluster, []).append(row)
    value, ends = _fleiss(list(groups.values())), jackknife_interval(list(groups.values()), _fleiss)
    return Kappa(
        kappa=value,
        interval=Interval(*ends) if ends else None,
        pairs=sizes[size],
        votes_per_pair=size,
        pairs_left_out=len(table) - sizes[size],
        note="not defined: all votes are the same choice" if value is None else None,
    )


def paired_tests(differences: Sequence[int]) -> tuple[PairedTest, ...]:
    """Wilcoxon's signed-rank test, the exact sign test and the paired t-test.

    The first two leave out zero differences (Wilcoxon's original treatment). For two choices, the sign test is
    McNemar's exact test. The statistics are the smaller of the two rank sums, the number of pairs on which the majority
    ranks hypothesis 1 higher than HMS does, and t.

    Args:
        differences: The rank by the majority minus that by HMS for each pair, from -2 to 2.
    """
    names = ("Wilcoxon signed-rank", "exact sign (McNemar)", "paired t")
    nonzero = [difference for difference in differences if difference]
    if not nonzero:
        p_value, note = (1.0, IDENTICAL) if differences else (None, NO_MAJORITY)
        return tuple(PairedTest(name, None, p_value, 0, note) for name in names)
    zeros = len(differences) - len(nonzero)
    left_out = f"zero differences left out: {zeros}" if zeros else None
    rank_test = wilcoxon(nonzero)
    positive = sum(difference > 0 for difference in nonzero)
    sign_p_value = float(binomtest(positive, len(nonzero)).pvalue)
    return (
        PairedTest(names[0], float(rank_test.statistic), float(rank_test.pvalue), len(nonzero), left_out),
        PairedTest(names[1], float(positive), sign_p_value, len(nonzero), left_out),
        _t_test(names[2], differences),
    )


def power(differences: Sequence[int]) -> Power:
    """Power of the paired t-test, for the observed effect and as the smallest detectable effect."""
    pairs = len(differences)
    if pairs < 2:
        return Power(pairs, None, None, None)
    smallest = smallest_effect_size(pairs)
    spread = stdev(differences)
    if not spread:
        return Power(pairs, None, None, smallest)
    effect = mean(differences) / spread
    return Power(pairs, effect, float(TTestPower().power(abs(effect), pairs, SIGNIFICANCE_LEVEL)), smallest)


def _agreement(choices: Sequence[tuple[Choice, Ballot]]) -> Share:
    return share([choice == ballot.hms for choice, ballot in choices], [ballot.cluster for _, ballot in choices])


def _t_test(name: str, differences: Sequence[int]) -> PairedTest:
    if len(set(differences)) == 1:
        return PairedTest(name, None, None, len(differences), "cannot be computed: all differences are the same")
    test = ttest_1samp(differences, 0)
    return PairedTest(name, float(test.statistic), float(test.pvalue), len(differences), None)


def _fleiss(groups: Sequence[Sequence[Sequence[int]]]) -> float | None:
    """Fleiss' kappa; None if all votes are one choice, because chance agreement is then 1 and kappa is 0 / 0."""
    rows = [row for group in groups for row in group]
    if sum(any(column) for column in zip(*rows, strict=True)) == 1:
        return None
    return float(fleiss_kappa(rows))
