"""Power of the paired t-test."""

import math
from functools import cache

from scipy.optimize import brentq
from statsmodels.stats.power import TTestPower

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
    if units < 2:
        return math.nan

    def missing_power(effect_size: float) -> float:
        # Ignores significant differences of the wrong sign, whose probability is below 1e-4 at this power. SciPy gives
        # NaN for some of them, so `solve_power` fails for some numbers of units.
        one_sided = TTestPower().power(effect_size, units, SIGNIFICANCE_LEVEL / 2, alternative="larger")
        return float(one_sided) - TARGET_POWER

    # No larger than necessary: SciPy also gives NaN for some effects that are too large for the number of units.
    upper = 3 / math.sqrt(units)
    while missing_power(upper) < 0:
        upper *= 2
    return float(brentq(missing_power, 0.0, upper))
