"""Agreement statistics, compared with published examples and values computed by hand. None is ever NaN."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inspect_discoverybench.human_study.agreement import (
    Statistic,
    kappa,
    measure_accuracy,
    measure_agreement,
    paired_tests,
)
from inspect_discoverybench.human_study.labels import Label, LabelledSample, Step
from inspect_discoverybench.human_study.votes import Ballot

CHOICES = {"1": 1, "2": -1, "=": 0}

# Fleiss (1971), table 1: 30 patients, 6 psychiatrists, 5 diagnoses.
DIAGNOSES = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555
144444 124444 222333 144444 224445 333335 111455 111112 224444 133555
555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""


def names(count: int) -> list[str]:
    """Clusters of one row each."""
    return [f"g{number}" for number in range(count)]


def measured(*pairs: str, golds: Sequence[str] = ()) -> dict[str, Statistic]:
    """The statistics of pairs such as `112 1`: the votes of three annotators, and the choice of HMS."""
    ballots = []
    for number, pair in enumerate(pairs):
        votes, hms = pair.split()
        by_name = {f"annotator {place}": CHOICES[vote] for place, vote in enumerate(votes)}
        ballots.append(Ballot(by_name, CHOICES[hms], golds[number] if golds else f"pair {number}"))
    return {statistic.name: statistic for statistic in measure_agreement(ballots)}


def width(statistic: Statistic) -> float:
    assert statistic.low is not None
    assert statistic.high is not None
    return statistic.high - statistic.low


def test_kappa_of_a_published_example() -> None:
    table = [[patient.count(diagnosis) for diagnosis in "12345"] for patient in DIAGNOSES.split()]
    result = kappa("", table, names(30))
    assert result.value == pytest.approx(0.430, abs=0.0005)
    assert 0.1 < width(result) < 0.5
    assert width(kappa("", table, [f"g{number // 3}" for number in range(30)])) != width(result)


def test_kappa_leaves_out_pairs_with_another_number_of_votes() -> None:
    result = kappa("", [[3, 0, 0], [0, 3, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], names(6))
    assert (result.value, result.number) == (1, 2)
    assert result.note == "3 votes each; 4 with another number of votes excluded"


def test_pairs_of_one_gold_widen_the_interval() -> None:
    """HMS agrees on all pairs of 9 golds and on none of the tenth's."""
    pairs = ["111 1"] * 45 + ["111 2"] * 5
    apart = measured(*pairs)["HMS agrees with the majority"]
    together = measured(*pairs, golds=[f"g{number // 5}" for number in range(50)])["HMS agrees with the majority"]
    assert apart.value == together.value == 0.9
    assert width(together) > 1.5 * width(apart)


def test_tests_on_differences_leave_out_zeros() -> None:
    note = "zero differences left out: 20"
    signed_rank, sign = paired_tests([1, 1, 2, 1, 1, 1] + [0] * 20)
    # Of 64 equally likely ways to put the signs, two are as one-sided as this.
    assert signed_rank == Statistic("Wilcoxon signed-rank", 6, 0, p=2 / 64, note=note)
    assert sign == Statistic("exact sign (McNemar)", 6, 6, p=2 / 64, note=note)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@settings(max_examples=25, deadline=None)
@example([("1", "2")])
@example([("12", "1")])
@example([("111", "1")] * 2)
@given(st.lists(st.tuples(st.text("12=", min_size=1, max_size=4), st.sampled_from("12=")), min_size=1, max_size=20))
def test_any_votes_give_numbers_within_their_bounds(pairs: Sequence[tuple[str, str]]) -> None:
    for one in measured(*(" ".join(pair) for pair in pairs)).values():
        assert json.dumps(asdict(one), allow_nan=False)
        if one.value is not None and one.low is not None and one.high is not None:
            assert -1 <= one.low <= one.value + 1e-12
            assert one.value - 1e-12 <= one.high <= 1
        assert one.p is None or 0 <= one.p <= 1


VERDICTS = {"r": True, "w": False}


def labelled(
    number: int, verdicts: Sequence[str], *, weight: float = 1, gold: str = "", true: str = ""
) -> LabelledSample:
    """A sample with HMS 1. Each annotator's verdicts are five letters: r, w, or - for none."""
    labels = {
        step: {
            name: Label(VERDICTS[letters[place]], true if step is Step.RELATIONSHIP else "")
            for name, letters in zip(("Ann", "Ben"), verdicts, strict=False)
            if letters[place] != "-"
        }
        for place, step in enumerate(Step)
    }
    answers = dict(zip(Step, ("in towns", "in towns", "yes", "2 2 2", "A"), strict=True))
    return LabelledSample(
        f"i{number}", "L", f"s/{number}", 1, "HMS", gold or f"g{number}", weight, 1.0, answers, labels
    )


def accuracy(*samples: LabelledSample) -> dict[str, Statistic]:
    return {statistic.name: statistic for statistic in measure_accuracy(samples)}


def test_accuracy_by_step_next_to_the_papers() -> None:
    result = accuracy(*(labelled(n, ["rrrrr"]) for n in range(9)), labelled(9, ["wrrwr"]), labelled(10, []))
    assert [(name, one.value, one.paper) for name, one in result.items() if one.paper is not None] == [
        ("judge right: gold context", 0.9, 0.97),
        ("judge right: predicted context", 1, 0.97),
        ("judge right: context match", 1, 0.99),
        ("judge right: variables", 0.9, 0.94),
        ("judge right: relationship", 1, 0.99),
    ]
    assert [result[name].number for name in ("samples", "labelled samples", "annotators")] == [11, 10, 1]
    variables = result["judge right: variables"]
    # By hand, with n - 1 = 9 as each sample is a cluster of its own: z² = 3.841459, centre (0.9 + z²/18) / (1 + z²/9)
    # = 0.780342, half width 0.203080.
    assert (variables.low, variables.high) == pytest.approx((0.523386, 0.986624), abs=2e-6)


def test_hms_by_the_judge_and_by_people() -> None:
    result = accuracy(
        labelled(0, ["rrrrr"], weight=2),
        labelled(1, ["rrwrr"], weight=1),
        labelled(2, ["rrrrw"], weight=1, true="B"),
        labelled(3, ["rrrrw"], weight=4),
    )
    assert (result["samples with complete labels"].number, result["HMS by the judge"].value) == (3, 1)
    assert result["HMS by the annotators"].value == pytest.approx(2.5 / 4)


def test_annotators_who_disagree() -> None:
    result = accuracy(labelled(0, ["rrrrr", "rrrrr"]), labelled(1, ["rrrrw", "rrrrr"]), labelled(2, ["rrrrw", "rrrrw"]))
    relationship = result["judge right: relationship"]
    assert (relationship.number, relationship.value, relationship.note) == (2, 0.5, "without a majority: 1")
    assert result["annotators unanimous: relationship"].value == pytest.approx(2 / 3)
    # By hand: agreement 2/3, by chance 1/2.
    assert result["Fleiss' kappa: relationship"].value == pytest.approx(1 / 3)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("verdicts", [["rrrrr"], ["r----"], ["rrrrr", "wwwww"], ["-----"]])
def test_degenerate_labels_give_no_nan(verdicts: list[str]) -> None:
    for count in (1, 2):
        for one in accuracy(*(labelled(n, verdicts, gold="g") for n in range(count))).values():
            assert json.dumps(asdict(one), allow_nan=False)
