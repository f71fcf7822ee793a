"""What means and differences say about new studies, which a few measured ones cannot tell."""

import math

import numpy as np
import pytest
from simulation import DATA, Tasks

from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.statistics.new_studies import NewStudies
from inspect_discoverybench.statistics.paired import compare_paired

STUDIES = Tasks(DATA["200 tasks, 13 studies (DB-SYNTH test)"]).studies
TASKS = range(200)
ZEROS = np.zeros(200)


def of_mean(scores: np.ndarray) -> NewStudies:
    """A mean on new studies; each task is its own gold hypothesis."""
    new_studies = estimate_mean(scores, TASKS, STUDIES).new_studies
    assert new_studies is not None
    return new_studies


def of_difference(a: np.ndarray, b: np.ndarray) -> NewStudies:
    """A difference on new studies."""
    new_studies = compare_paired(a, b, TASKS, STUDIES).new_studies
    assert new_studies is not None
    return new_studies


def test_each_study_counts_alike_in_the_macro_average_and_is_left_out_once() -> None:
    new_studies = estimate_mean([0, 0, 1, 0.5, 0, 1], "abcdef", "xxyyyz").new_studies
    assert new_studies is not None
    assert new_studies.studies == 3
    assert new_studies.macro_average == pytest.approx(0.5)
    assert new_studies.lowest == pytest.approx(0.3)
    assert new_studies.highest == pytest.approx(0.625)


@pytest.mark.parametrize(("count", "is_enough"), [(6, False), (7, False), (8, True)])
def test_fewer_than_eight_studies_are_too_few_to_say(count: int, is_enough: bool) -> None:
    tasks = 5 * count
    studies = [*range(count)] * 5
    ones = [1] * tasks
    zeros = [0] * tasks
    mean = estimate_mean(zeros, range(tasks), studies).new_studies
    difference = compare_paired(ones, zeros, range(tasks), studies).new_studies
    assert mean is not None
    assert difference is not None
    assert math.isnan(mean.low) != is_enough
    assert math.isnan(difference.high) != is_enough
    assert (difference.p_value < 0.05) == is_enough


@pytest.mark.parametrize("studies", [None, ["x", "y", None], ["x", "x", "x"]])
def test_without_the_study_of_every_task_and_several_nothing_is_said(studies: list[str | None] | None) -> None:
    assert estimate_mean([0, 1, 1], "abc", studies).new_studies is None


def test_equal_scores_of_some_studies_do_not_bind_others() -> None:
    """Of 13 studies, none has a success in 5.5 % of the cases if one study in five has one."""
    assert of_mean(ZEROS).high > 0.19
    assert of_mean(ZEROS + 1).low < 0.81
    assert of_difference(ZEROS, ZEROS).high > 0.19


def test_new_studies_are_less_certain_than_these_tasks() -> None:
    a, b = np.random.default_rng(0).choice([0.2, 0.5, 0.8], (2, 200))
    paired = compare_paired(a, b, TASKS, STUDIES)
    new_studies = of_difference(a, b)
    assert new_studies.low < paired.low < paired.high < new_studies.high
    assert new_studies.p_value >= paired.p_value


def test_unscored_samples_widen_the_interval() -> None:
    scores = np.arange(200) % 2
    values = np.where(np.array(STUDIES) == 3, math.nan, scores)
    lowest = np.nan_to_num(values, nan=0)
    highest = np.nan_to_num(values, nan=1)
    new_studies = estimate_mean(values, TASKS, STUDIES, possible=(lowest, highest)).new_studies
    assert new_studies is not None
    assert new_studies.studies == 12
    assert new_studies.low == pytest.approx(of_mean(lowest).low)
    assert new_studies.high == pytest.approx(of_mean(highest).high)
