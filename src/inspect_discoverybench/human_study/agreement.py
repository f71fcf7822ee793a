"""Agreement of annotators with HMS, by votes, with the judge, by labels, and with each other (paper §4.3)."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from scipy.stats import binomtest, wilcoxon

from inspect_discoverybench.human_study.labels import LabelledSample, Step
from inspect_discoverybench.human_study.sheet import majority
from inspect_discoverybench.human_study.votes import CHOICES, Ballot
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY
from inspect_discoverybench.statistics.interval import wilson_interval
from inspect_discoverybench.statistics.mean import estimate_mean


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
    The interval is that of the agreement, with the agreement by chance as measured. A row of the table has the number
    of votes for each choice.
    """
    sizes = Counter(size for row in table if (size := sum(row)) > 1)
    if not sizes:
        return Statistic(name, 0, note="not defined: nothing has votes from two annotators")
    size = max(sizes, key=lambda votes: (sizes[votes], votes))
    rows = np.array([row for row in table if sum(row) == size])
    used = [cluster for row, cluster in zip(table, clusters, strict=True) if sum(row) == size]
    chance = float(((rows.sum(axis=0) / rows.sum()) ** 2).sum())
    if chance == 1:
        return Statistic(name, sizes[size], note="not defined: all votes are the same choice")
    agreement = ((rows**2).sum(axis=1) - size) / (size * (size - 1))
    estimate = estimate_mean(agreement, used)
    value, low, high = (
        max(-1.0, (share - chance) / (1 - chance)) for share in (estimate.mean, estimate.low, estimate.high)
    )
    left_out = len(table) - sizes[size]
    note = f"{size} votes each" + (f"; {left_out} with another number of votes excluded" if left_out else "")
    if math.isnan(estimate.low):
        return Statistic(name, sizes[size], value, note=note)
    return Statistic(name, sizes[size], value, low, high, note=note)


def paired_tests(differences: Sequence[int]) -> list[Statistic]:
    """Wilcoxon's signed-rank test and the exact sign test.

    Null hypothesis: the majority and HMS rank pairs alike. The tests leave out zero differences (Wilcoxon's original
    treatment). For two choices, the sign test is McNemar's exact test. The statistics are the smaller of the two rank
    sums, and the number of pairs on which the majority ranks hypothesis 1 higher than HMS does.

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
    return [
        Statistic("Wilcoxon signed-rank", len(nonzero), rank_sum, p=p_ranks, note=note),
        Statistic("exact sign (McNemar)", len(nonzero), float(positive) if nonzero else None, p=p_signs, note=note),
    ]


def _share(name: str, choices: Sequence[tuple[int, Ballot]]) -> Statistic:
    """The share of pairs on which HMS agrees. Its interval is clustered by gold hypothesis."""
    if not choices:
        return Statistic(f"HMS agrees with {name}", 0)
    agrees = [choice == ballot.hms for choice, ballot in choices]
    estimate = estimate_mean(agrees, [ballot.cluster for _, ballot in choices])
    ends = (None, None) if math.isnan(estimate.low) else (estimate.low, estimate.high)
    return Statistic(f"HMS agrees with {name}", len(agrees), estimate.mean, *ends)


def measure_accuracy(samples: Sequence[LabelledSample]) -> list[Statistic]:
    """Compute all statistics of labels.

    The two means of HMS are weighted, over the samples whose labels determine HMS.
    """
    labelled = [sample for sample in samples if any(sample.labels.values())]
    annotators = {name for sample in labelled for labels in sample.labels.values() for name in labels}
    complete = [(sample, true) for sample in labelled if (true := sample.true_hms) is not None]
    weights = [sample.weight for sample, _ in complete]
    statistics = [
        Statistic("samples", len(samples)),
        Statistic("labelled samples", len(labelled)),
        Statistic("annotators", len(annotators)),
        *(_accuracy(step, labelled) for step in Step),
        *(row for step in Step if len(annotators) > 1 for row in _among_annotators(step, labelled)),
        Statistic("samples with complete labels", len(complete)),
    ]
    if complete:
        statistics += [
            Statistic("HMS by the judge", len(complete), fmean([sample.hms for sample, _ in complete], weights)),
            Statistic("HMS by the annotators", len(complete), fmean([true for _, true in complete], weights)),
        ]
    return statistics


def _accuracy(step: Step, samples: Sequence[LabelledSample]) -> Statistic:
    """Accuracy by the majority of annotators. The paper does not distinguish the two extractions."""
    name = f"judge right: {step.replace('_', ' ')}"
    paper = PAPER_ACCURACY.get(step, PAPER_ACCURACY["context_extraction"])
    decided = [(sample, right) for sample in samples if (right := sample.right(step)) is not None]
    tied = sum(bool(sample.verdicts(step)) for sample in samples) - len(decided)
    note = f"without a majority: {tied}" if tied else ""
    if not decided:
        return Statistic(name, 0, paper=paper, note=note)
    weights = [sample.weight for sample, _ in decided]
    share = fmean([float(right) for _, right in decided], weights)
    low, high = wilson_interval([right for _, right in decided], [sample.gold for sample, _ in decided], weights)
    if math.isnan(low):
        return Statistic(name, len(decided), share, paper=paper, note=note)
    return Statistic(name, len(decided), share, low, high, paper=paper, note=note)


def _among_annotators(step: Step, samples: Sequence[LabelledSample]) -> list[Statistic]:
    answers = [(sample.gold, verdicts) for sample in samples if (verdicts := sample.verdicts(step))]
    repeated = [len(set(verdicts)) == 1 for _, verdicts in answers if len(verdicts) > 1]
    table = [(sum(verdicts), len(verdicts) - sum(verdicts)) for _, verdicts in answers]
    name = step.replace("_", " ")
    return [
        Statistic(f"annotators unanimous: {name}", len(repeated), fmean(repeated) if repeated else None),
        kappa(f"Fleiss' kappa: {name}", table, [gold for gold, _ in answers]),
    ]
