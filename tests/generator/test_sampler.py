"""What is measured of a task decides whether it is rejected."""

import math

import pytest

from inspect_discoverybench.generator.sampler import Measures


def losing(width: float) -> Measures:
    """Measures of a task with two variables. The prediction is clearly worse without the first one."""
    return Measures(losses={"height": 0.5, "width": width}, table={})


def test_a_task_whose_variables_all_matter_is_not_rejected() -> None:
    assert losing(width=0.5).rejection("task") is None


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (0.001, "without width, the prediction is worse by only 0.1%"),
        (math.nan, "with shuffled values of width, the expression has no finite values"),
    ],
)
def test_a_variable_that_does_not_matter_rejects_the_task(loss: float, reason: str) -> None:
    assert losing(width=loss).rejection("task") == ("task", "variables", reason)
