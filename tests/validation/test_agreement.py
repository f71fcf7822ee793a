"""Agreement statistics, compared with published examples and values computed by hand. None is ever NaN."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from inspect_discoverybench.statistics.jackknife import jackknife_interval
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.validation.agreement import (
    AgreementStatistics,
    Interval,
    PairedTest,
    kappa,
    measure,
    paired_tests,
    power,
    share,
)
from inspect_discoverybench.validation.votes import Ballot, Choice

CHOICES = {"1": Choice.FIRST, "2": Choice.SECOND, "=": Choice.EQUAL}

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
# The worked example that most texts on Fleiss' kappa use: 10 subjects, 14 raters, 5 categories.
FOURTEEN_RATERS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def names(count: int) -> list[str]:
    """Clusters of one row each."""
    return [f"g{number}" for number in range(count)]


def measured(*pairs: str, golds: Sequence[str] = ()) -> AgreementStatistics:
    """The statistics of pairs such as `112 1`: the votes of three annotators, and the choice of HMS."""
    ballots = []
    for number, pair in enumerate(pairs):
        votes, hms = pair.split()
        by_name = {f"annotator {place}": CHOICES[vote] for place, vote in enumerate(votes)}
        ballots.append(Ballot(by_name, CHOICES[hms], golds[number] if golds else f"pair {number}"))
    return measure(ballots)


def test_kappa_of_published_examples() -> None:
    table = [[patient.count(diagnosis) for diagnosis in "12345"] for patient in DIAGNOSES.split()]
    assert kappa(table, names(30)).kappa == pytest.approx(0.430, abs=0.0005)
    assert kappa(FOURTEEN_RATERS, names(10)).kappa == pytest.approx(0.210, abs=0.0005)


def test_the_interval_of_kappa_leaves_out_one_gold_at_a_time() -> None:
    golds = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"]
    groups = [FOURTEEN_RATERS[start : start + 2] for start in range(0, 10, 2)]
    expected = jackknife_interval(groups, lambda rest: float(fleiss_kappa([row for group in rest for row in group])))
    result = kappa(FOURTEEN_RATERS, golds)
    assert expected is not None
    assert result.kappa is not None
    assert result.interval == Interval(*expected)
    assert result.interval.low < result.kappa < result.interval.high
    assert kappa(FOURTEEN_RATERS, names(10)).interval != result.interval


def test_perfect_agreement_on_few_pairs_is_not_certain() -> None:
    result = kappa([[3, 0, 0], [0, 3, 0]] * 5, names(10))
    assert result.kappa == 1
    assert result.interval is not None
    assert result.interval.low < 0.6


def test_kappa_leaves_out_pairs_with_another_number_of_votes() -> None:
    result = kappa([[3, 0, 0], [0, 3, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], names(6))
    assert (result.kappa, result.pairs, result.votes_per_pair, result.pairs_left_out) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ([[1, 0, 0], [0, 1, 0]], "not defined: no pair has votes from two annotators"),
        ([[3, 0, 0], [3, 0, 0]], "not defined: all votes are the same choice"),
    ],
)
def test_kappa_that_is_not_defined_says_why(table: list[list[int]], note: str) -> None:
    result = kappa(table, names(len(table)))
    assert (result.kappa, result.interval, result.note) == (None, None, note)


def test_kappa_of_one_pair_has_no_interval() -> None:
    result = kappa([[2, 1, 0]], ["a"])
    assert result.kappa == pytest.approx(-0.5)
    assert result.interval is None


@pytest.mark.parametrize(("votes", "choice"), [("112", "1"), ("2", "2"), ("==1", "="), ("112=", "1")])
def test_the_majority_has_more_votes_than_every_other_choice(votes: str, choice: str) -> None:
    assert measured(f"{votes} {choice}").agreement.share == 1


@pytest.mark.parametrize("votes", ["12=", "12", "1122="])
def test_a_tie_has_no_majority(votes: str) -> None:
    assert measured(f"{votes} 1").without_majority == 1


def test_the_interval_of_a_share_is_that_of_a_mean() -> None:
    result = share([True] * 95 + [False] * 5, names(100))
    estimate = estimate_mean([1] * 95 + [0] * 5, range(100))
    assert (result.agreeing, result.pairs, result.share, result.clusters) == (95, 100, 0.95, 100)
    assert result.interval == Interval(estimate.low, estimate.high)


def test_pairs_of_one_gold_widen_the_interval() -> None:
    """HMS agrees on all pairs of 9 golds and on none of the tenth's."""
    pairs = ["111 1"] * 45 + ["111 2"] * 5
    apart = measured(*pairs).agreement
    together = measured(*pairs, golds=[f"g{number // 5}" for number in range(50)]).agreement
    assert apart.share == together.share == 0.9
    assert (apart.clusters, together.clusters) == (50, 10)
    assert apart.interval is not None
    assert together.interval is not None
    assert together.interval.high - together.interval.low > 1.5 * (apart.interval.high - apart.interval.low)


