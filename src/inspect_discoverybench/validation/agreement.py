"""How well HMS agrees with the majority of annotators, and annotators with each other (paper §4.3)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import mean, quantiles, stdev

from scipy.stats import binomtest, ttest_1samp, wilcoxon
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from inspect_discoverybench.validation.votes import Ballot, Choice

LEVEL = 0.05
WANTED_POWER = 0.8
RESAMPLES = 2000

NO_MAJORITY = "no pair has a majority"
IDENTICAL = "cannot be computed: the two rankings are identical"


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Share:
    """How often HMS chose the same.

    Attributes:
        agreeing: Pairs in which it did.
        pairs: Pairs that were compared.
        share: Their ratio; None without pairs.
        interval: Its Wilson interval.
    """

    agreeing: int
    pairs: int
    share: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Annotator:
    """One annotator's votes against the choices of HMS."""

    name: str
    agreement: Share


@dataclass(frozen=True)
class Kappa:
    """Fleiss' kappa: agreement among annotators beyond chance.

    Attributes:
        kappa: None where it is not defined.
        interval: Bootstrap over pairs, percentiles; None with fewer than two pairs.
        pairs: Pairs that it is computed from: those with the most common number of votes above one.
        votes_per_pair: That number.
        pairs_left_out: The others.
        note: Why it is not defined.
    """

    kappa: float | None
    interval: Interval | None
    pairs: int
    votes_per_pair: int
    pairs_left_out: int
    note: str | None


@dataclass(frozen=True)
class PairedTest:
    """A two-sided test of "there is no difference between the ranking of the majority and that of HMS".

    Attributes:
        name: The test.
        statistic: None where it cannot be computed.
        p_value: 1 where the rankings are identical; None where nothing can be said.
        pairs: Pairs that enter it.
        note: What was left out, or why something is missing.
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
        pairs: The sample size.
        effect_size: Observed mean difference over its standard deviation; None where the differences do not vary.
        power: Power to find an effect of that size.
        smallest_effect: Effect size that is found with a power of 0.8; None below two pairs.
    """

    pairs: int
    effect_size: float | None
    power: float | None
    smallest_effect: float | None


@dataclass(frozen=True)
class Agreement:
    """Everything that `discoverybench agree` tells.

    Attributes:
        pairs: Pairs with votes.
        votes: Votes on them.
        without_majority: Pairs in which no choice has more votes than every other; they enter kappa only.
        agreement: HMS and the majority.
        agreement_decided: The same where neither says `equal`.
        annotators: HMS and each annotator, all votes.
        annotator_mean: Mean of the annotators' shares.
        kappa: The annotators among each other.
        tests: Wilcoxon signed-rank, exact sign, paired t.
        power: Of the last of them.
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


def measure(ballots: Sequence[Ballot], seed: int = 0) -> Agreement:
    """All numbers.

    Args:
        ballots: At least one, each with at least one vote.
        seed: Of the bootstrap.
    """
    verdicts = [(majority(list(ballot.votes.values())), ballot.hms) for ballot in ballots]
    ranked = [(human, hms) for human, hms in verdicts if human is not None]
    differences = [human.sign - hms.sign for human, hms in ranked]
    annotators = _annotators(ballots)
    return Agreement(
        pairs=len(ballots),
        votes=sum(len(ballot.votes) for ballot in ballots),
        without_majority=len(ballots) - len(ranked),
        agreement=share(ranked),
        agreement_decided=share([pair for pair in ranked if Choice.EQUAL not in pair]),
        annotators=annotators,
        annotator_mean=mean(one.agreement.agreeing / one.agreement.pairs for one in annotators),
        kappa=kappa([[list(b.votes.values()).count(choice) for choice in Choice] for b in ballots], seed),
        tests=(signed_rank_test(differences), sign_test(differences), t_test(differences)),
        power=power(differences),
    )


def majority(choices: Sequence[Choice]) -> Choice | None:
    """The choice with more votes than every other; None if there is none."""
    ranking = Counter(choices).most_common()
    if len(ranking) > 1 and ranking[0][1] == ranking[1][1]:
        return None
    return ranking[0][0]


def share(pairs: Sequence[tuple[Choice, Choice]]) -> Share:
    """How many pairs of choices are the same, with Wilson's 95 % interval."""
    if not pairs:
        return Share(0, 0, None, None)
    agreeing = sum(human == hms for human, hms in pairs)
    low, high = proportion_confint(agreeing, len(pairs), alpha=LEVEL, method="wilson")
    return Share(agreeing, len(pairs), agreeing / len(pairs), Interval(float(low), float(high)))


