"""Accuracy of the judge in each step, based on human labels (paper §4.3, first study)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from statsmodels.stats.proportion import proportion_confint

from inspect_discoverybench.statistics.power import SIGNIFICANCE_LEVEL
from inspect_discoverybench.validation.agreement import Interval, Kappa, kappa
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.judge_audit import PAPER_ACCURACY
from inspect_discoverybench.validation.labels import LabelledSample, Labels

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
class Observation:
    """Whether the judge is right in one step of one sample.

    Attributes:
        right: 1 or 0; for several steps, the share of those that are right.
        weight: Number of judged samples that the sample represents.
        cluster: Gold hypothesis of the sample.
    """

    right: float
    weight: float
    cluster: str


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of the judge in a step.

    Attributes:
        accuracy: Weighted share of right answers; None if none has a majority.
        interval: Wilson interval for the effective sample size.
        samples: Number of samples with a majority.
        effective_samples: Number of independent samples with equal weights that are as informative.
        without_majority: Number of labelled samples without a majority. They are not used.
    """

    accuracy: float | None
    interval: Interval | None
    samples: int
    effective_samples: float
    without_majority: int


@dataclass(frozen=True)
class StepAccuracy:
    """One row of the table.

    Attributes:
        name: Name of the step.
        majority: Accuracy by the majority of annotators.
        annotators: Accuracy by each annotator.
        unanimous: Share of the samples with several annotators on which all of them agree; None if there are none.
        kappa: Agreement of annotators beyond chance.
        paper: The paper's accuracy; None if it does not report the step.
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

    Attributes:
        samples: Number of labelled samples.
        unlabelled: Number of samples of the sheets without a label.
        annotators: Names of the annotators.
        steps: Accuracy by step.
        complete: Number of samples whose labels determine HMS.
        judged_hms: Weighted mean of the judge's HMS over these samples; None if there are none.
        true_hms: Weighted mean, over the same samples, of the HMS that follows from the annotators' answers.
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
    samples = labels.samples
    names = sorted({name for sample in samples for step in Step for name in sample.labels[step]})
    complete = [(sample.hms, sample.true_hms, sample.weight) for sample in samples if sample.true_hms is not None]
    return JudgeAccuracy(
        samples=len(samples),
        unlabelled=labels.unlabelled,
        annotators=tuple(names),
        steps=tuple(_step(name, steps, paper, samples, names) for name, steps, paper in ROWS),
        complete=len(complete),
        judged_hms=_mean([(judged, weight) for judged, _, weight in complete]),
        true_hms=_mean([(true, weight) for _, true, weight in complete]),
    )


def estimate_accuracy(
    observations: Sequence[Observation], without_majority: int = 0, *, same_in_cluster: bool = False
) -> Accuracy:
    """Estimate the share of right answers with its interval.

    The Wilson interval uses the effective sample size: the smaller of Kish's, for unequal weights, and the one that
    follows from the variance between clusters.

    Args:
        observations: One for each sample.
        without_majority: Number of samples that are left out.
        same_in_cluster: Whether the judge gives the same answer to all samples of a cluster, as it does about the
            context of the gold hypothesis. A cluster is then a single observation.
    """
    share = _mean([(observation.right, observation.weight) for observation in observations])
    if share is None:
        return Accuracy(None, None, 0, 0.0, without_majority)
    size = _clusters_size(observations) if same_in_cluster else _effective_size(observations, share)
    low, high = proportion_confint(share * size, size, alpha=SIGNIFICANCE_LEVEL, method="wilson")
    return Accuracy(share, Interval(float(low), float(high)), len(observations), size, without_majority)


def _step(
    name: str,
    steps: Sequence[Step],
    paper: float | None,
    samples: Sequence[LabelledSample],
    annotators: Sequence[str],
) -> StepAccuracy:
    labelled = [sample for sample in samples if any(_verdicts(sample, step) for step in steps)]
    observations = list(_observations(labelled, steps, lambda sample, step: sample.right(step)))
    answers = [
        (sample.gold, verdicts) for sample in labelled for step in steps if (verdicts := _verdicts(sample, step))
    ]
    tables = [(sum(verdicts), len(verdicts) - sum(verdicts)) for _, verdicts in answers]
    # The question about the gold hypothesis does not depend on the prediction.
    same = steps == (Step.GOLD_CONTEXT,)
    repeated = [table for table in tables if sum(table) > 1]
    return StepAccuracy(
        name=name,
        majority=estimate_accuracy(observations, len(labelled) - len(observations), same_in_cluster=same),
        annotators={
            annotator: estimate_accuracy(list(_observations(labelled, steps, _by(annotator))), same_in_cluster=same)
            for annotator in annotators
        },
        unanimous=sum(0 in table for table in repeated) / len(repeated) if repeated else None,
        kappa=kappa(tables, [gold for gold, _ in answers], "sample"),
        paper=paper,
    )


def _verdicts(sample: LabelledSample, step: Step) -> list[bool]:
    return [label.right for label in sample.labels[step].values() if label.right is not None]


def _by(annotator: str) -> Callable[[LabelledSample, Step], bool | None]:
    def right(sample: LabelledSample, step: Step) -> bool | None:
        label = sample.labels[step].get(annotator)
        return None if label is None else label.right

    return right


def _observations(
    samples: Sequence[LabelledSample], steps: Sequence[Step], right: Callable[[LabelledSample, Step], bool | None]
) -> Iterator[Observation]:
    """One observation for each sample with a verdict on any of the steps."""
    for sample in samples:
        verdicts = [verdict for step in steps if (verdict := right(sample, step)) is not None]
        if verdicts:
            yield Observation(sum(verdicts) / len(verdicts), sample.weight, sample.gold)


def _effective_size(observations: Sequence[Observation], share: float) -> float:
    kish = _kish([observation.weight for observation in observations])
    residuals = _by_cluster(observations, lambda one: one.weight * (one.right - share))
    squares = sum(residual**2 for residual in residuals)
    if len(residuals) < 2 or squares <= 0:
        # The answers do not vary, so there is no evidence on whether those in a cluster depend on each other.
        return min(kish, float(len(residuals)))
    weight = sum(observation.weight for observation in observations)
    variance = len(residuals) / (len(residuals) - 1) * squares / weight**2
    return min(kish, share * (1 - share) / variance)


def _clusters_size(observations: Sequence[Observation]) -> float:
    return _kish(_by_cluster(observations, lambda one: one.weight))


def _kish(weights: Sequence[float]) -> float:
    return sum(weights) ** 2 / sum(weight**2 for weight in weights)


def _by_cluster(observations: Sequence[Observation], value: Callable[[Observation], float]) -> list[float]:
    """The sum of a value in each cluster."""
    totals: dict[str, float] = {}
    for observation in observations:
        totals[observation.cluster] = totals.get(observation.cluster, 0.0) + value(observation)
    return list(totals.values())


def _mean(values: Sequence[tuple[float, float]]) -> float | None:
    """The mean of (value, weight) pairs; None if there are none."""
    weight = sum(weight for _, weight in values)
    return sum(value * weight for value, weight in values) / weight if values else None
