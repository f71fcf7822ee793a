"""Accuracy of the judge by the labels of annotators, and the mean HMS that follows (paper §4.3)."""

from collections.abc import Sequence
from statistics import fmean

from inspect_discoverybench.human_study.labels import JudgeStep, LabelledSample
from inspect_discoverybench.human_study.statistic import Statistic, share

PAPER_ACCURACY = {"context_extraction": 0.97, "context_match": 0.99, "variables": 0.94, "relationship": 0.99}
"""Accuracy of the paper's judge by question, on 200 examples that two of the authors annotated (paper §4.3)."""


def measure_judge(samples: Sequence[LabelledSample]) -> list[Statistic]:
    """Compare the judge with the annotators: its accuracy in each step, and its mean HMS beside theirs."""
    labelled = [sample for sample in samples if sample.labels]
    statistics = [
        Statistic("samples", len(samples)),
        Statistic("labelled samples", len(labelled)),
    ]
    statistics += [_accuracy(step, labelled) for step in JudgeStep]
    statistics += _hms(labelled)
    return statistics


def _accuracy(step: JudgeStep, samples: Sequence[LabelledSample]) -> Statistic:
    """Accuracy of the judge in a step: the share of samples in which the majority of annotators finds it right."""
    verdicts = []
    clusters = []
    ties = 0
    for sample in samples:
        verdict = sample.is_judge_right(step)
        if verdict is not None:
            verdicts.append(verdict)
            clusters.append(sample.gold)
        elif sample.verdicts(step):  # no majority, although there are verdicts
            ties += 1
    question = step.replace("_", " ")
    note = f"without a majority: {ties}" if ties else ""
    # The paper gives one accuracy for both extractions of contexts.
    is_extraction = step in (JudgeStep.GOLD_CONTEXT, JudgeStep.PREDICTED_CONTEXT)
    paper = PAPER_ACCURACY["context_extraction"] if is_extraction else PAPER_ACCURACY[step]
    return share(f"judge right: {question}", verdicts, clusters, paper, note)


def _hms(samples: Sequence[LabelledSample]) -> list[Statistic]:
    """Mean HMS by the judge and by the annotators, over the samples whose labels determine HMS."""
    judged = []
    annotated = []
    for sample in samples:
        if sample.true_hms is not None:
            judged.append(sample.hms)
            annotated.append(sample.true_hms)

    count = len(judged)
    incomplete = len(samples) - count
    note = f"left out, because the labels do not determine HMS: {incomplete}" if incomplete else ""
    statistics = [Statistic("samples with complete labels", count, note=note)]
    if judged:
        statistics.append(Statistic("HMS by the judge", count, fmean(judged)))
        statistics.append(Statistic("HMS by the annotators", count, fmean(annotated)))
    return statistics
