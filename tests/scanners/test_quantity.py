"""Which numbers an answer claims, and which outputs support them."""

import pytest

from inspect_discoverybench.scanners.quantity import claims, evidence, printed, without_support

SUPPORTED = [
    ("the slope is −0.35", ["coef -0.3512"]),
    ("35% of towns", ["share 0.3498"]),
    ("a share of 0.35", ["35.2 %"]),
    ("1,200 towns", ["n = 1187"]),
    ("1\u202f234 towns, 12'500 or 12 500 people", ["1234 12,480"]),
    ("y falls by 0,35 or 3,51", ["0.3512 3.5102"]),
    ("12kg or 120k", ["12.1 120,345"]),
    ("a variance of 1.2 × 10⁻⁵", ["1.21e-05"]),
    ("p < 0.001, p < 10^-5, $p < 10^{-5}$, p<10⁻⁵", ["p-value 3.2e-12"]),
    # Arithmetic
    ("25% less", ["before 12, after 9"]),
    ("a gap of 2.6", ["North 14.83\nSouth 12.21"]),
    ("1.9 times as much", ["23.656 12.451"]),
    ("45 percent", ["110 of 246"]),
    ("63 % of the others", ["37 %"]),
    ("1.23 million or 0.0012 billion people", ["1,234,567"]),
    ("3.5 per decade, 351 per 1000 years and 35,120 per 100,000", ["0.3512"]),
]
UNSUPPORTED = [
    ("the slope is 0.35", ["0.37 0.33 3.5"]),
    ("p < 0.05", ["p-value 0.052"]),
    ("p = 0.05", ["p-value 0.2"]),
    ("p < 10⁻⁶", ["p-value 0.002"]),
    ("a population of 1,234,567", ["1,244,567"]),
    ("12 480 people", ["12 481"]),
    ("2000 people", ["1234"]),
    ("37kg", ["3.4"]),
    ("64 trees", ["dtype: float64"]),
    ("a mass of 10.5e999", ["1 2"]),
    # So many numbers that arithmetic on them yields any number
    ("25% less", [" ".join(f"{n}.{n * n % 89}" for n in range(30, 88))]),
]
NO_CLAIMS = [
    "PM2.5 and covid-19 in H1N1 regions, R², x^2 and e^{-3.5}",
    "the 1st of two groups, in the 25th percentile, 3D, in the 1990s",
    "1. From here, y rises with x.\n2) z falls.\nIf (2) holds, so does (3).",
    "p below 0.001, significant at the 5% level, per 1000 people (95% CI)",
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


@pytest.mark.parametrize(
    ("calls", "numbers"),
    [
        # Written by the code
        ([("print('slope', 8.4)", "slope 8.4")], [[]]),
        ([("'{}'.format(8.4), np.array([8.4])", "('8.4', array([8.4]))"), ("np.round(8.437, 1)", "8.4")], [[], []]),
        ([("results = {'p': 0.003}", ""), ("results", "{'p': 0.003}")], [[], []]),
        ([("!echo 8.4", "8.4"), ("echo '37.5 %' > a", ""), ("cat a", "37.5 %")], [[], [], []]),
        # Computed, and also written: small whole numbers, what was printed before, and labels
        ([("x[3], df.head(12)", "3 12.0")], [[3, 12]]),
        ([("x.mean()", "8.4"), ("print('slope 8.4')", "slope 8.4")], [[8.4], [8.4]]),
        ([("for t in [2.5, 4.5]: t, f(t)", "2.5 13.64\n4.5 16.15")], [[2.5, 4.5, 13.64, 16.15]]),
        ([("print('== above 4.5 =='); f(4.5)", "== above 4.5 ==\n\n16.15"), ("9.5", "1 9.5")], [[4.5, 16.15], [1]]),
    ],
)
def test_numbers_in_code_are_no_evidence(calls: list[tuple[str, str]], numbers: list[list[float]]) -> None:
    assert evidence(calls) == numbers