@pytest.mark.parametrize("zeros", [0, 20])
def test_tests_on_differences_leave_out_zeros(zeros: int) -> None:
    note = "zero differences left out: 20" if zeros else None
    signed_rank, sign, _ = paired_tests([1, 1, 2, 1, 1, 1] + [0] * zeros)
    # Of 64 equally likely ways to put the signs, two are as one-sided as this.
    assert signed_rank == PairedTest("Wilcoxon signed-rank", 0, 2 / 64, 6, note)
    assert sign == PairedTest("exact sign (McNemar)", 6, 2 / 64, 6, note)


def test_statistics_of_differences_with_both_signs() -> None:
    # The ranks of 1, 1, 1 are 2, 2, 2 and that of -2 is 4.
    assert paired_tests([1, 1, 1, -2])[0].statistic == 4
    assert paired_tests([1, 1, 1, 1, 1, -2])[1].p_value == pytest.approx(14 / 64)


def test_the_paired_t_test() -> None:
    result = paired_tests([1, 1, 1, 0])[2]
    # The mean is 0.75, its standard error 0.5 / 2.
    assert result.statistic == pytest.approx(3)
    assert result.pairs == 4
    assert result.p_value == pytest.approx(0.0577, abs=5e-5)
    same = paired_tests([1, 1])[2]
    assert (same.statistic, same.p_value, same.note) == (None, None, "cannot be computed: all differences are the same")


def test_power_at_this_sample_size() -> None:
    result = power([1, 1, 1, 0])
    assert result.effect_size == pytest.approx(1.5)
    assert result.power is not None
    assert 0.5 < result.power < 0.6
    # Textbooks: 34 pairs find an effect of 0.5 with a power of 0.8, 33 do not.
    sizes = [power([1, -1] * 16 + [0] * more).smallest_effect for more in (1, 2)]
    assert sizes[0] is not None
    assert sizes[1] is not None
    assert sizes[1] < 0.5 < sizes[0]
    # An effect of 0 is detected only by chance.
    assert power([1, -1]).power == pytest.approx(0.05)


def test_identical_rankings_need_no_test() -> None:
    statistics = measured("111 1", "222 2", "=== =")
    assert statistics.agreement.share == 1
    for test in statistics.tests:
        assert (test.statistic, test.p_value) == (None, 1)
        assert test.note == "cannot be computed: the two rankings are identical"
    assert statistics.power.effect_size is None
    assert statistics.power.power is None


def test_everything_at_once() -> None:
    statistics = measured("111 1", "112 1", "222 1", "=== 1", "22= 2", "12= 1", "11= =")
    assert (statistics.pairs, statistics.votes, statistics.without_majority) == (7, 21, 1)
    assert (statistics.agreement.agreeing, statistics.agreement.pairs) == (3, 6)
    assert (statistics.agreement_decided.agreeing, statistics.agreement_decided.pairs) == (3, 4)
    assert [(one.name, one.agreement.agreeing, one.agreement.pairs) for one in statistics.annotators] == [
        ("annotator 0", 4, 7),
        ("annotator 1", 3, 7),
        ("annotator 2", 2, 7),
    ]
    assert statistics.annotator_mean == pytest.approx(3 / 7)
    # Majority minus HMS: 0, 0, -2, -1, 0, 1.
    signed_rank, sign, paired_t = statistics.tests
    assert (signed_rank.statistic, signed_rank.pairs) == (1.5, 3)
    assert (sign.statistic, sign.pairs) == (1, 3)
    assert paired_t.pairs == statistics.power.pairs == 6


@pytest.mark.parametrize(
    "pairs",
    [
        ["1 1"],
        ["1 2"],
        ["12 1"],
        ["1 2", "1 2"],
        ["111 1", "111 1"],
        ["12= 1", "12= 2"],
        ["=== =", "=== 1"],
    ],
    ids=" / ".join,
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_degenerate_votes_give_no_nan(pairs: list[str]) -> None:
    assert json.dumps(asdict(measured(*pairs)), allow_nan=False)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.text("12=", min_size=1, max_size=4), st.sampled_from("12=")), min_size=1, max_size=20),
)
def test_any_votes_give_numbers_within_their_bounds(pairs: Sequence[tuple[str, str]]) -> None:
    statistics = measured(*(" ".join(pair) for pair in pairs))
    assert json.dumps(asdict(statistics), allow_nan=False)
    for result in (
        statistics.agreement,
        statistics.agreement_decided,
        *(one.agreement for one in statistics.annotators),
    ):
        if result.share is not None and result.interval is not None:
            assert 0 <= result.interval.low <= result.share + 1e-12
            assert result.share - 1e-12 <= result.interval.high <= 1
    assert all(test.p_value is None or 0 <= test.p_value <= 1 for test in statistics.tests)
