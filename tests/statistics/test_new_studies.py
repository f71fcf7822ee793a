"""What means and differences say about new studies, which a few measured ones cannot tell."""

import math

import numpy as np
import pytest
from simulation import DATA, Tasks

from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.new_studies import NewStudies
from inspect_discoverybench.statistics.paired import compare_paired
from tests.fields import assert_fields

STUDIES = Tasks.of(DATA["200 tasks, 13 studies (DB-SYNTH test)"]).studies
TASKS = range(200)


def of_mean(scores: np.ndarray) -> NewStudies:
    """What the mean of 200 tasks of 13 studies says about new studies. Each task is its own gold hypothesis."""
    estimate = estimate_mean(scores, TASKS, STUDIES)
    assert estimate.new_studies is not None
    return estimate.new_studies


def test_each_study_is_left_out_once() -> None:
    scores = [0, 0, 1, 0.5, 0, 1]
    estimate = estimate_mean(scores, "abcdef", "xxyyyz")
    # The mean is 1.5 / 5 without study z, and 2.5 / 4 without x.
    assert_fields(
        estimate.new_studies,
        studies=3,
        lowest=0.3,
        highest=0.625,
    )


def test_fewer_than_eight_studies_are_too_few_to_say() -> None:
    ones = [1] * 7
    zeros = [0] * 7
    result = compare_paired(ones, zeros, "abcdefg", "tuvwxyz")
    assert_fields(
        result.new_studies,
        low=math.nan,
        high=math.nan,
        p_value=1.0,
        studies=7,
    )


def test_eight_studies_that_agree_are_significant() -> None:
    ones = [1] * 8
    zeros = [0] * 8
    result = compare_paired(ones, zeros, "abcdefgh", "stuvwxyz")
    assert result.new_studies is not None
    assert result.new_studies.p_value < 0.05


@pytest.mark.parametrize(
    ("sizes", "is_given"),
    [
        ([5] * 8, True),  # the effective number of studies, (Σ n)² / Σ n², is 8
        ([6] + [5] * 8, True),  # 8.97
        ([6] + [5] * 7, False),  # 7.97
        ([60] + [2] * 20, False),  # 2.7
        ([60, 40] + [1] * 17, False),  # 2.6
    ],
)
def test_an_interval_needs_an_effective_number_of_eight_studies(sizes: list[int], is_given: bool) -> None:
    """Studies of different sizes count as a smaller number of equally large ones.

    With 60 % of the tasks in one of 21 studies, an interval would span the whole range.
    """
    studies = np.repeat(range(len(sizes)), sizes).tolist()
    scores = [task % 2 for task in range(len(studies))]
    of_mean = estimate_mean(scores, range(len(studies)), studies).new_studies
    of_difference = compare_paired(scores, [0] * len(studies), range(len(studies)), studies).new_studies
    assert of_mean is not None
    assert of_difference is not None
    assert is_given == (not math.isnan(of_mean.low))
    assert is_given == (not math.isnan(of_difference.low))
    assert of_mean.studies == len(sizes)  # the number itself, and not the effective one


@pytest.mark.parametrize("studies", [["x", "y", None], ["x", "x", "x"]])
def test_nothing_is_said_if_a_task_has_no_study_or_all_have_the_same(studies: list[str | None]) -> None:
    scores = [0, 1, 1]
    estimate = estimate_mean(scores, "abc", studies)
    assert estimate.new_studies is None


def test_the_interval_is_wide_although_all_measured_studies_have_equal_scores() -> None:
    """If one study in five had successes, 13 studies would all have none with the probability 0.8^13 = 5.5 %.

    So 13 studies without a success do not exclude a share of nearly 0.2, and 13 with only successes do not exclude one
    of nearly 0.8.
    """
    zeros = np.zeros(len(TASKS))
    ones = np.ones(len(TASKS))
    of_zeros = of_mean(zeros)
    of_ones = of_mean(ones)
    assert of_zeros.high > 0.19
    assert of_ones.low < 0.81


@pytest.mark.parametrize(
    ("first", "studies_differ"),
    [
        ([1, 0] * 16, False),  # one win and one loss in each study of two tasks
        ([1] * 16 + [0] * 16, True),  # two wins, or two losses
    ],
)
def test_new_studies_are_never_more_certain_than_these_tasks(first: list[float], studies_differ: bool) -> None:
    second = [0.5] * 32
    studies = [task // 2 for task in range(32)]
    result = compare_paired(first, second, range(32), studies)
    new_studies = result.new_studies
    assert new_studies is not None
    assert new_studies.low <= result.low
    assert new_studies.high >= result.high
    is_wider = new_studies.high > result.high
    assert is_wider == studies_differ
