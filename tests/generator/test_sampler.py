"""What is measured of a task decides whether it is rejected."""

import math

import pytest

from inspect_discoverybench.generator.sampler import Measures


@pytest.mark.parametrize(("loss", "is_rejected"), [(0.5, False), (0.001, True), (math.nan, True)])
def test_a_variable_that_does_not_count_rejects_the_task(loss: float, is_rejected: bool) -> None:
    measures = Measures(losses={"height": 0.5, "width": loss}, table={})
    rejection = measures.rejection("task")
    assert (rejection is not None) == is_rejected
