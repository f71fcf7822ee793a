"""Agreement of annotators with HMS, by votes, with the judge, by labels, and with each other (paper §4.3)."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from scipy.stats import binomtest, wilcoxon
from statsmodels.stats.inter_rater import fleiss_kappa

from inspect_discoverybench.human_study.labels import LabelledSample, Step
from inspect_discoverybench.human_study.sheet import majority
from inspect_discoverybench.human_study.votes import CHOICES, Ballot
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY
from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.jackknife import jackknife_interval
from inspect_discoverybench.statistics.mean import estimate_mean, wilson


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
    ends = (estimate.low, estimate.high) if len(agrees) > 1 else (None, None)
    return Statistic(f"HMS agrees with {name}", len(agrees), estimate.mean, *ends)


def _fleiss(groups: Sequence[Sequence[Sequence[int]]]) -> float | None:
    """Fleiss' kappa; None if all votes are one choice, because chance agreement is then 1 and kappa is 0 / 0."""
    rows = [row for group in groups for row in group]
    if sum(any(column) for column in zip(*rows, strict=True)) == 1:
        return None
    return float(fleiss_kappa(rows))


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


def weighted_share(
    right: Sequence[float], weights: Sequence[float], golds: Sequence[str], same_in_cluster: bool = False
) -> tuple[float, float, float]:
    """The share of right answers with its 95 % interval: Wilson's for the effective sample size.

    This is the smaller of Kish's, for unequal weights, and the one that follows from the variance between clusters.

    Args:
        right: 1 or 0 for each sample; at least one.
        weights: Number of judged samples that each sample represents.
        golds: The gold hypothesis of each sample, which is its cluster.
        same_in_cluster: Whether the judge gives the same answer to all samples of a cluster, as it does about the
            context of the gold hypothesis. A cluster is then a single observation.
    """
    answers, weight = clustered(right, golds), np.array(weights)
    share = float(np.average(answers.values, weights=weight))
    if same_in_cluster:
        size = _kish(answers.sum_by_cluster(weight))
    else:
        residuals = answers.sum_by_cluster(weight * (answers.values - share))
        size = float(answers.clusters)
        # Without variance, there is no evidence on whether the answers in a cluster depend on each other.
        if answers.clusters > 1 and residuals.any():
            variance = size / (size - 1) * float(residuals @ residuals) / float(weight.sum()) ** 2
            size = share * (1 - share) / variance
        size = min(size, _kish(weight))
    return share, *wilson(share, size, math.inf)


def _accuracy(step: Step, samples: Sequence[LabelledSample]) -> Statistic:
    """Accuracy by the majority of annotators. The paper does not distinguish the two extractions."""
    name = f"judge right: {step.replace('_', ' ')}"
    paper = PAPER_ACCURACY.get(step, PAPER_ACCURACY["context_extraction"])
    decided = [(sample, right) for sample in samples if (right := sample.right(step)) is not None]
    tied = sum(bool(sample.verdicts(step)) for sample in samples) - len(decided)
    note = f"without a majority: {tied}" if tied else ""
    if not decided:
        return Statistic(name, 0, paper=paper, note=note)
    share, low, high = weighted_share(
        [right for _, right in decided],
        [sample.weight for sample, _ in decided],
        [sample.gold for sample, _ in decided],
        # The question about the gold hypothesis does not depend on the prediction.
        same_in_cluster=step is Step.GOLD_CONTEXT,
    )
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


def _kish(weights: np.ndarray) -> float:
    return float(weights.sum() ** 2 / (weights @ weights))
