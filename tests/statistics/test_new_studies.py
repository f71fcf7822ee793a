"""What means and differences say about new studies, which a few measured ones cannot tell."""

import math

import numpy as np
import pytest
from simulation import DATA, Tasks

from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.new_studies import NewStudies
from inspect_discoverybench.statistics.paired import compare_paired
from tests.fields import assert_fields

STUDIES = Tasks(DATA["200 tasks, 13 studies (DB-SYNTH test)"]).studies
TASKS = range(200)
ZEROS = np.zeros(200)


def of_mean(scores: np.ndarray) -> NewStudies:
    """A mean on new studies; each task is its own gold hypothesis."""
    new_studies = estimate_mean(scores, TASKS, STUDIES).new_studies
    assert new_studies is not None
    return new_studies


def of_difference(first: np.ndarray, second: np.ndarray) -> NewStudies:
    """A difference on new studies."""
    new_studies = compare_paired(first, second, TASKS, STUDIES).new_studies
    assert new_studies is not None
    return new_studies


def test_each_study_counts_alike_in_the_macro_average_and_is_left_out_once() -> None:
    scores = [0, 0, 1, 0.5, 0, 1]
    estimate = estimate_mean(scores, "abcdef", "xxyyyz")
    assert_fields(
        estimate.new_studies,
        studies=3,
        macro_average=0.5,
        lowest=0.3,
        highest=0.625,
    )


def test_fewer_than_eight_studies_are_too_few_to_say() -> None:
    studies = [*range(7)] * 5
    ones = [1] * 35
    zeros = [0] * 35
    result = compare_paired(ones, zeros, range(35), studies)
    assert_fields(
        result.new_studies,
        low=math.nan,
        high=math.nan,
        p_value=1.0,
        studies=7,
    )


def test_eight_studies_that_agree_are_significant() -> None:
    studies = [*range(8)] * 5
    ones = [1] * 40
    zeros = [0] * 40
    result = compare_paired(ones, zeros, range(40), studies)
    assert result.new_studies is not None
    assert result.new_studies.p_value < 0.05


@pytest.mark.parametrize("studies", [None, ["x", "y", None], ["x", "x", "x"]])
def test_without_the_study_of_every_task_and_several_nothing_is_said(studies: list[str | None] | None) -> None:
    estimate = estimate_mean([0, 1, 1], "abc", studies)
    assert estimate.new_studies is None


def test_equal_scores_of_some_studies_do_not_bind_others() -> None:
    """Of 13 studies, none has a success in 5.5 % of the cases if one study in five has one."""
    zeros = of_mean(ZEROS)
    ones = of_mean(ZEROS + 1)
    difference = of_difference(ZEROS, ZEROS)
    assert zeros.high > 0.19
    assert ones.low < 0.81
    assert difference.high > 0.19


def test_new_studies_are_less_certain_than_these_tasks() -> None:
    random = np.random.default_rng(0)
    first, second = random.choice([0.2, 0.5, 0.8], (2, 200))
    paired = compare_paired(first, second, TASKS, STUDIES)
    new_studies = of_difference(first, second)
    assert new_studies.low < paired.low < paired.high < new_studies.high
