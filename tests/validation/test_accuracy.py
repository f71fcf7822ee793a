"""Accuracy of the judge by step, compared with values computed by hand and by simulation."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from random import Random

import pytest

from inspect_discoverybench.validation.accuracy import estimate_accuracy, measure_judge
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.labels import Label, LabelledSample, Labels

VERDICTS = {"r": True, "w": False}


def labelled(
    number: int, verdicts: Sequence[str], *, weight: float = 1, gold: str = "", true: str = ""
) -> LabelledSample:
    """A sample with HMS 1. Each annotator's verdicts are five letters: r, w, or - for none."""
    names = ("Ann", "Ben", "Cy")
    labels = {
        step: {
            name: Label(VERDICTS[letters[place]], true if step is Step.RELATIONSHIP else "")
            for name, letters in zip(names, verdicts, strict=False)
            if letters[place] != "-"
        }
        for place, step in enumerate(Step)
    }
    texts = dict(zip(Step, ("in towns", "in towns", "yes", "2 2 2", "A"), strict=True))
    return LabelledSample(
        f"i{number}", "L", f"s/{number}", 1, "HMS", gold or f"g{number}", "1, 1, A", weight, 1.0, texts, labels
    )


def test_accuracy_by_step_next_to_the_papers() -> None:
    samples = [labelled(n, ["rrrrr"]) for n in range(9)]
    result = measure_judge(Labels((*samples, labelled(9, ["wrrwr"])), unlabelled=3))
    assert [(step.name, step.majority.accuracy, step.paper) for step in result.steps] == [
        ("context extraction", 0.95, 0.97),
        ("- gold", 0.9, None),
        ("- predicted", 1, None),
        ("context match", 1, 0.99),
        ("variables", 0.9, 0.94),
        ("relationship", 1, 0.99),
    ]
    assert (result.samples, result.unlabelled, result.annotators) == (10, 3, ("Ann",))
    variables = result.steps[4].majority
    assert variables.effective_samples == pytest.approx(9)  # n - 1, as each sample is a cluster of its own
    assert variables.interval is not None
    # By hand: z² = 3.841459, centre (0.9 + z²/18) / (1 + z²/9) = 0.780342, half width 0.203080.
    assert (variables.interval.low, variables.interval.high) == pytest.approx((0.577262, 0.983422), abs=2e-6)


def test_weights_count() -> None:
    accuracy = estimate_accuracy([1, 0], [3, 1], ["a", "b"])
    assert accuracy.accuracy == pytest.approx(0.75)
    assert accuracy.effective_samples <= 16 / 10


def test_answers_about_the_same_gold_count_once_where_they_are_the_same() -> None:
    golds = list("aabbccddee" * 4)
    assert estimate_accuracy([1] * 40, [1] * 40, golds, same_in_cluster=True).effective_samples == pytest.approx(5)
    right = [float(n % 8 > 0) for n in range(40)]
    different = estimate_accuracy(right, [1] * 40, [str(n) for n in range(40)])
    repeated = estimate_accuracy(right, [1] * 40, [str(n % 8) for n in range(40)])
    assert different.effective_samples == pytest.approx(39)
    assert repeated.effective_samples == pytest.approx(7)


def test_hms_by_the_judge_and_by_people() -> None:
    samples = (
        labelled(0, ["rrrrr"], weight=2),
        labelled(1, ["rrwrr"], weight=1),
        labelled(2, ["rrrrw"], weight=1, true="B"),
        labelled(3, ["rrrrw"], weight=4),
    )
    result = measure_judge(Labels(samples, 0))
    assert (result.complete, result.judged_hms) == (3, 1)
    assert result.true_hms == pytest.approx(2.5 / 4)


def test_annotators_who_disagree() -> None:
    samples = (labelled(0, ["rrrrr", "rrrrr"]), labelled(1, ["rrrrw", "rrrrr"]), labelled(2, ["rrrrw", "rrrrw"]))
    result = measure_judge(Labels(samples, 0))
    relationship = result.steps[-1]
    assert (relationship.majority.samples, relationship.majority.without_majority) == (2, 1)
    assert relationship.majority.accuracy == 0.5
    assert {name: one.accuracy for name, one in relationship.annotators.items()} == pytest.approx(
        {"Ann": 1 / 3, "Ben": 2 / 3}
    )
    assert relationship.unanimous == pytest.approx(2 / 3)
    # By hand: agreement 2/3, by chance 1/2.
    assert relationship.kappa.kappa == pytest.approx(1 / 3)
    assert result.steps[0].kappa.note == "not defined: all votes are the same choice"


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("verdicts", [["rrrrr"], ["wwwww"], ["r----"], ["rrrrr", "wwwww"], ["-----"]])
def test_degenerate_labels_give_no_nan(verdicts: list[str]) -> None:
    for count in (1, 2):
        result = measure_judge(Labels(tuple(labelled(n, verdicts, gold="g") for n in range(count)), 0))
        assert json.dumps(asdict(result), allow_nan=False)
        for step in result.steps:
            if step.majority.accuracy is not None and step.majority.interval is not None:
                interval = step.majority.interval
                assert 0 <= interval.low <= step.majority.accuracy + 1e-12
                assert step.majority.accuracy - 1e-12 <= interval.high <= 1


@pytest.mark.usefixtures("sweep")
@pytest.mark.parametrize("accuracy", [0.94, 0.97, 0.99])
@pytest.mark.parametrize("same", [False, True])
def test_the_interval_covers(accuracy: float, same: bool) -> None:
    """200 samples of 117 golds; the judge is right by gold if `same`, else with a correlation of 0.1 within a gold."""
    random, hits, runs = Random(0), 0, 1000
    for _ in range(runs):
        golds = [float(random.random() < accuracy) if same else _beta(random, accuracy, 0.1) for _ in range(117)]
        indices = [random.randrange(117) for _ in range(200)]
        right = [float(random.random() < golds[gold]) for gold in indices]
        weights = [random.choice((1, 2, 3)) for _ in indices]
        interval = estimate_accuracy(right, weights, [str(gold) for gold in indices], same_in_cluster=same).interval
        assert interval is not None
        hits += interval.low <= accuracy <= interval.high
    assert 0.92 < hits / runs < 0.98


def _beta(random: Random, mean: float, correlation: float) -> float:
    size = 1 / correlation - 1
    return random.betavariate(mean * size, (1 - mean) * size)
