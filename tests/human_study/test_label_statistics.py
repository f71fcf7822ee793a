"""Accuracy of the judge by labels, and the mean HMS that follows."""

import pytest

from inspect_discoverybench.human_study.label_statistics import measure_judge
from inspect_discoverybench.human_study.labels import JudgeStep, Label, LabelledSample
from inspect_discoverybench.human_study.statistic import Statistic
from tests.fields import assert_fields

VERDICTS = {"r": "right", "w": "wrong", "-": ""}


def label(annotator: str, letters: str, true: str) -> Label:
    """The verdicts on the steps of the judge, in their order, as five letters: right, wrong, or - for none.

    If the judge is wrong about the relationship, `true` is the right letter.
    """
    columns = {"item": "i", "annotator": annotator, "true_relationship": true}
    for step, letter in zip(JudgeStep, letters, strict=True):
        columns[step] = VERDICTS[letter]
    return Label.model_validate(columns)


def labelled(*verdicts: str, gold: str = "g", true: str = "") -> LabelledSample:
    """A sample with HMS 1 and the verdicts of Ann and Ben."""
    labels = {}
    for name, letters in zip(("Ann", "Ben"), verdicts, strict=False):
        labels[name] = label(name, letters, true)
    return LabelledSample(
        item="i",
        log="L",
        sample_id="s",
        epoch=1,
        score="HMS",
        gold=gold,
        hms=1,
        context=1,
        variables=1,
        relationship=1,
        labels=labels,
    )


def accuracy(*samples: LabelledSample) -> dict[str, Statistic]:
    return {statistic.name: statistic for statistic in measure_judge(samples)}


def test_the_accuracy_of_each_step_is_shown_beside_that_of_the_paper() -> None:
    """The interval is Clopper and Pearson's for 9 of 10."""
    # Different gold hypotheses, so that the samples are independent.
    right = [labelled("rrrrr", gold=f"g{number}") for number in range(9)]
    wrong_in_two = labelled("wrrwr")  # the gold context and the variables
    unlabelled = labelled()
    statistics = accuracy(*right, wrong_in_two, unlabelled)
    assert statistics["samples"].number == 11
    assert statistics["labelled samples"].number == 10
    assert_fields(statistics["judge right: gold context"], number=10, value=0.9, paper=0.97)
    assert_fields(statistics["judge right: context match"], number=10, value=1.0, paper=0.99)
    variables = statistics["judge right: variables"]
    assert variables.value == 0.9
    assert variables.low == pytest.approx(0.554984, abs=2e-6)
    assert variables.high == pytest.approx(0.997471, abs=2e-6)


def test_hms_is_that_of_samples_with_complete_labels_and_the_others_are_counted() -> None:
    all_right = labelled("rrrrr")
    no_match = labelled("rrwrr")
    more_general = labelled("rrrrw", true="B")
    without_right_relationship = labelled("rrrrw")
    without_verdict_on_variables = labelled("rrr-r")
    without_labels = labelled()
    statistics = accuracy(
        all_right,
        no_match,
        more_general,
        without_right_relationship,
        without_verdict_on_variables,
        without_labels,
    )
    assert statistics["labelled samples"].number == 5
    assert_fields(
        statistics["samples with complete labels"],
        number=3,
        note="left out, because the labels do not determine HMS: 2",
    )
    assert statistics["HMS by the judge"].value == 1
    assert statistics["HMS by the annotators"].value == pytest.approx((1 + 0 + 0.5) / 3)


def test_annotators_who_disagree_decide_nothing() -> None:
    statistics = accuracy(
        labelled("rrrrr", "rrrrr"),
        labelled("rrrrw", "rrrrr"),
        labelled("rrrrw", "rrrrw"),
    )
    assert_fields(
        statistics["judge right: relationship"],
        number=2,
        value=0.5,
        note="without a majority: 1",
    )
