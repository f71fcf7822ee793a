"""Metrics of HMS."""

import math
from typing import cast

import pytest
from inspect_ai.scorer import MetricProtocol, SampleScore, Score

from inspect_discoverybench.scorer.metrics import hms_summary
from inspect_discoverybench.submission.submission import NO_RESPONSE
from tests.endpoint import Request, question
from tests.scorer.judging import InProcessJudge, evaluate, scripted


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
    """The metrics of samples with these scores. The gold hypothesis of each sample is a letter of `golds`."""
    samples = []
    cases = zip(scores, golds, strict=False)
    for number, (score, gold) in enumerate(cases):
        metadata = {"gold_hypothesis": gold}
        sample = SampleScore(score=score, sample_id=number, sample_metadata=metadata)
        samples.append(sample)
    return summarize(samples)


def summarize(samples: list[SampleScore]) -> dict[str, float]:
    compute = cast(MetricProtocol, hms_summary())
    return cast(dict[str, float], compute(samples))


def test_the_mean_of_scored_samples_stands_beside_counts() -> None:
    metrics = metrics_of(ONE, HALF, MISSING, UNSCORED)
    assert metrics["mean"] == metrics["variables"] == (1 + 0.5 + 0) / 3
    assert metrics["judged"] == 2
    assert metrics["no_submission"] == 1
    assert metrics["unscored"] == 1


def test_goals_with_the_same_gold_hypothesis_form_one_cluster() -> None:
    """The error of two clusters, with the means 1 and 0, is larger than that of four independent samples."""
    scores = [ONE, ONE, ZERO, ZERO]
    clustered = metrics_of(*scores, golds="aabb")
    independent = metrics_of(*scores, golds="abcd")
    # C / (C - 1) Σ_clusters (Σ deviations)² / n². Here n = 4, and each deviation from the mean of 0.5 is ±0.5.
    clustered_variance = 2 / (2 - 1) * 2 * (0.5 + 0.5) ** 2 / 4**2  # C = 2
    independent_variance = 4 / (4 - 1) * 4 * 0.5**2 / 4**2  # C = 4
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


def test_epochs_are_averaged_and_each_one_is_counted() -> None:
    samples = []
    for number, epochs in enumerate([[ONE, UNSCORED], [HALF, MISSING], [ONE, ONE]]):
        metadata = {"gold_hypothesis": number}
        for score in epochs:
            sample = SampleScore(score=score, sample_id=number, sample_metadata=metadata)
            samples.append(sample)
    metrics = summarize(samples)
    assert metrics["mean"] == metrics["variables"] == pytest.approx((1 + (0.5 + 0) / 2 + 1) / 3)
    assert metrics["judged"] == 4
    assert metrics["no_submission"] == 1
    assert metrics["unscored"] == 1

    # The unscored epoch could have scored 0 or 1. Then the mean of the first sample would be 0.5 or 1.
    quarter = scored(0.25)  # the mean of HALF and MISSING
    lowest = metrics_of(HALF, quarter, ONE, golds="abc")
    highest = metrics_of(ONE, quarter, ONE, golds="abc")
    # The error is that of the known means, 1, 0.25 and 1.
    assert metrics["stderr"] == pytest.approx(highest["stderr"])
    assert metrics["ci_lower"] == pytest.approx(lowest["ci_lower"])
    assert metrics["ci_upper"] == pytest.approx(highest["ci_upper"])


def test_the_metrics_in_the_log_count_each_epoch() -> None:
    agreeing = scripted()
    # All three attempts at one question are invalid. Samples run one by one, so all three belong to one sample.
    invalid_replies = iter(["?"] * 3)

    def answer(request: Request) -> str:
        if question(request) == "relationship":
            return next(invalid_replies, '{"answer": "A"}')
        return str(agreeing(request))

    judge = InProcessJudge(answer)
    log = evaluate(judge.model, numbers=[1, 2], epochs=2, max_samples=1)
    assert log.results
    [hms] = log.results.scores
    assert hms.metrics["mean"].value == 1
    assert hms.metrics["judged"].value == 3
    assert hms.metrics["unscored"].value == 1
    # The undecided facet is left out.
    assert hms.metrics["relationship"].value == 1


@pytest.mark.parametrize("scores", [[], [UNSCORED, UNSCORED]], ids=["no samples", "unscored samples"])
def test_without_a_score_there_is_no_mean(scores: list[Score]) -> None:
    """Inspect asks for metrics of no samples when an eval starts, and would warn about an error."""
    metrics = metrics_of(*scores)
    mean = metrics["mean"]
    assert math.isnan(mean)
    assert metrics["unscored"] == len(scores)


def test_a_zero_at_a_limit_is_counted_apart_from_other_missing_submissions() -> None:
    at_limit = MISSING.model_copy(update={"metadata": {"limit": "Token limit exceeded"}})
    # Submitted and judged before the limit.
    submitted = ONE.model_copy(update={"metadata": {"limit": "Token limit exceeded"}})
    metrics = metrics_of(at_limit, MISSING, submitted, UNSCORED)
    counts = [metrics[name] for name in ("judged", "no_submission", "limit", "unscored")]
    assert counts == [1, 1, 1, 1]


def test_every_key_has_counts_and_an_interval_of_its_own() -> None:
    """Four of six are undecided. The interval contains the mean if all four were 0, and the mean if all were 1."""
    decided = [score_with(hms_released=value) for value in (0.0, 0.5)]
    undecided = [score_with(hms_released=math.nan)] * 4
    metrics = metrics_of(*decided, *undecided, golds="abcdef")
    assert metrics["judged"] == 6
    assert metrics["unscored"] == 0
    assert metrics["hms_released"] == 0.25
    assert metrics["hms_released_judged"] == 2
    assert metrics["hms_released_unscored"] == 4
    assert metrics["hms_released_ci_lower"] < (0 + 0.5 + 4 * 0) / 6
    assert metrics["hms_released_ci_upper"] > (0 + 0.5 + 4 * 1) / 6
    assert metrics["context_unscored"] == 0

    # A sample without a submission scores 0 on every key.
    zero = score_with(hms_released=0.0, hms=0.0).model_copy(update={"reason": NO_RESPONSE})
    metrics = metrics_of(zero, *decided, golds="abc")
    assert metrics["no_submission"] == 1
    assert metrics["hms_released_judged"] == 2
    assert metrics["hms_released_unscored"] == 0


@pytest.mark.parametrize("order", [1, -1], ids=["asked first", "asked last"])
def test_a_key_that_only_some_samples_have_has_a_mean_in_any_order_of_the_samples(order: int) -> None:
    scores = [score_with(claim=1.0), score_with(claim=0.0), ONE]
    metrics = metrics_of(*scores[::order], golds="abc")
    assert metrics["claim_rate"] == 0.5
    assert metrics["claim_rate_judged"] == 2
    assert metrics["claim_rate_left_out"] == 1
    assert metrics["mean"] == 1


@pytest.mark.parametrize("value", [0.5, 1, True])
def test_a_score_that_somebody_has_edited_to_a_number_is_hms(value: float) -> None:
    metrics = metrics_of(ONE, Score(value=value), golds="ab")
    assert metrics["mean"] == (1 + value) / 2
    assert metrics["judged"] == 2
    assert metrics["context"] == 1
    assert metrics["context_judged"] == 1


def score_with(**values: float) -> Score:
    return Score(value={"hms": 1.0, "context": 1.0, "variables": 1.0, "relationship": 1.0, **values})
