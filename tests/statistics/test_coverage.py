"""Every printed interval contains the truth in 93 % of simulated data sets, or is not printed."""

import pytest
from simulation import SETTINGS, coverage

DATA = (
    "12 tasks, 2 studies",
    "239 tasks, 6 studies (DB-REAL test)",
)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("setting", SETTINGS)
def test_printed_intervals_cover_the_truth(data: str, setting: str, sweep: None) -> None:
    """The limits allow for the standard error of 560 data sets, 160 of them without a difference."""
    result = coverage(data, SETTINGS[setting], count=80)
    assert result.average.min() >= 0.92
    assert not (result.false_alarms > 0.08).any()
