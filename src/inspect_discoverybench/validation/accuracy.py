"""Accuracy of the judge in each step, based on human labels (paper §4.3, first study)."""

import math
from collections.abc import Sequence
from statistics import fmean

import numpy as np

from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.mean import wilson
from inspect_discoverybench.validation.agreement import Statistic, kappa
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.judge_audit import PAPER_ACCURACY
from inspect_discoverybench.validation.labels import LabelledSample


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
