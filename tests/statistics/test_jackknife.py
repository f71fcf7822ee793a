"""The jackknife, against the t interval of a mean."""

from collections.abc import Sequence
from statistics import fmean, stdev

import pytest
from scipy.stats import t

from inspect_discoverybench.statistics.jackknife import jackknife_interval


def test_for_a_mean_it_is_the_t_interval() -> None:
    values = [1.0, 4.0, 2.0, 2.5]
    half_width = t.ppf(0.975, 3) * stdev(values) / 2
    assert jackknife_interval(values, fmean) == pytest.approx((fmean(values) - half_width, fmean(values) + half_width))


def test_a_statistic_that_is_not_defined_has_no_interval() -> None:
    def ratio(rows: Sequence[float]) -> float | None:
        return rows[0] / sum(rows) if sum(rows) else None

    assert jackknife_interval([0.0, 0.0], ratio) is None
    assert jackknife_interval([0.0, 1.0], ratio) is None
    assert jackknife_interval([1.0], fmean) is None
