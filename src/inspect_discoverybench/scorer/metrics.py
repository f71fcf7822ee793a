"""Metrics of the score keys, clustered by the gold hypothesis."""

from typing import cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, ci, grouped, mean, metric, stderr

from inspect_discoverybench.hypothesis import NO_RESPONSE

CLUSTER = "gold_hypothesis"


def hms_metrics() -> dict[str, list[Metric]]:
    """Metrics by score key: mean, standard error and 95% confidence interval; for HMS also counts and group means.

    The interval is a bootstrap interval, which stays within [0, 1] for small samples. Samples that share a gold
    hypothesis are not independent and form one cluster.
    """
    each: list[Metric] = [mean(), stderr(cluster=CLUSTER), ci(method="bootstrap", cluster=CLUSTER)]
    # The patterns match only with `aggregation=subhypotheses`.
    facets = dict.fromkeys(("context", "variables", "relationship", "hms_*", "context_*"), each)
    return {"hms": [*each, solvable(), means(), counts()], **facets}


@metric
def solvable() -> Metric:
    """Mean HMS and number of the samples flagged solvable. Only DB-SYNTH has this flag."""

    def compute(scores: list[SampleScore]) -> Value:
        flagged = [score for score in scores if (score.sample_metadata or {}).get("solvable") is not None]
        solvable_scores = [score for score in flagged if score.sample_metadata and score.sample_metadata["solvable"]]
        if not flagged:
            return {}
        if not solvable_scores:
            return {"solvable_samples": 0}
        return {
            "mean_solvable": cast(float, cast(MetricProtocol, mean())(solvable_scores)),
            "solvable_samples": len(solvable_scores),
        }

    return compute


@metric
def means() -> Metric:
    """Mean HMS by domain, question type and difficulty. Samples without a field are left out of its means.

    A field is skipped if all samples share one value or if all values are distinct. A single metric covers the three
    fields, because Inspect keeps one metric of each name per score key.
    """
    by_field = {
        field: grouped(mean(), field, all=False, name_template=f"{field}: {{group_name}}")
        for field in ("domain", "question_type", "difficulty")
    }

    def compute(scores: list[SampleScore]) -> Value:
        group_means: dict[str, float] = {}
        for field, by_group in by_field.items():
            with_field = [score for score in scores if (score.sample_metadata or {}).get(field) is not None]
            groups = cast(dict[str, float], cast(MetricProtocol, by_group)(with_field))
            if 1 < len(groups) < len(with_field):
                group_means |= dict(sorted(groups.items()))
        return group_means

    return compute


@metric(scores="unreduced")
def counts() -> Metric:
    """Number of judged samples, and of samples scored 0 without a submission. Epochs are counted separately.

    Unscored samples are not passed to metrics. Inspect reports their number as `unscored_samples`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        no_submission = sum(score.score.reason == NO_RESPONSE for score in scores)
        return {"judged": len(scores) - no_submission, "no_submission": no_submission}

    return compute
