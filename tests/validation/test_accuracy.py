"""Accuracy of the judge by step, compared with values computed by hand and by simulation."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from random import Random

import pytest

from inspect_discoverybench.validation.accuracy import measure_accuracy, weighted_share
from inspect_discoverybench.validation.agreement import Statistic
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.labels import Label, LabelledSample

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


def measured(*samples: LabelledSample) -> dict[str, Statistic]:
    return {statistic.name: statistic for statistic in measure_accuracy(samples)}


def test_accuracy_by_step_next_to_the_papers() -> None:
    result = measured(*(labelled(n, ["rrrrr"]) for n in range(9)), labelled(9, ["wrrwr"]), labelled(10, []))
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
    assert (variables.low, variables.high) == pytest.approx((0.577262, 0.983422), abs=2e-6)


def test_hms_by_the_judge_and_by_people() -> None:
    result = measured(
        labelled(0, ["rrrrr"], weight=2),
        labelled(1, ["rrwrr"], weight=1),
        labelled(2, ["rrrrw"], weight=1, true="B"),
        labelled(3, ["rrrrw"], weight=4),
    )
    assert (result["samples with complete labels"].number, result["HMS by the judge"].value) == (3, 1)
    assert result["HMS by the annotators"].value == pytest.approx(2.5 / 4)


def test_annotators_who_disagree() -> None:
    result = measured(labelled(0, ["rrrrr", "rrrrr"]), labelled(1, ["rrrrw", "rrrrr"]), labelled(2, ["rrrrw", "rrrrw"]))
    relationship = result["judge right: relationship"]
    assert (relationship.number, relationship.value, relationship.note) == (2, 0.5, "without a majority: 1")
    assert result["annotators unanimous: relationship"].value == pytest.approx(2 / 3)
    # By hand: agreement 2/3, by chance 1/2.
    assert result["Fleiss' kappa: relationship"].value == pytest.approx(1 / 3)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("verdicts", [["rrrrr"], ["r----"], ["rrrrr", "wwwww"], ["-----"]])
def test_degenerate_labels_give_no_nan(verdicts: list[str]) -> None:
    for count in (1, 2):
        for one in measured(*(labelled(n, verdicts, gold="g") for n in range(count))).values():
            assert json.dumps(asdict(one), allow_nan=False)


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("accuracy", [0.94, 0.99])
@pytest.mark.parametrize("same", [False, True])
def test_the_interval_covers(accuracy: float, same: bool) -> None:
    """200 samples of 117 golds; the judge is right by gold if `same`, else with a correlation of 0.1 within a gold."""
    random, hits, runs = Random(0), 0, 1000
    for _ in range(runs):
        # A beta distribution with this mean and a variance that gives the correlation.
        chances = [random.betavariate(9 * accuracy, 9 * (1 - accuracy)) for _ in range(117)]
        golds = [float(random.random() < accuracy) for _ in chances] if same else chances
        indices = [random.randrange(117) for _ in range(200)]
        right = [float(random.random() < golds[gold]) for gold in indices]
        weights = [random.choice((1, 2, 3)) for _ in indices]
        _, low, high = weighted_share(right, weights, [str(gold) for gold in indices], same_in_cluster=same)
        hits += low <= accuracy <= high
    assert 0.92 < hits / runs < 0.98
