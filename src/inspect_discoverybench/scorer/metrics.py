"""Metrics of the score keys, clustered by the gold hypothesis."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Literal, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, grouped, mean, metric, stderr

from inspect_discoverybench.scorer.facets import FACET_KEYS
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
    each: list[Metric] = [
        mean(),
        stderr(cluster=CLUSTER),
        _named(CI_LOWER, partial(interval_end, "low")),
        _named(CI_UPPER, partial(interval_end, "high")),
    ]
    # The patterns match only with `aggregation=released`.
    facets = dict.fromkeys((*FACET_KEYS, "hms_*", "context_*"), each)
    groups = [_named(name, partial(group_means, field)) for name, field in GROUPS.items()]
    return [
        _named("unscored", unscored),
        _named("judged", partial(count_samples, True), scores="unreduced"),
        _named("no_submission", partial(count_samples, False), scores="unreduced"),
        {"hms": [*each, _named("solvable", solvable), *groups], **facets},
    ]


def _named(name: str, compute: MetricProtocol, scores: Literal["auto", "unreduced"] = "auto") -> Metric:
    """Register a metric under a short name.

    Inspect prefixes the names of metric functions with the name of their package, which would fill the column of an
    80-column terminal. A `partial` does not belong to a package.
    """
    return metric(name, scores=scores)(partial(lambda: compute))()


def interval_end(end: Literal["low", "high"], scores: list[SampleScore]) -> Value:
    """Lower or upper endpoint of the 95% confidence interval of the mean; NaN without scores."""
    if not scores:
        return math.nan
    # Imported here, because every `inspect` command imports this module.
    from inspect_discoverybench.statistics.mean import estimate_mean

    # Each sample without a gold hypothesis, from other tasks, is its own cluster.
    clusters = [(score.sample_metadata or {}).get(CLUSTER, number) for number, score in enumerate(scores)]
    estimate = estimate_mean([score.score.as_float() for score in scores], clusters)
    return estimate.low if end == "low" else estimate.high


def solvable(scores: list[SampleScore]) -> Value:
    """Mean HMS and number of the samples flagged solvable. Only DB-SYNTH has this flag."""
    flags = [(score.sample_metadata or {}).get("solvable") for score in scores]
    flagged = [score for score, flag in zip(scores, flags, strict=True) if flag]
    if not flagged:
        return {} if set(flags) <= {None} else {"samples": 0}
    return {"mean": cast(float, cast(MetricProtocol, mean())(flagged)), "samples": len(flagged)}


def group_means(field: str, scores: list[SampleScore]) -> Value:
    """Mean HMS by a metadata field. Samples without the field are left out.

    There are no means if all samples share one value or if all values are distinct.
    """
    with_field = [score for score in scores if (score.sample_metadata or {}).get(field) is not None]
    by_group = cast(MetricProtocol, grouped(mean(), field, all=False))
    means = cast(dict[str, float], by_group(with_field))
    return dict(sorted(means.items())) if 1 < len(means) < len(with_field) else {}


def unscored(scores: list[SampleScore]) -> Value:
    """Number of unscored samples, and the bounds of mean HMS: if all of them scored 0, and if all scored 1."""
    from inspect_discoverybench.statistics.mean import bounds

    numbers = [value for value in map(_hms, scores) if not math.isnan(value)]
    missing = len(scores) - len(numbers)
    if not missing:
        return {"unscored": 0}
    low, high = bounds(numbers, missing)
    return {"unscored": missing, "lower_bound": low, "upper_bound": high}


def _hms(score: SampleScore) -> float:
    value = score.score.value
    return float(cast(float, value["hms"])) if isinstance(value, Mapping) else math.nan


def count_samples(with_hypothesis: bool, scores: list[SampleScore]) -> Value:
    """Number of judged samples, or of those scored 0 without a hypothesis. Epochs are counted separately."""
    reasons = [score.score.reason for score in scores if not math.isnan(_hms(score))]
    return sum((reason not in WITHOUT_HYPOTHESIS) == with_hypothesis for reason in reasons)
