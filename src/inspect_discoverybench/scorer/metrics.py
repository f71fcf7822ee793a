"""Metrics of the score `HMS`, clustered by the gold hypothesis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Score, Value, mean, metric, stderr

from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS

CLUSTER = "gold_hypothesis"
CI_LOWER = "ci_lower"
CI_UPPER = "ci_upper"


def hms_metrics() -> list[Metric | dict[str, list[Metric]]]:
    """Metrics of HMS, under the name of the score, and of each other key.

    There are two of HMS: of samples, and of epochs.

    Samples that share a gold hypothesis are not independent and form one cluster.
    """
    # The patterns match only with `aggregation=released`.
    other_keys = (*FACET_KEYS, "hms_*", "context_*")
    other_metrics = [mean(), stderr(cluster=CLUSTER)]
    return [hms_summary(), hms_epochs(), dict.fromkeys(other_keys, other_metrics)]


@dataclass(frozen=True)
class _Sample:
    """A sample with HMS of each epoch, which is NaN if it is unscored."""

    epochs: list[float]
    metadata: dict[str, Any]

    @property
    def hms(self) -> float:
        """Mean of the scored epochs; NaN without one."""
        scored = [value for value in self.epochs if not math.isnan(value)]
        return fmean(scored) if scored else math.nan

    def hms_if(self, unscored: float) -> float:
        """Mean of all epochs if the unscored ones had this score."""
        total = 0.0
        for value in self.epochs:
            total += unscored if math.isnan(value) else value
        return total / len(self.epochs)


@metric(name="hms")
def hms_summary() -> Metric:
    """Mean HMS of the scored samples with its standard error.

    The score of a sample with several epochs is what Inspect's reducer makes of the epochs that are scored.
    """

    def summarize(scores: list[SampleScore]) -> Value:
        samples = _samples(scores)
        scored = [sample for sample in samples if not math.isnan(sample.hms)]
        if not scored:
            return {"mean": math.nan, "stderr": math.nan}
        mean_hms = fmean(sample.hms for sample in scored)
        error = _standard_error(scored)
        return {"mean": mean_hms, "stderr": error}

    return summarize


# Inspect's reducer leaves out unscored epochs, and why an epoch scored 0.
@metric(name="hms_epochs", scores="unreduced")
def hms_epochs() -> Metric:
    """The 95 % interval of mean HMS, and counts of epochs."""

    def summarize(scores: list[SampleScore]) -> Value:
        samples = _samples(scores)
        counts = {"judged": 0, "no_submission": 0, "unscored": 0}
        for score in scores:
            outcome = _outcome(score)
            counts[outcome] += 1
        interval = _interval(samples)
        return {**interval, **counts}

    return summarize


def _outcome(score: SampleScore) -> str:
    if math.isnan(_hms(score)):
        return "unscored"
    if score.score.reason in WITHOUT_HYPOTHESIS:
        return "no_submission"
    return "judged"


def _samples(scores: Sequence[SampleScore]) -> list[_Sample]:
    samples: dict[Any, _Sample] = {}
    for score in scores:
        metadata = score.sample_metadata or {}
        sample = samples.setdefault(score.sample_id, _Sample([], metadata))
        sample.epochs.append(_hms(score))
    return list(samples.values())


def _interval(samples: Sequence[_Sample]) -> dict[str, float]:
    """The 95 % interval of the mean.

    If epochs are unscored, it reaches from the lower end if all of them had scored 0 to the upper end if all had
    scored 1.
    """
    values = [sample.hms for sample in samples]
    if all(map(math.isnan, values)):
        return {CI_LOWER: math.nan, CI_UPPER: math.nan}
    # Imported here, because every `inspect` command imports this module.
    from inspect_discoverybench.statistics.mean import estimate_mean

    clusters = [sample.metadata[CLUSTER] for sample in samples]
    lowest = [sample.hms_if(unscored=0.0) for sample in samples]
    highest = [sample.hms_if(unscored=1.0) for sample in samples]
    estimate = estimate_mean(values, clusters, possible=(lowest, highest))
    return {CI_LOWER: estimate.low, CI_UPPER: estimate.high}


def _standard_error(scored: Sequence[_Sample]) -> float:
    scores = []
    for sample in scored:
        score = Score(value=sample.hms)
        scores.append(SampleScore(score=score, sample_metadata=sample.metadata))
    compute = cast(MetricProtocol, stderr(cluster=CLUSTER))
    return cast(float, compute(scores))


def _hms(score: SampleScore) -> float:
    return cast(dict[str, float], score.score.value)["hms"]
