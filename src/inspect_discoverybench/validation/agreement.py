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
from inspect_discoverybench.validation.votes import Ballot, Choice

NO_MAJORITY = "no pair has a majority"
IDENTICAL = "cannot be computed: the two rankings are identical"


@dataclass(frozen=True)
class Interval:
    """A 95% confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class PairChoices:
    """The choices of the annotators and of HMS for a pair, and its cluster."""

    human: Choice
    hms: Choice
    cluster: str


@dataclass(frozen=True)
class Share:
    """The share of pairs on which HMS agrees with an annotator or with the majority.

    Attributes:
        agreeing: Number of pairs with the same choice.
        pairs: Number of pairs compared.
        share: `agreeing / pairs`; None if no pairs were compared.
        interval: Interval of the share, clustered by gold hypothesis.
        clusters: Number of gold hypotheses.
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
    """Fleiss' kappa: agreement among annotators beyond chance.

    Attributes:
        kappa: None if it is not defined.
        interval: Jackknife over gold hypotheses; None if kappa is not defined without one of them.
        pairs: Number of pairs used: those with the most common number of votes above one.
        votes_per_pair: Number of votes on each of these pairs.
        pairs_left_out: Number of pairs with another number of votes.
        note: Why kappa is not defined; None if it is.
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

    Attributes:
        name: Name of the test.
        statistic: The test statistic; None if it cannot be computed.
        p_value: The p-value; 1 if the rankings are identical, None if it cannot be computed.
        pairs: Number of pairs used.
        note: Which pairs were left out, or why a value is missing.
    """

    name: str
    statistic: float | None
    p_value: float | None
    pairs: int
    note: str | None


@dataclass(frozen=True)
class Power:
    """Power of the paired t-test at level 0.05.

    Attributes:
        pairs: Sample size.
        effect_size: Observed mean difference divided by its standard deviation; None if the differences do not vary.
        power: Power to detect an effect of that size.
        smallest_effect: Effect size that is detected with power 0.8; None for fewer than two pairs.
    """

    pairs: int
    effect_size: float | None
    power: float | None
    smallest_effect: float | None


@dataclass(frozen=True)
class AgreementStatistics:
    """All statistics that `discoverybench agree votes` prints.

    Attributes:
        pairs: Number of pairs with votes.
        votes: Number of votes.
        without_majority: Number of pairs without a majority choice. They are used for kappa only.
        agreement: Agreement of HMS with the majority.
        agreement_decided: The same for pairs on which neither HMS nor the majority chose `equal`.
        annotators: Agreement of HMS with each annotator, over all of the annotator's votes.
        annotator_mean: Mean of the annotators' shares.
        kappa: Agreement among annotators.
        tests: Wilcoxon signed-rank, exact sign and paired t-test.
        power: Power of the paired t-test.
    """

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
        ballots: At least one ballot, each with at least one vote.
    """
    majorities = [(majority(list(ballot.votes.values())), ballot) for ballot in ballots]
    ranked = [PairChoices(choice, ballot.hms, ballot.cluster) for choice, ballot in majorities if choice is not None]
    differences = [one.human.sign - one.hms.sign for one in ranked]
    annotators = _annotators(ballots)
    return AgreementStatistics(
        pairs=len(ballots),
        votes=sum(len(ballot.votes) for ballot in ballots),
        without_majority=len(ballots) - len(ranked),
        agreement=share(ranked),
        agreement_decided=share([one for one in ranked if Choice.EQUAL not in (one.human, one.hms)]),
        annotators=annotators,
        annotator_mean=mean(a.agreement.agreeing / a.agreement.pairs for a in annotators),
        kappa=kappa(
            [[list(ballot.votes.values()).count(choice) for choice in Choice] for ballot in ballots],
            [ballot.cluster for ballot in ballots],
        ),
        tests=(signed_rank_test(differences), sign_test(differences), t_test(differences)),
        power=power(differences),
    )


def majority(choices: Sequence[Choice]) -> Choice | None:
    """The choice with more votes than any other; None if the top choices are tied."""
    ranking = Counter(choices).most_common()
    if len(ranking) > 1 and ranking[0][1] == ranking[1][1]:
        return None
    return ranking[0][0]


def share(comparisons: Sequence[PairChoices]) -> Share:
    """The share of equal choices, with its 95% interval."""
    if not comparisons:
        return Share(0, 0, None, None, 0)
    same = [one.human == one.hms for one in comparisons]
    estimate = estimate_mean(same, [one.cluster for one in comparisons])
    return Share(sum(same), len(same), estimate.mean, Interval(estimate.low, estimate.high), estimate.clusters)


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


def signed_rank_test(differences: Sequence[int]) -> PairedTest:
    """Wilcoxon's signed-rank test, without zero differences (Wilcoxon's original treatment).

    The statistic is the smaller of the two rank sums.
    """
    name, nonzero = "Wilcoxon signed-rank", [difference for difference in differences if difference]
    if not nonzero:
        return _without_difference(name, differences)
    test = wilcoxon(nonzero)
    return PairedTest(name, float(test.statistic), float(test.pvalue), len(nonzero), _zeros(differences))


def sign_test(differences: Sequence[int]) -> PairedTest:
    """The exact sign test, without zero differences. For two choices it is McNemar's exact test.

    The statistic is the number of pairs on which the majority ranks hypothesis 1 higher than HMS does.
    """
    name, nonzero = "exact sign (McNemar)", [difference for difference in differences if difference]
    if not nonzero:
        return _without_difference(name, differences)
    positive = sum(difference > 0 for difference in nonzero)
    p_value = float(binomtest(positive, len(nonzero)).pvalue)
    return PairedTest(name, float(positive), p_value, len(nonzero), _zeros(differences))


def t_test(differences: Sequence[int]) -> PairedTest:
    """The paired t-test over all pairs with a majority."""
    name = "paired t"
    if not any(differences):
        return _without_difference(name, differences)
    if len(set(differences)) == 1:
        return PairedTest(name, None, None, len(differences), "cannot be computed: all differences are the same")
    test = ttest_1samp(differences, 0)
    return PairedTest(name, float(test.statistic), float(test.pvalue), len(differences), None)


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


def _annotators(ballots: Sequence[Ballot]) -> tuple[Annotator, ...]:
    comparisons: dict[str, list[PairChoices]] = {}
    for ballot in ballots:
        for name, choice in ballot.votes.items():
            comparisons.setdefault(name, []).append(PairChoices(choice, ballot.hms, ballot.cluster))
    return tuple(Annotator(name, share(comparisons[name])) for name in sorted(comparisons))


def _zeros(differences: Sequence[int]) -> str | None:
    zeros = differences.count(0)
    return f"zero differences left out: {zeros}" if zeros else None


def _without_difference(name: str, differences: Sequence[int]) -> PairedTest:
    if differences:
        return PairedTest(name, None, 1.0, 0, IDENTICAL)
    return PairedTest(name, None, None, 0, f"cannot be computed: {NO_MAJORITY}")


def _fleiss(groups: Sequence[Sequence[Sequence[int]]]) -> float | None:
    """Fleiss' kappa; None if all votes are one choice, because chance agreement is then 1 and kappa is 0 / 0."""
    rows = [row for group in groups for row in group]
    if sum(any(column) for column in zip(*rows, strict=True)) == 1:
        return None
    return float(fleiss_kappa(rows))
