"""Power of the paired t-test."""

import math
from functools import cache

SIGNIFICANCE_LEVEL = 0.05
TARGET_POWER = 0.8


@cache
def smallest_effect_size(units: int) -> float:
    """The effect size that the paired t-test detects with power 0.8 at level 0.05.

    Args:
        units: Number of independent differences.

    Returns:
        Mean difference divided by the standard deviation of the differences; NaN for fewer than two units.
    """
    import numpy as np
    from statsmodels.stats.power import TTestPower

    if units < 2:
        return math.nan
    # For some numbers, such as 117, statsmodels 0.15 returns an array of one number, and for 73 it is negative. The
    # two-sided test has the same power for both signs.
    [effect_size] = np.ravel(TTestPower().solve_power(nobs=units, alpha=SIGNIFICANCE_LEVEL, power=TARGET_POWER))
    return abs(float(effect_size))
