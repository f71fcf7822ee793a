"""Accuracy of the judge in each step, based on human labels (paper §4.3, first study)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from inspect_discoverybench.statistics.clusters import clustered
from inspect_discoverybench.statistics.mean import wilson
from inspect_discoverybench.validation.agreement import Interval, Kappa, kappa
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.judge_audit import PAPER_ACCURACY
from inspect_discoverybench.validation.labels import LabelledSample, Labels
from inspect_discoverybench.validation.sheet import majority

ROWS: tuple[tuple[str, tuple[Step, ...], float | None], ...] = (
    ("context extraction", (Step.GOLD_CONTEXT, Step.PREDICTED_CONTEXT), PAPER_ACCURACY["context_extraction"]),
    ("- gold", (Step.GOLD_CONTEXT,), None),
    ("- predicted", (Step.PREDICTED_CONTEXT,), None),
    ("context match", (Step.CONTEXT_MATCH,), PAPER_ACCURACY["context_match"]),
    ("variables", (Step.VARIABLES,), PAPER_ACCURACY["variables"]),
    ("relationship", (Step.RELATIONSHIP,), PAPER_ACCURACY["relationship"]),
)
"""Name, steps and the paper's accuracy of each row of the table. The paper does not distinguish the two extractions."""


@dataclass(frozen=True)
class Accuracy:
    """Weighted share of right answers, with Wilson's interval for the effective sample size; None without samples.

    The effective size is the number of independent samples with equal weights that are as informative. Labelled samples
    without a majority are not used.
    """

    accuracy: float | None
    interval: Interval | None
    samples: int
    effective_samples: float
    without_majority: int


@dataclass(frozen=True)
class StepAccuracy:
    """One row of the table: accuracy by the majority and by each annotator, and the paper's if it reports the step.

    `unanimous` is the share of the answers with several labels on which all annotators agree.
    """

    name: str
    majority: Accuracy
    annotators: dict[str, Accuracy]
    unanimous: float | None
    kappa: Kappa
    paper: float | None


@dataclass(frozen=True)
class JudgeAccuracy:
    """All statistics that `discoverybench agree votes` prints for labels.

    `judged_hms` and `true_hms` are the weighted means, over the samples whose labels determine HMS, of the judge's HMS
    and of the HMS that follows from the annotators' answers; None if there are no such samples.
    """

    samples: int
    unlabelled: int
    annotators: tuple[str, ...]
    steps: tuple[StepAccuracy, ...]
    complete: int
    judged_hms: float | None
    true_hms: float | None


def measure_judge(labels: Labels) -> JudgeAccuracy:
    """Compute all statistics."""
    samples, complete = labels.samples, labels.complete
    annotators = sorted({name for sample in samples for step in Step for name in sample.labels[step]})
    weights = [sample.weight for sample in complete]
    return JudgeAccuracy(
        samples=len(samples),
        unlabelled=labels.unlabelled,
        annotators=tuple(annotators),
        steps=tuple(_step_accuracy(name, steps, paper, samples, annotators) for name, steps, paper in ROWS),
        complete=len(complete),
        judged_hms=fmean([sample.hms for sample in complete], weights) if complete else None,
        true_hms=fmean([sample.true_hms or 0.0 for sample in complete], weights) if complete else None,
    )


def estimate_accuracy(
    right: Sequence[float],
    weights: Sequence[float],
    golds: Sequence[str],
    without_majority: int = 0,
    same_in_cluster: bool = False,
) -> Accuracy:
    """Estimate the share of right answers with its interval.

    The Wilson interval uses the effective sample size: the smaller of Kish's, for unequal weights, and the one that
    follows from the variance between clusters.

    Args:
        right: 1 or 0 for each sample; for several steps, the share of those that are right.
        weights: Number of judged samples that each sample represents.
        golds: The gold hypothesis of each sample, which is its cluster.
        without_majority: Number of samples that are left out.
        same_in_cluster: Whether the judge gives the same answer to all samples of a cluster, as it does about the
            context of the gold hypothesis. A cluster is then a single observation.
    """
    if not right:
        return Accuracy(None, None, 0, 0.0, without_majority)
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
    return Accuracy(share, Interval(*wilson(share, size, math.inf)), len(right), size, without_majority)


def _step_accuracy(
    name: str,
    steps: Sequence[Step],
    paper: float | None,
    samples: Sequence[LabelledSample],
    annotators: Sequence[str],
) -> StepAccuracy:
    answers = [(sample.gold, verdicts) for sample in samples for step in steps if (verdicts := sample.verdicts(step))]
    tables = [(sum(verdicts), len(verdicts) - sum(verdicts)) for _, verdicts in answers]
    repeated = [table for table in tables if sum(table) > 1]
    return StepAccuracy(
        name=name,
        majority=_estimate(samples, steps, None),
        annotators={annotator: _estimate(samples, steps, annotator) for annotator in annotators},
        unanimous=fmean(0 in table for table in repeated) if repeated else None,
        kappa=kappa(tables, [gold for gold, _ in answers], "sample"),
        paper=paper,
    )


def _estimate(samples: Sequence[LabelledSample], steps: Sequence[Step], annotator: str | None) -> Accuracy:
    """Accuracy by one annotator, or by the majority if None."""
    used: list[LabelledSample] = []
    shares: list[float] = []
    without_majority = 0
    for sample in samples:
        verdicts = [majority(verdicts) for step in steps if (verdicts := sample.verdicts(step, annotator))]
        decided = [verdict for verdict in verdicts if verdict is not None]
        if decided:
            used.append(sample)
            shares.append(fmean(decided))
        elif verdicts:
            without_majority += 1
    # The question about the gold hypothesis does not depend on the prediction.
    same = tuple(steps) == (Step.GOLD_CONTEXT,)
    weights, golds = [sample.weight for sample in used], [sample.gold for sample in used]
    return estimate_accuracy(shares, weights, golds, without_majority, same)


def _kish(weights: np.ndarray) -> float:
    return float(weights.sum() ** 2 / (weights @ weights))
