"""The mean corrected for the judge's errors, against closed forms."""

import math

import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.statistics.corrected_mean import corrected_mean
from tests.fields import assert_fields

T_19 = 2.0930240544
"""Quantile of Student's t with 19 degrees of freedom for a 95 % interval."""


def test_the_estimate_and_its_interval_by_hand() -> None:
    """Double sampling as in Cochran (1977, chapter 12): of 40 tasks, every second one is labelled; 40 need no label.

    The judge scores 16 of the 80 tasks 1, so the judged mean is 0.2. Of these 16 tasks, 8 are labelled, and 6 of their
    labels are 0. Each label stands for 2 tasks, so the mean error is −6 · 2 / 80 = −0.15, and the mean is 0.05.

    A task contributes to the deviation of the mean, times 80: (score − 0.2) + k · (error + 0.15), where k is the number
    of tasks that its label stands for. k is 2 with a label, 0 without, and 1 (with error 0) if no label is needed. The
    squares of these deviations are:
    - 40 tasks that need no label: (−0.2 + 0.15)² each.
    - 24 tasks scored 0: 12 without label, 0.2² each; 12 with label, all right, (−0.2 + 2 · 0.15)² each.
    - 16 tasks scored 1: 8 without label, 0.8² each; 2 that are right, (0.8 + 2 · 0.15)² each; 6 that are wrong,
      (0.8 − 2 · 0.85)² each.
    Their sum is 13.1. The variance has the correction 20 / 19, because 20 tasks are labelled.

    The standard error also has one more label, with an error of 1/2. It stands for 1/40 of the tasks, as the others do.
    """
    judged = [1.0] * 16 + [0.0] * 64
    labels = [1.0, math.nan] * 2 + [0.0, math.nan] * 18 + [math.nan] * 40
    probabilities = [0.5] * 40 + [0.0] * 40
    weights = [1] * 80
    variance = 20 / 19 * 13.1 / 80**2
    additional = 0.5 / 40
    error = math.sqrt(variance + additional**2)
    half_width = T_19 * error
    assert_fields(
        corrected_mean(judged, labels, range(80), probabilities, weights),
        mean=0.05,
        low=0.0,
        high=0.05 + half_width,
        tasks=80,
        clusters=80,
    )


def test_a_label_that_was_drawn_with_probability_0_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="above 0, got 0"):
        corrected_mean([0.5] * 4, [1.0] * 4, range(4), probabilities=[0.0] * 4, weights=[1.0] * 4)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_labels_of_fewer_than_two_clusters_are_refused(count: int) -> None:
    judged = [0.5] * 4
    labels = [1.0] * count + [math.nan] * (4 - count)
    clusters = ["a", "a", "b", "c"]
    with pytest.raises(InvalidArgument, match=f"at least two clusters need labels, got {min(count, 1)}"):
        corrected_mean(judged, labels, clusters, probabilities=[0.5] * 4, weights=[1.0] * 4)
