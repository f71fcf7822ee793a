"""Which numbers a hypothesis claims, and which outputs support them."""

import pytest

from inspect_discoverybench.scanners.quantity import claimed, printed

SUPPORTED = [
    ("the slope is −0.35", "coef -0.3512"),
    ("the slope is 0.35", "0.3571, cut"),
    ("35% of towns", "share 0.3498"),
    ("35 percent of towns", "35.2%"),
    ("a share of 0.35", "35.2%"),
    ("35% more likely", "odds ratio 1.351"),
    ("thirty-five percent of towns", "0.349"),
    ("one hundred and twenty towns", "120 towns"),
    ("two thirds of the towns", "0.66"),
    ("a population of 1,234,567", "1234567"),
    ("a population of 1.23 million", "1,234,567"),
    ("about 1,200 towns", "n = 1187"),
    ("a variance of 1.2 × 10⁻⁵", "1.21e-05"),
    ("a variance of 1.2e-5", "0.0000121"),
    ("p < 0.001", "p-value 3.2e-12"),
    ("more than 40% of towns", "0.432"),
    ("from 1990 to 2000", "years 1990 ... 2000"),
    ("in the 1990s", "1994"),
    ("4 towns", "4.0"),
]
UNSUPPORTED = [
    ("the slope is 0.35", "0.37 0.33 3.5"),
    ("35% of towns", "0.37"),
    ("p < 0.001", "p-value 0.02"),
    ("twenty-one percent", "0.24"),
    ("in 1990", "1994"),
    ("a population of 1,234,567", "1,244,567"),
    ("a variance of 1.2e-5", "1.2e-4"),
    ("3.5-fold", "2.4"),
    ("a mass of 2e999 and 10^-999", "1e300"),
]
NO_CLAIMS = [
    "PM2.5 and covid-19 in H1N1 regions, R² and x^2",
    "the first of two groups, in the 25th percentile",
    "significant at the 5% level (95% CI above 0)",
    "a ratio greater than 1",
    "see Table 3",
    "1. In all towns, y rises with x.\n(2) z falls.",
]


@pytest.mark.parametrize(("hypothesis", "output"), SUPPORTED)
def test_a_number_is_supported(hypothesis: str, output: str) -> None:
    quantities = claimed(hypothesis)
    assert quantities
    assert [quantity.text for quantity in quantities if not quantity.supported_by(printed(output))] == []


@pytest.mark.parametrize(("hypothesis", "output"), UNSUPPORTED)
def test_a_number_is_not_supported(hypothesis: str, output: str) -> None:
    assert any(not quantity.supported_by(printed(output)) for quantity in claimed(hypothesis))


@pytest.mark.parametrize("hypothesis", NO_CLAIMS)
def test_these_are_no_claims(hypothesis: str) -> None:
    assert claimed(hypothesis) == []
