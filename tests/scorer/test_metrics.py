"""Metrics of HMS."""

import math
from typing import cast

import pytest
from inspect_ai.scorer import MetricProtocol, SampleScore, Score

from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.submission.submission import NO_RESPONSE


def scored(hms: float, reason: str | None = None) -> Score:
    value = {
        "hms": hms,
        "context": 1,
        "variables": hms,
        "relationship": 1,
    }
    return Score(value=value, reason=reason)


ONE = scored(1.0)
HALF = scored(0.5)
ZERO = scored(0.0)
MISSING = scored(0.0, NO_RESPONSE)
UNSCORED = scored(math.nan, "grader_failed")


def metrics_of(*scores: Score, golds: str = "aabc") -> dict[str, float]:
    """The metrics of up to four samples of two domains, with these scores and gold hypotheses."""
    samples = []
    domains = "xxyy"
    for score, gold, domain in zip(scores, golds, domains, strict=False):
        metadata = {
            "gold_hypothesis": gold,
            "domain": domain,
            "question_type": "variables",
        }
        sample = SampleScore(score=score, sample_metadata=metadata)
        samples.append(sample)

    summary, _ = hms_metrics()
    summarize = cast(MetricProtocol, summary)
    metrics = summarize(samples)
    return cast(dict[str, float], metrics)


def test_the_mean_of_scored_samples_stands_beside_counts_and_groups() -> None:
    metrics = metrics_of(ONE, HALF, MISSING, UNSCORED)
    assert metrics["mean"] == 0.5
    assert metrics["judged"] == 2
    assert metrics["no_submission"] == 1
    assert metrics["unscored"] == 1
    assert metrics["in_x"] == 0.75
    assert metrics["in_y"] == 0
    # All samples have the same question type.
    assert "goal_variables" not in metrics


def test_goals_with_one_gold_hypothesis_form_one_cluster() -> None:
    """Two clusters with means 1 and 0: the clustered error is larger than that of four independent samples."""
    scores = [ONE, ONE, ZERO, ZERO]
    clustered = metrics_of(*scores, golds="aabb")
    independent = metrics_of(*scores, golds="abcd")
    # C / (C - 1) Σ_clusters (Σ deviations)² / n², with C = 2 and C = 4, and n = 4
    clustered_variance = 2 * (1 + 1) / 16
    independent_variance = 4 / 3 / 16
    assert clustered["stderr"] == pytest.approx(math.sqrt(clustered_variance))
    assert independent["stderr"] == pytest.approx(math.sqrt(independent_variance))

    assert clustered["ci_lower"] < independent["ci_lower"]
    assert clustered["ci_upper"] > independent["ci_upper"]


def test_the_interval_contains_the_mean_whatever_unscored_samples_could_have_scored() -> None:
    lowest = metrics_of(ONE, HALF, HALF, ZERO)
    highest = metrics_of(ONE, HALF, HALF, ONE)
    metrics = metrics_of(ONE, HALF, HALF, UNSCORED)
    assert metrics["mean"] == pytest.approx(2 / 3)
    assert metrics["ci_lower"] == lowest["ci_lower"]
    assert metrics["ci_upper"] == highest["ci_upper"]


@pytest.mark.parametrize("scores", [[], [UNSCORED, UNSCORED]], ids=["no samples", "unscored samples"])
def test_without_a_score_there_is_no_mean(scores: list[Score]) -> None:
    """Inspect asks for metrics of no samples when an eval starts, and would warn about an error."""
    metrics = metrics_of(*scores)
    mean = metrics["mean"]
    assert math.isnan(mean)
    assert metrics["unscored"] == len(scores)
