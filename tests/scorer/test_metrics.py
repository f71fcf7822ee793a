"""Metrics of HMS."""

import math
from typing import cast

import pytest
from inspect_ai.scorer import MetricProtocol, SampleScore, Score

from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.submission.submission import NO_RESPONSE


def scored(hms: float, reason: str | None = None) -> Score:
    return Score(value={"hms": hms, "context": 1, "variables": hms, "relationship": 1}, reason=reason)


MISSING = scored(0.0, NO_RESPONSE)
UNSCORED = scored(math.nan, "grader_failed")


def metrics_of(*scores: Score, golds: str = "aabc") -> dict[str, float]:
    """The metrics of up to four samples of two domains, with these scores and gold hypotheses."""
    samples = []
    for score, gold, domain in zip(scores, golds, "xxyy", strict=False):
        metadata = {"gold_hypothesis": gold, "domain": domain}
        sample = SampleScore(score=score, sample_metadata=metadata)
        samples.append(sample)

    summary, *_ = hms_metrics()
    summarize = cast(MetricProtocol, summary)
    metrics = summarize(samples)
    return cast(dict[str, float], metrics)


def test_the_mean_of_scored_samples_stands_beside_counts_and_groups() -> None:
    metrics = metrics_of(scored(1.0), scored(0.5), MISSING, UNSCORED)
    expected = {
        "mean": 0.5,
        "judged": 2,
        "no_submission": 1,
        "unscored": 1,
        "in_x": 0.75,
        "in_y": 0,
    }
    for name, value in expected.items():
        assert metrics[name] == pytest.approx(value), name


def test_groups_that_say_nothing_have_no_means() -> None:
    of_one_domain = metrics_of(scored(1.0), scored(0.5))
    assert "in_x" not in of_one_domain


def test_goals_with_one_gold_hypothesis_form_one_cluster() -> None:
    """Two clusters with means 1 and 0: the clustered error is larger than that of four independent samples."""
    scores = [scored(1.0), scored(1.0), scored(0.0), scored(0.0)]
    clustered = metrics_of(*scores, golds="aabb")
    independent = metrics_of(*scores, golds="abcd")
    # C / (C - 1) Σ_clusters (Σ deviations)² / n², with C = 2 and n = 4
    assert clustered["stderr"] == pytest.approx(math.sqrt(2 * (1 + 1)) / 4)
    assert independent["stderr"] == pytest.approx(math.sqrt(4 / 3 * 1.0) / 4)
    for metrics in (clustered, independent):
        assert 0 <= metrics["ci_lower"] < 0.5
        assert 0.5 < metrics["ci_upper"] <= 1


def test_the_interval_contains_the_mean_whatever_unscored_samples_could_have_scored() -> None:
    others = [scored(1.0), scored(0.5), scored(0.5)]
    with_zero = metrics_of(*others, scored(0.0))
    with_one = metrics_of(*others, scored(1.0))
    metrics = metrics_of(*others, UNSCORED)
    assert metrics["mean"] == pytest.approx(2 / 3)
    assert metrics["ci_lower"] == pytest.approx(with_zero["ci_lower"])
    assert metrics["ci_upper"] == pytest.approx(with_one["ci_upper"])


@pytest.mark.parametrize("scores", [[], [UNSCORED, UNSCORED]], ids=["no samples", "unscored samples"])
def test_without_a_score_there_is_no_mean(scores: list[Score]) -> None:
    """Inspect asks for metrics of no samples when an eval starts, and would warn about an error."""
    metrics = metrics_of(*scores)
    for name in ("mean", "stderr", "ci_lower", "ci_upper"):
        assert math.isnan(metrics[name])
    assert metrics["unscored"] == len(scores)
