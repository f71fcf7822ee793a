"""Metrics of the four score keys, clustered by the gold hypothesis."""

from typing import cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, ci, grouped, mean, metric, stderr

NO_RESPONSE = "no_response"
CLUSTER = "gold_hypothesis"


def hms_metrics() -> dict[str, list[Metric]]:
    """Metrics by score key: mean, standard error and 95 % interval; for HMS also counts, and means by group.

    The interval is a bootstrap, which stays within 0 and 1 for few samples too. Goals that share a gold hypothesis are
    not independent, so they form one cluster.
    """
    each: list[Metric] = [mean(), stderr(cluster=CLUSTER), ci(method="bootstrap", cluster=CLUSTER)]
    # Patterns add no key where nothing matches them: the sub-hypotheses have keys only where they are aggregated.
    facets = dict.fromkeys(("context", "variables", "relationship", "hms_*", "context_*"), each)
    return {"hms": [*each, solvable(), means(), counts()], **facets}


@metric
def solvable() -> Metric:
    """Mean over the samples that can be solved from the data, and their number, where that is known (DB-SYNTH)."""

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
    """Mean for each domain, question type and difficulty; samples that lack one of these are left out of its means.

    A field is left out where it groups nothing, because all of its values are equal or all are different. One metric
    serves the three fields, as Inspect keeps one metric of a name for each score key.
    """
    by_field = {
        field: grouped(mean(), field, all=False, name_template=f"{field}: {{group_name}}")
        for field in ("domain", "question_type", "difficulty")
    }

    def compute(scores: list[SampleScore]) -> Value:
        group_means: dict[str, float] = {}
        for field, by_group in by_field.items():
            having = [score for score in scores if (score.sample_metadata or {}).get(field) is not None]
            groups = cast(dict[str, float], cast(MetricProtocol, by_group)(having))
            if 1 < len(groups) < len(having):
                group_means |= dict(sorted(groups.items()))
        return group_means

    return compute


@metric(scores="unreduced")
def counts() -> Metric:
    """Samples that the judge scored, and samples scored 0 because nothing was submitted.

    Every epoch counts by itself. Samples that the judge failed on reach no metric; Inspect's results count them as
    `unscored_samples`.
    """

    def compute(scores: list[SampleScore]) -> Value:
        without = sum(score.score.reason == NO_RESPONSE for score in scores)
        return {"judged": len(scores) - without, "no_submission": without}

    return compute
