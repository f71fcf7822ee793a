"""Metrics of the four score keys, clustered by the gold hypothesis."""

from inspect_ai.scorer import Metric, SampleScore, Value, ci, grouped, mean, metric, stderr

NO_RESPONSE = "no_response"
CLUSTER = "gold_hypothesis"


def hms_metrics(*groups: str) -> dict[str, list[Metric]]:
    """Metrics by score key: mean, standard error and 95 % interval; for HMS also counts, and means by group.

    Goals that share a gold hypothesis are not independent, so they form one cluster.

    Args:
        groups: Fields of the sample's metadata; HMS gets a mean for each value of each.
    """
    each: list[Metric] = [mean(), stderr(cluster=CLUSTER), ci(cluster=CLUSTER)]
    means = [grouped(mean(), field, all=False, name_template=f"{field}: {{group_name}}") for field in groups]
    return {"hms": [*each, *means, counts()], "context": each, "variables": each, "relationship": each}


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
