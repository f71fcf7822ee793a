"""The effect size that a paired t-test detects, against textbooks and the noncentral t distribution."""

import math

import pytest
from scipy.stats import nct, t

from inspect_discoverybench.statistics.power import smallest_effect_size


def test_34_units_detect_an_effect_of_half_a_standard_deviation() -> None:
    """Textbooks: 34 pairs detect an effect of 0.5 with power 0.8, 33 do not."""
    assert smallest_effect_size(34) < 0.5 < smallest_effect_size(33)


@pytest.mark.parametrize("units", [2, 3, 72, 73, 87, 92, 109, 117, 120, 121, 1449, 2000])
def test_its_power_is_80_percent(units: int) -> None:
    """For each of these numbers, some version of statsmodels and SciPy gives no value or a wrong one."""
    critical = t.isf(0.025, units - 1)
    assert nct.sf(critical, units - 1, smallest_effect_size(units) * math.sqrt(units)) == pytest.approx(0.8, abs=1e-4)


def test_it_is_not_defined_for_one_unit() -> None:
    assert math.isnan(smallest_effect_size(1))