def kappa(table: Sequence[Sequence[int]], seed: int = 0) -> Kappa:
    """Fleiss' kappa (Fleiss 1971) over the pairs that have the most common number of votes above one.

    Of two numbers that are equally common, the higher is taken.

    Args:
        table: Votes for each choice, one row for each pair.
        seed: Of the bootstrap.
    """
    sizes = Counter(size for row in table if (size := sum(row)) > 1)
    if not sizes:
        return Kappa(None, None, 0, 1, len(table), "not defined: no pair has votes of two annotators")
    size = max(sizes, key=lambda votes: (sizes[votes], votes))
    rows = [row for row in table if sum(row) == size]
    value = _fleiss(rows)
    return Kappa(
        kappa=value,
        interval=None if value is None else _bootstrap(rows, seed),
        pairs=len(rows),
        votes_per_pair=size,
        pairs_left_out=len(table) - len(rows),
        note="not defined: every vote is the same choice" if value is None else None,
    )


def signed_rank_test(differences: Sequence[int]) -> PairedTest:
    """Wilcoxon's signed-rank test; differences of zero are left out, as Wilcoxon did.

    The statistic is the smaller of the two sums of ranks.
    """
    name, nonzero = "Wilcoxon signed-rank", [difference for difference in differences if difference]
    if not nonzero:
        return _without_difference(name, differences)
    test = wilcoxon(nonzero)
    return PairedTest(name, float(test.statistic), float(test.pvalue), len(nonzero), _zeros(differences))


def sign_test(differences: Sequence[int]) -> PairedTest:
    """The exact sign test, which for two choices is McNemar's exact test; differences of zero are left out.

    The statistic counts the pairs in which the majority ranks hypothesis 1 higher than HMS does.
    """
    name, nonzero = "exact sign (McNemar)", [difference for difference in differences if difference]
    if not nonzero:
        return _without_difference(name, differences)
    positive = sum(difference > 0 for difference in nonzero)
    p_value = float(binomtest(positive, len(nonzero)).pvalue)
    return PairedTest(name, float(positive), p_value, len(nonzero), _zeros(differences))


def t_test(differences: Sequence[int]) -> PairedTest:
    """The paired t-test, over all pairs with a majority."""
    name = "paired t"
    if not any(differences):
        return _without_difference(name, differences)
    if len(set(differences)) == 1:
        return PairedTest(name, None, None, len(differences), "cannot be computed: all differences are the same")
    test = ttest_1samp(differences, 0)
    return PairedTest(name, float(test.statistic), float(test.pvalue), len(differences), None)


def power(differences: Sequence[int]) -> Power:
    """Power of the paired t-test at this sample size."""
    pairs = len(differences)
    if pairs < 2:
        return Power(pairs, None, None, None)
    smallest = float(TTestPower().solve_power(nobs=pairs, alpha=LEVEL, power=WANTED_POWER))
    spread = stdev(differences)
    if not spread:
        return Power(pairs, None, None, smallest)
    effect = mean(differences) / spread
    return Power(pairs, effect, float(TTestPower().power(abs(effect), pairs, LEVEL)), smallest)


def _annotators(ballots: Sequence[Ballot]) -> tuple[Annotator, ...]:
    choices: dict[str, list[tuple[Choice, Choice]]] = {}
    for ballot in ballots:
        for name, choice in ballot.votes.items():
            choices.setdefault(name, []).append((choice, ballot.hms))
    return tuple(Annotator(name, share(choices[name])) for name in sorted(choices))


def _zeros(differences: Sequence[int]) -> str | None:
    zeros = differences.count(0)
    return f"left out without a difference: {zeros}" if zeros else None


def _without_difference(name: str, differences: Sequence[int]) -> PairedTest:
    if differences:
        return PairedTest(name, None, 1.0, 0, IDENTICAL)
    return PairedTest(name, None, None, 0, f"cannot be computed: {NO_MAJORITY}")


def _fleiss(rows: Sequence[Sequence[int]]) -> float | None:
    """None where one choice has every vote: agreement by chance is then complete, and kappa is 0 / 0."""
    if sum(any(column) for column in zip(*rows, strict=True)) == 1:
        return None
    return float(fleiss_kappa(rows))


def _bootstrap(rows: Sequence[Sequence[int]], seed: int) -> Interval | None:
    """Percentiles over resampled pairs; resamples without a kappa are left out."""
    if len(rows) < 2:
        return None
    random = Random(seed)
    resampled = (_fleiss(random.choices(rows, k=len(rows))) for _ in range(RESAMPLES))
    kappas = [value for value in resampled if value is not None]
    if len(kappas) < 2:
        return None
    percentiles = quantiles(kappas, n=40, method="inclusive")
    return Interval(percentiles[0], percentiles[-1])
