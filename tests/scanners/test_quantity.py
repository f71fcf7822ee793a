"""Which numbers an answer claims, and which outputs support them."""

import pytest

from inspect_discoverybench.scanners.quantity import claims, printed
from inspect_discoverybench.scanners.unsupported_number import without_support

SUPPORTED = [
    ("the slope is −0.35", ["coef -0.3512"]),
    ("35% of towns", ["share 0.3498"]),
    ("35 percent of towns", ["35.2%"]),
    ("a share of 0.35", ["35.2%"]),
    ("a population of 1,234,567", ["1234567"]),
    ("1,200 towns", ["n = 1187"]),
    ("120 towns", ["[17,120]"]),
    ("a variance of 1.2 × 10⁻⁵", ["1.21e-05"]),
    ("a variance of 1.2e-5", ["0.0000121"]),
    ("p < 0.001", ["p-value 3.2e-12"]),
    ("more than 4.5 towns", ["4.5"]),
    ("4 towns", ["4.0"]),
    # Arithmetic
    ("25% less", ["before 12, after 9"]),
    ("33% more", ["before 12", "after 9"]),
    ("a gap of 2.6", ["North 14.83\nSouth 12.21"]),
    ("178 hives", ["buckfast 91\ncarniolan 87"]),
    ("1.9 times as much", ["23.656 12.451"]),
    ("45 percent", ["110 of 246"]),
    ("35% more likely", ["odds ratio 1.351"]),
    ("1.23 million people", ["1,234,567"]),
]
UNSUPPORTED = [
    ("the slope is 0.35", ["0.37 0.33 3.5"]),
    ("35% of towns", ["0.37"]),
    ("p < 0.001", ["p-value 0.02"]),
    ("p = 0.0043", ["0.02 304.1 330.5"]),
    ("a population of 1,234,567", ["1,244,567"]),
    ("a variance of 1.2e-5", ["1.2e-4"]),
    ("a mass of 10.5e999", [""]),
    # So many numbers that arithmetic on them yields any number
    ("25% less", [" ".join(f"{n}.{n * n % 89}" for n in range(30, 88))]),
    ("25.18 days", [" ".join(str(n * n + 100) for n in range(200))]),
]
NO_CLAIMS = [
    "PM2.5 and covid-19 in H1N1 regions, R² and x^2",
    "the 1st of two groups, in the 25th percentile, 3D",
    "95% CI above 0, a ratio greater than 1, 2/3 of 100%",
    "1. From 1940 to 1990, y rises with x.\n2) z falls.\nIf (2) holds, so does (3).",
    "9" * 5000 + "s",
]


def unsupported(answer: str, outputs: list[str]) -> list[str]:
    found = claims(answer)
    assert found
    return [claim.text for claim in without_support(found, [printed(output) for output in outputs])]


@pytest.mark.parametrize(("answer", "outputs"), SUPPORTED)
def test_a_number_is_supported(answer: str, outputs: list[str]) -> None:
    assert unsupported(answer, outputs) == []


@pytest.mark.parametrize(("answer", "outputs"), UNSUPPORTED)
def test_a_number_is_not_supported(answer: str, outputs: list[str]) -> None:
    assert unsupported(answer, outputs)


@pytest.mark.parametrize("answer", NO_CLAIMS)
def test_these_are_no_claims(answer: str) -> None:
    assert claims(answer) == []
