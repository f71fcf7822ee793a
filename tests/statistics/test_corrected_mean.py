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

    The deviation of the estimate is a sum over the tasks. A task adds (score − judged mean) + k · (error − mean error),
    divided by 80. There are three kinds of tasks:

    - Labelled: the error is the label minus the score, and k is 2, because the label stands for two tasks.
    - Not labelled, but needs a label: the error is unknown, and k is 0, because another task's label counts twice.
    - Needs no label: the error is 0, and k is 1, because the task stands for itself.

    The variance has the correction 20 / 19, because 20 tasks are labelled.

    A few labels may show no error. So the standard error is computed as if one more task were labelled, with an error
    of 1/2. Like every label, this one stands for 2 of the 80 tasks, and its deviation is 1/2 · 2 / 80.
    """
    judged = [1.0] * 16 + [0.0] * 64
    labels = [1.0, math.nan] * 2 + [0.0, math.nan] * 18 + [math.nan] * 40
    probabilities = [0.5] * 40 + [0.0] * 40
    weights = [1] * 80
    mean_error = -0.15
    squares = (
        40 * (-0.2 + (0 - mean_error)) ** 2  # score 0, no label is needed
        + 12 * (-0.2) ** 2  # score 0, not labelled
        + 12 * (-0.2 + 2 * (0 - mean_error)) ** 2  # score 0, label 0
        + 8 * 0.8**2  # score 1, not labelled
        + 2 * (0.8 + 2 * (0 - mean_error)) ** 2  # score 1, label 1
        + 6 * (0.8 + 2 * (-1 - mean_error)) ** 2  # score 1, label 0
    )
    variance = 20 / 19 * squares / 80**2
    additional_deviation = 0.5 * 2 / 80
    standard_error = math.sqrt(variance + additional_deviation**2)
    half_width = T_19 * standard_error
    assert_fields(
        corrected_mean(judged, labels, range(80), probabilities, weights),
        mean=0.05,
        low=0.0,  # the interval is cut off at 0
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
