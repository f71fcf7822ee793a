"""Metrics of the score `HMS`, clustered by the gold hypothesis."""

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, mean, metric, stderr

from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.submission.submission import WITHOUT_HYPOTHESIS

CLUSTER = "gold_hypothesis"
CI_LOWER = "ci_lower"
CI_UPPER = "ci_upper"

GROUPS = {"in": "domain", "goal": "question_type", "difficulty": "difficulty"}
"""Metrics of group means, such as `in_sociology`, and the metadata fields that they group by. They fit 80 columns."""


def hms_metrics() -> list[Metric | dict[str, list[Metric]]]:
    """Metrics of HMS, under the name of the score, and of each other key.

    Samples that share a gold hypothesis are not independent and form one cluster.
    """
    # The patterns match only with `aggregation=released`.
    other_keys = (*FACET_KEYS, "hms_*", "context_*")
    other_metrics = [mean(), stderr(cluster=CLUSTER)]
    return [hms_summary(), dict.fromkeys(other_keys, other_metrics)]


@metric(name="hms")
def hms_summary() -> Metric:
    """Mean HMS of the scored samples with its interval, counts of samples, and means of groups.

    The score of a sample with several epochs is what Inspect's reducer makes of the epochs that are scored.
    """

    def summarize(scores: list[SampleScore]) -> Value:
        scored = [score for score in scores if not math.isnan(_hms(score.score.value))]
        zeros = [score for score in scored if score.score.reason in WITHOUT_HYPOTHESIS]
        no_submission = len(zeros)
        counts = {
            "judged": len(scored) - no_submission,
            "no_submission": no_submission,
            "unscored": len(scores) - len(scored),
        }
        estimate = _estimate(scores, scored)
        means = _group_means(scored)
        return {**estimate, **counts, **means}

    return summarize


def _estimate(scores: Sequence[SampleScore], scored: Sequence[SampleScore]) -> dict[str, float]:
    """The mean, its standard error and its 95 % interval.

    If samples are unscored, the interval reaches from the lower end if all of them had scored 0 to the upper end if all
    had scored 1.
    """
    if not scored:
        return dict.fromkeys(("mean", "stderr", CI_LOWER, CI_UPPER), math.nan)
    # Imported here, because every `inspect` command imports this module.
    import numpy as np

    from inspect_discoverybench.statistics.mean import estimate_mean

    values = [_hms(score.score.value) for score in scores]
    clusters = [_metadata(score)[CLUSTER] for score in scores]
    lowest = np.nan_to_num(values, nan=0.0)
    highest = np.nan_to_num(values, nan=1.0)
    estimate = estimate_mean(values, clusters, possible=(lowest, highest))
    standard_error = cast(MetricProtocol, stderr(to_float=_hms, cluster=CLUSTER))
    error = cast(float, standard_error([*scored]))
    return {
        "mean": estimate.mean,
        "stderr": error,
        CI_LOWER: estimate.low,
        CI_UPPER: estimate.high,
    }


def _group_means(scored: Sequence[SampleScore]) -> dict[str, float]:
    """Mean HMS by metadata fields. A field has no means if all samples share one value or if all values differ."""
    means = {}
    for name, field in GROUPS.items():
        groups = defaultdict(list)
        for score in scored:
            group = _metadata(score).get(field)
            if group is not None:
                groups[group].append(_hms(score.score.value))

        if 1 < len(groups) < len(scored):
            for group in sorted(groups):
                means[f"{name}_{group}"] = fmean(groups[group])
    return means


def _hms(value: Value) -> float:
    return cast(dict[str, float], value)["hms"]


def _metadata(score: SampleScore) -> dict[str, Any]:
    return score.sample_metadata or {}
