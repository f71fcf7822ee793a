"""Metrics of the score keys, clustered by the gold hypothesis."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, grouped, mean, stderr

from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.named_metric import named_metric
from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS

CLUSTER = "gold_hypothesis"
CI_LOWER, CI_UPPER = "ci_lower", "ci_upper"

GROUPS = {"in": "domain", "goal": "question_type", "difficulty": "difficulty"}
"""Metrics of group means, such as `in_sociology`, and the metadata fields that they group by. They fit 80 columns."""


def hms_metrics() -> list[Metric | dict[str, list[Metric]]]:
    """Metrics of the score `HMS`, and of each of its keys.

    The score has counts, and bounds of the mean if samples are unscored. Each key has the mean, standard error and 95%
    confidence interval; `hms` also group means. Samples that share a gold hypothesis are not independent and form one
    cluster. docs/statistics.md describes the interval.
    """
    each_key: list[Metric] = [
        mean(),
        stderr(cluster=CLUSTER),
        named_metric(CI_LOWER, partial(interval_end, "low")),
        named_metric(CI_UPPER, partial(interval_end, "high")),
    ]
    groups = [named_metric(name, partial(group_means, field)) for name, field in GROUPS.items()]
    # The patterns match only with `aggregation=released`.
    other_keys = (*FACET_KEYS, "hms_*", "context_*")
    return [
        named_metric("unscored", unscored),
        named_metric("judged", judged, scores="unreduced"),
        named_metric("no_submission", no_submission, scores="unreduced"),
        {"hms": [*each_key, *groups], **dict.fromkeys(other_keys, each_key)},
    ]


def interval_end(end: Literal["low", "high"], scores: list[SampleScore]) -> Value:
    """Lower or upper endpoint of the 95% confidence interval of the mean. Without scores, Inspect records NaN."""
    # Imported here, because every `inspect` command imports this module.
    from inspect_discoverybench.statistics.mean import estimate_mean

    values = [score.score.as_float() for score in scores]
    # Each sample without a gold hypothesis, from other tasks, is its own cluster.
    clusters = [_metadata(score).get(CLUSTER, number) for number, score in enumerate(scores)]
    estimate = estimate_mean(values, clusters)
    return estimate.low if end == "low" else estimate.high


def group_means(field: str, scores: list[SampleScore]) -> Value:
    """Mean HMS by a metadata field. Samples without the field are left out.

    There are no means if all samples share one value or if all values are distinct.
    """
    with_field = [score for score in scores if _metadata(score).get(field) is not None]
    by_group = cast(MetricProtocol, grouped(mean(), field, all=False))
    means = cast(dict[str, float], by_group(with_field))

    if len(means) == 1 or len(means) == len(with_field):
        return {}
    names = sorted(means)
    return {name: means[name] for name in names}


def unscored(scores: list[SampleScore]) -> Value:
    """Number of unscored samples, and the bounds of mean HMS: if all of them scored 0, and if all scored 1."""
    from inspect_discoverybench.statistics.mean import bounds

    numbers = [_hms(score) for score in _scored(scores)]
    missing = len(scores) - len(numbers)
    if not missing:
        return {"unscored": 0}
    low, high = bounds(numbers, missing)
    return {"unscored": missing, "lower_bound": low, "upper_bound": high}


def judged(scores: list[SampleScore]) -> Value:
    """Number of samples that the judge scored. Epochs are counted separately."""
    return len(_scored(scores)) - len(_without_hypothesis(scores))


def no_submission(scores: list[SampleScore]) -> Value:
    """Number of samples scored 0 without a hypothesis. Epochs are counted separately."""
    return len(_without_hypothesis(scores))


def _scored(scores: list[SampleScore]) -> list[SampleScore]:
    return [score for score in scores if not math.isnan(_hms(score))]


def _without_hypothesis(scores: list[SampleScore]) -> list[SampleScore]:
    return [score for score in _scored(scores) if score.score.reason in WITHOUT_HYPOTHESIS]


def _hms(score: SampleScore) -> float:
    value = score.score.value
    if not isinstance(value, Mapping):
        return math.nan
    return cast(float, value["hms"])


def _metadata(score: SampleScore) -> dict[str, Any]:
    return score.sample_metadata or {}
