"""Accuracy of the judge by labels, and the mean HMS that follows."""

import json
from dataclasses import asdict

import pytest

from inspect_discoverybench.human_study.label_statistics import measure_accuracy
from inspect_discoverybench.human_study.labels import Label, LabelledSample, Step
from inspect_discoverybench.human_study.statistic import Statistic

VERDICTS = {"r": "right", "w": "wrong", "-": ""}


def labelled(number: int, *verdicts: str, gold: str = "", true: str = "") -> LabelledSample:
    """A sample with HMS 1. Each annotator's verdicts are five letters: r, w, or - for none."""
    labels = {}
    for name, letters in zip(("Ann", "Ben"), verdicts, strict=False):
        columns = {step.value: VERDICTS[letter] for step, letter in zip(Step, letters, strict=True)}
        labels[name] = Label.model_validate({"item": "i", "annotator": name, **columns, "true_relationship": true})
    return LabelledSample(
        item=f"i{number}",
        log="L",
        sample_id=f"s/{number}",
        epoch=1,
        score="HMS",
        gold=gold or f"g{number}",
        hms=1,
        context=1,
        variables=1,
        relationship=1,
        labels=labels,
    )


def accuracy(*samples: LabelledSample) -> dict[str, Statistic]:
    return {statistic.name: statistic for statistic in measure_accuracy(samples)}


def test_accuracy_by_step_next_to_the_papers() -> None:
    right = [labelled(number, "rrrrr") for number in range(9)]
    statistics = accuracy(*right, labelled(9, "wrrwr"), labelled(10))
    assert statistics["samples"].number == 11
    assert statistics["labelled samples"].number == 10
    assert statistics["annotators"].number == 1
    by_step = {step: statistics[f"judge right: {step.replace('_', ' ')}"] for step in Step}
    assert [by_step[step].value for step in Step] == [0.9, 1, 1, 0.9, 1]
    assert [by_step[step].paper for step in Step] == [0.97, 0.97, 0.99, 0.94, 0.99]
    # Wilson's interval with a t of 9 degrees of freedom, computed by hand.
    assert by_step[Step.VARIABLES].low == pytest.approx(0.523386, abs=2e-6)
    assert by_step[Step.VARIABLES].high == pytest.approx(0.986624, abs=2e-6)


def test_hms_is_that_of_samples_with_complete_labels_and_the_others_are_counted() -> None:
    statistics = accuracy(
        labelled(0, "rrrrr"),
        labelled(1, "rrwrr"),
        labelled(2, "rrrrw", true="B"),
        labelled(3, "rrrrw"),
        labelled(4, "rrr-r"),
        labelled(5),
    )
    complete = statistics["samples with complete labels"]
    assert complete.number == 3
    assert complete.note == "left out, because the labels do not determine HMS: 2"
    assert statistics["HMS by the judge"].value == 1
    assert statistics["HMS by the annotators"].value == pytest.approx(1.5 / 3)


def test_annotators_who_disagree_decide_nothing() -> None:
    statistics = accuracy(labelled(0, "rrrrr", "rrrrr"), labelled(1, "rrrrw", "rrrrr"), labelled(2, "rrrrw", "rrrrw"))
    relationship = statistics["judge right: relationship"]
    assert relationship.number == 2
    assert relationship.value == 0.5
    assert relationship.note == "without a majority: 1"
    # By hand: agreement 2/3, by chance 1/2.
    assert statistics["Fleiss' kappa: relationship"].value == pytest.approx(1 / 3)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("verdicts", [["rrrrr"], ["r----"], ["rrrrr", "wwwww"], ["-----"]])
@pytest.mark.parametrize("count", [1, 2])
def test_degenerate_labels_give_no_nan(verdicts: list[str], count: int) -> None:
    samples = [labelled(number, *verdicts, gold="g") for number in range(count)]
    for statistic in measure_accuracy(samples):
        assert json.dumps(asdict(statistic), allow_nan=False)
