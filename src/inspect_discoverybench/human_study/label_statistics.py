"""Accuracy of the judge by the labels of annotators, and the mean HMS that follows (paper §4.3)."""

from collections.abc import Sequence
from statistics import fmean

from inspect_discoverybench.human_study.labels import LabelledSample, Step
from inspect_discoverybench.human_study.statistic import Statistic, kappa, share
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY


def measure_accuracy(samples: Sequence[LabelledSample]) -> list[Statistic]:
    """Compute all statistics of labels."""
    labelled = [sample for sample in samples if sample.labels]
    annotators: set[str] = set()
    for sample in labelled:
        annotators |= sample.labels.keys()
    statistics = [
        Statistic("samples", len(samples)),
        Statistic("labelled samples", len(labelled)),
        Statistic("annotators", len(annotators)),
    ]
    statistics += [_accuracy(step, labelled) for step in Step]
    if len(annotators) > 1:
        statistics += [_kappa(step, labelled) for step in Step]
    return [*statistics, *_hms(labelled)]


def _accuracy(step: Step, samples: Sequence[LabelledSample]) -> Statistic:
    """Accuracy by the majority of annotators. The paper does not distinguish the two extractions."""
    decided = [sample for sample in samples if sample.right(step) is not None]
    tied = sum(bool(sample.verdicts(step)) for sample in samples) - len(decided)
    return share(
        f"judge right: {step.replace('_', ' ')}",
        [float(sample.right(step) is True) for sample in decided],
        [sample.gold for sample in decided],
        paper=PAPER_ACCURACY.get(step, PAPER_ACCURACY["context_extraction"]),
        note=f"without a majority: {tied}" if tied else "",
    )


def _kappa(step: Step, samples: Sequence[LabelledSample]) -> Statistic:
    table = []
    for sample in samples:
        verdicts = sample.verdicts(step)
        table.append([verdicts.count(True), verdicts.count(False)])
    return kappa(f"Fleiss' kappa: {step.replace('_', ' ')}", table, [sample.gold for sample in samples])


def _hms(samples: Sequence[LabelledSample]) -> list[Statistic]:
    """The mean by the judge and by the annotators, over the samples whose labels determine HMS."""
    complete = [sample for sample in samples if not sample.is_incomplete]
    incomplete = len(samples) - len(complete)
    note = f"left out, because the labels do not determine HMS: {incomplete}" if incomplete else ""
    statistics = [Statistic("samples with complete labels", len(complete), note=note)]
    if complete:
        judged = fmean(sample.hms for sample in complete)
        true = fmean(sample.true_hms or 0.0 for sample in complete)
        statistics.append(Statistic("HMS by the judge", len(complete), judged))
        statistics.append(Statistic("HMS by the annotators", len(complete), true))
    return statistics
