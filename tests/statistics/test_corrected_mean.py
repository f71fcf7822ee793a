"""The mean corrected for the judge's errors, against closed forms and simulations."""

import math

import numpy as np
import pytest
from simulation import DATA, SETTINGS, Tasks, simulate

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.corrected_mean import corrected_mean
from tests.fields import assert_fields

TASKS = Tasks(DATA["239 tasks, 6 studies (DB-REAL test)"])
EQUAL = [1] * 239

T_19 = 2.0930240544
"""Quantile of Student's t with 19 degrees of freedom for a 95 % interval."""

JUDGED = [1.0] * 16 + [0.0] * 24
LABELS = [1.0, math.nan] * 2 + [0.0, math.nan] * 18


def test_the_estimate_and_its_interval_by_hand() -> None:
    """Double sampling as in Cochran (1977, chapter 12): 40 tasks, of which every second one is labelled.

    The judge scores 16 tasks 1, so the judged mean is 0.4. Half of these are labelled, and 6 of the 8 labels are 0:
    the mean error is −6 / 20. Each sum of squares of the deviations, times 40²:
    - 24 tasks scored 0: 12 without label, 0.4² each; 12 with, (−0.4 + 2 · 0.3)².
    - 16 tasks scored 1: 8 without label, 0.6² each; 2 right, (0.6 + 2 · 0.3)²; 6 wrong, (0.6 − 2 · 0.7)².
    The sum is 12. One more label has an error of 1/2.
    """
    variance = 20 / 19 * 12 / 40**2
    additional = 0.5 / 20
    half_width = T_19 * math.hypot(math.sqrt(variance), additional)
    assert_fields(
        corrected_mean(JUDGED, LABELS, range(40), [1] * 40, [1] * 40),
        mean=0.1,
        low=0.0,
        high=0.1 + half_width,
        tasks=40,
        clusters=40,
    )


def test_tasks_that_need_no_label_count_in_the_mean_and_not_as_labels() -> None:
    """40 more tasks that the judge scored 0 halve the mean. The sum of squares, times 80², is 13.1."""
    judged = JUDGED + [0.0] * 40
    labels = LABELS + [math.nan] * 40
    probabilities = [0.5] * 40 + [0.0] * 40
    variance = 20 / 19 * 13.1 / 80**2
    additional = 0.5 / 40
    half_width = T_19 * math.hypot(math.sqrt(variance), additional)
    assert_fields(
        corrected_mean(judged, labels, range(80), probabilities, [1] * 80),
        mean=0.05,
        high=0.05 + half_width,
    )


def test_a_judge_whose_scores_say_nothing_leaves_the_weighted_mean_of_the_labels() -> None:
    random = np.random.default_rng(2)
    true = random.choice([0.0, 0.0, 0.5, 1.0], 239)
    probabilities = np.where(true > 0, 0.8, 0.3)
    is_drawn = random.random(239) < probabilities
    labels = np.where(is_drawn, true, math.nan)
    estimate = corrected_mean([0.5] * 239, labels, TASKS.golds, probabilities, EQUAL)
    drawn = true[is_drawn]
    expected = np.average(drawn, weights=1 / probabilities[is_drawn])
    assert estimate.mean == pytest.approx(expected)
    assert estimate.mean < drawn.mean() - 0.1


@pytest.mark.parametrize(
    ("labelled", "probability", "message"),
    [
        (1, 1.0, "at least 10 gold hypotheses, got 1"),
        (0, 1.0, "At least one score"),
        (239, 0.0, "above 0, got 0"),
    ],
)
def test_invalid_labels(labelled: int, probability: float, message: str) -> None:
    labels = [1.0] * labelled + [math.nan] * (239 - labelled)
    probabilities = [probability] * 239
    with pytest.raises(InvalidArgument, match=message):
        corrected_mean([0.5] * 239, labels, TASKS.golds, probabilities, EQUAL)


@pytest.mark.parametrize("chance", [0.02, 0.1, 0.25, 0.5])
def test_coverage(chance: float, sweep: None) -> None:
    """Of a judge that misses one success in four."""
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(300):
        system, _ = simulate(random, TASKS, SETTINGS["usual"], (chance, chance))
        is_seen = random.random(239) >= 0.25
        is_drawn = random.permutation(239) < 100
        labels = np.where(is_drawn, system.scores, math.nan)
        estimate = corrected_mean(system.scores * is_seen, labels, TASKS.golds, EQUAL, EQUAL)
        covered += estimate.low <= system.on_these_studies <= estimate.high
    assert covered / 300 >= 0.92  # 93 %, less the standard error
