"""Which numbers an answer claims, and which outputs support them."""

import pytest

from inspect_discoverybench.scanners.quantity import claims, printed, stated, without_support

SUPPORTED = [
    ("the slope is −0.35", ["coef -0.3512"]),
    ("35% of towns", ["share 0.3498"]),
    ("a share of 0.35", ["35.2%"]),
    ("1,200 towns", ["n = 1187"]),
    ("a variance of 1.2 × 10⁻⁵", ["1.21e-05"]),
    ("p < 0.001", ["p-value 3.2e-12"]),
    # Arithmetic
    ("25% less", ["before 12, after 9"]),
    ("a gap of 2.6", ["North 14.83\nSouth 12.21"]),
    ("1.9 times as much", ["23.656 12.451"]),
    ("45 percent", ["110 of 246"]),
    ("1.23 million people", ["1,234,567"]),
]
UNSUPPORTED = [
    ("the slope is 0.35", ["0.37 0.33 3.5"]),
    ("p < 0.001", ["p-value 0.02"]),
    ("a population of 1,234,567", ["1,244,567"]),
    ("a mass of 10.5e999", [""]),
    # So many numbers that arithmetic on them yields any number
    ("25% less", [" ".join(f"{n}.{n * n % 89}" for n in range(30, 88))]),
]
NO_CLAIMS = [
    "PM2.5 and covid-19 in H1N1 regions, R² and x^2",
    "the 1st of two groups, in the 25th percentile, 3D",
    "1. From 1940 to 1990, y rises with x.\n2) z falls.\nIf (2) holds, so does (3).",
    "9" * 5000 + "s",
]


@pytest.mark.parametrize(
    ("answer", "outputs", "is_supported"),
    [(*case, True) for case in SUPPORTED] + [(*case, False) for case in UNSUPPORTED],
)
def test_a_number_is_supported(answer: str, outputs: list[str], is_supported: bool) -> None:
    found = claims(answer)
    assert found
    assert (without_support(found, [printed(output) for output in outputs]) == []) == is_supported


@pytest.mark.parametrize("answer", NO_CLAIMS)
def test_these_are_no_claims(answer: str) -> None:
    assert claims(answer) == []


STATED = {
    "print('slope', -8.4, f'{x:.2f}')": {8.4},
    "results = {'p': 0.003}\nresults": {0.003},
    "df[df.x > 4.5].y.quantile(0.25)": set(),
    "m = df.y[df.x > 4.5].mean()\nprint('above 4.5:', m)": set(),
    "print(round(0.4217, 4), pd.DataFrame({'c': [0.35]}))": {0.4217, 4, 0.35},
    "-" * 20_000 + "1": set(),
    "not Python 8.4": set(),
    "(" * 9_000: set(),
}


@pytest.mark.parametrize(("code", "numbers"), STATED.items(), ids=range(len(STATED)))
def test_code_states_numbers_itself(code: str, numbers: set[float]) -> None:
    assert stated(code) == numbers
