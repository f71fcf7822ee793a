"""The metric of the score `HMS`, clustered by the gold hypothesis."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from inspect_discoverybench.scorer.claim import CLAIM_KEY, CLAIM_RATE, FALSE_CLAIM_RATE
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.statistics.partial_scores import PartialScores, bounds

if TYPE_CHECKING:
    from inspect_discoverybench.statistics.mean import Estimate

CLUSTER = "gold_hypothesis"
CI_LOWER = "ci_lower"
CI_UPPER = "ci_upper"

COUNTED = {
    "judged": SampleOutcome.JUDGED,
    "unscored": SampleOutcome.UNSCORED,
    "no_submission": SampleOutcome.NO_SUBMISSION,
    "limit": SampleOutcome.LIMIT,
}
"""Counts by name, in their order in the viewer. Samples with an error are not counted: Inspect gives metrics no such
samples."""


@dataclass(frozen=True)
class _Sample:
    """A sample with the scores of each epoch, by key.

    A score is NaN if it is undecided. It is absent if the judge was not asked.
    """

    epochs: list[dict[str, float]]
    metadata: dict[str, Any]

    def score(self, key: str) -> PartialScores:
        """The score of each epoch."""
        return PartialScores([scores[key] for scores in self.epochs])

    def has(self, key: str) -> bool:
        """Whether the scores of all epochs have a key."""
        return all(key in scores for scores in self.epochs)


# The scores are not reduced over epochs. A reducer would lose the unscored epochs, and the reasons why epochs scored 0.
@metric(name="hms", scores="unreduced")
def hms_summary() -> Metric:
    """Mean HMS with its standard error and 95 % interval, and counts of epochs by outcome.

    Every other key of the score, such as `hms_released`, has its own mean, interval and counts over the samples with
    the key. Their names begin with the key: `hms_released` (the mean), `hms_released_ci_lower`,
    `hms_released_ci_upper`, `hms_released_judged` and `hms_released_unscored`. Those of the key `claim` begin with
    `claim_rate`, or on a placebo with `false_claim_rate`. `claim_rate_left_out`, or on a placebo
    `false_claim_rate_left_out`, is the number of epochs that lack the key `claim`.

    Samples that share a gold hypothesis are not independent and form one cluster. The score of a sample with several
    epochs is the mean of those that are scored.
    """

    def summarize(scores: list[SampleScore]) -> Value:
        samples = _samples(scores)
        estimate = _estimate(samples, "hms")
        # Of these values, the viewer shows the first five.
        summary = {
            "mean": estimate.mean,
            CI_LOWER: estimate.low,
            CI_UPPER: estimate.high,
            **_counts(scores, "hms"),
            "stderr": estimate.standard_error,
        }
        for key in _other_keys(samples):
            summary |= _summary_of(key, samples, scores)
        return summary

    return summarize


def _summary_of(key: str, samples: Sequence[_Sample], scores: Sequence[SampleScore]) -> dict[str, float]:
    """The values of the metric for a key other than HMS.

    The mean and its interval are over the samples that have the key in all epochs. The counts are over all epochs that
    have it: `scores` has one score for each epoch of a sample.
    """
    samples_with_key = [sample for sample in samples if sample.has(key)]
    epochs_with_key = [score for score in scores if key in _values(score)]
    estimate = _estimate(samples_with_key, key)
    counts = _counts(epochs_with_key, key)
    name = _name(key, samples_with_key)
    summary = {
        name: estimate.mean,
        f"{name}_{CI_LOWER}": estimate.low,
        f"{name}_{CI_UPPER}": estimate.high,
        # Whether a sample has a submission does not depend on the key. So `no_submission` and `limit`, which count
        # samples without one, are given for HMS only.
        f"{name}_judged": counts["judged"],
        f"{name}_unscored": counts["unscored"],
    }
    if key == CLAIM_KEY:
        # Only this key can be missing from the scores of some samples. On a placebo, the judge is not asked about
        # claims if the gold hypothesis also holds on the permuted columns, because a claim may then be true.
        summary[f"{name}_left_out"] = float(len(scores) - len(epochs_with_key))
    return summary


def _counts(scores: Sequence[SampleScore], key: str) -> dict[str, float]:
    counts = Counter(SampleOutcome.of_score(score.score, key) for score in scores)
    return {name: float(counts[outcome]) for name, outcome in COUNTED.items()}


def _samples(scores: Sequence[SampleScore]) -> list[_Sample]:
    samples: dict[Any, _Sample] = {}
    for score in scores:
        metadata = score.sample_metadata or {}
        sample = samples.setdefault(score.sample_id, _Sample([], metadata))
        sample.epochs.append(_values(score))
    return list(samples.values())


def _other_keys(samples: Sequence[_Sample]) -> list[str]:
    """The keys besides HMS, in the order of the scores."""
    keys: dict[str, None] = {}
    for sample in samples:
        # A sample counts in the mean of a key only if all of its epochs have the key, so the first epoch suffices.
        keys |= dict.fromkeys(sample.epochs[0])
    return [key for key in keys if key != "hms"]


def _name(key: str, samples: Sequence[_Sample]) -> str:
    """The name of the mean of a key."""
    if key != CLAIM_KEY:
        return key
    is_placebo = any(sample.metadata.get("placebo") is not None for sample in samples)
    return FALSE_CLAIM_RATE if is_placebo else CLAIM_RATE


def _estimate(samples: Sequence[_Sample], key: str) -> "Estimate":
    """The mean score with this key over the samples, with its interval.

    The score of an unscored epoch could be anything from 0 to 1. The interval therefore begins where it would begin if
    all unscored epochs had scored 0, and ends where it would end if all of them had scored 1.
    """
    # Imported here, because these modules import scipy, which takes seconds.
    from inspect_discoverybench.statistics.mean import Estimate, estimate_mean

    scores = [sample.score(key) for sample in samples]
    if not any(score.known for score in scores):
        return Estimate(math.nan, math.nan, math.nan, tasks=0, clusters=0)
    clusters = [sample.metadata[CLUSTER] for sample in samples]
    means = [score.mean for score in scores]
    return estimate_mean(means, clusters, possible=bounds(scores))


def _values(score: SampleScore) -> dict[str, float]:
    """The score by key. If somebody has edited it to a single number, this is HMS."""
    if isinstance(score.score.value, Mapping):
        return cast(dict[str, float], score.score.value)
    return {"hms": score.score.as_float()}
