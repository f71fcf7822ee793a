"""HMS corrected for the judge's errors."""

from collections.abc import Sequence
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.report.means import HIGH, LOW
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from tests.typed_results import contents, result


def label(sample: Result, true_hms: float) -> Any:
    """A label of a sample, as `LabelledSample` has it."""
    return SimpleNamespace(
        log=sample.run.task_id,
        sample_id=sample.sample.id,
        epoch=sample.sample.epoch,
        score=sample.score.score,
        true_hms=true_hms,
    )


def corrected(samples: Sequence[Result], labels: Sequence[Any]) -> Section:
    return contents(samples, labels=labels).sections[-1]


@pytest.mark.parametrize("missed", [0, 0.5])
def test_the_scored_epochs_of_a_task_share_its_weight(missed: float) -> None:
    """20 tasks have HMS 0 in one epoch, and 20 have HMS 1 in three. The judge is right, or misses partial scores."""
    failed = [result(f"f{number}", 0.0) for number in range(20)]
    solved = [result(f"s{number}", 1.0, epoch=epoch) for number in range(20) for epoch in range(3)]
    labels = [*(label(sample, missed) for sample in failed), *(label(sample, 1.0) for sample in solved)]
    table = corrected([*failed, *solved], labels).table
    assert table["HMS × 100"].tolist() == pytest.approx([50])
    assert table["corrected"].tolist() == pytest.approx([50 + 50 * missed])


def test_a_lenient_judge_is_corrected_downwards() -> None:
    """The judge gives 40 of 120 samples HMS 1; a quarter of these are 0 in truth. 20 samples have no submission."""
    solved = [result(f"s{number}", 1.0) for number in range(40)]
    failed = [result(f"f{number}", 0.0, context=0.0) for number in range(60)]
    silent = [result(f"n{number}", 0.0, outcome="no submission") for number in range(20)]
    labels = [label(sample, float(number % 4 > 0)) for number, sample in enumerate(solved)]
    labels += [label(sample, 0.0) for sample in failed]
    true_mean = 100 * fmean([each.true_hms for each in labels] + [0.0] * len(silent))

    row = corrected([*solved, *failed, *silent], labels).table.iloc[0]
    assert row["HMS × 100"] == pytest.approx(100 * 40 / 120)
    assert row["corrected"] == pytest.approx(true_mean)
    assert row[f"corrected {LOW}"] < true_mean < row[f"corrected {HIGH}"]
    assert (row["samples"], row["labelled"], row["left out"]) == (120, 100, 0)


def test_samples_whose_verdicts_have_no_label_keep_the_judges_score() -> None:
    solved = [result(f"s{number}", 1.0) for number in range(20)]
    failed = [result(f"f{number}", 0.0, context=0.0) for number in range(10)]
    row = corrected([*solved, *failed], [label(sample, 0.5) for sample in solved]).table.iloc[0]
    assert row["corrected"] == pytest.approx(100 * 0.5 * 20 / 30)
    assert row["left out"] == 10


def test_labels_of_too_few_gold_hypotheses_are_refused() -> None:
    samples = [result(f"s{number}", 1.0, gold_hypothesis=f"gold {number % 9}") for number in range(20)]
    with pytest.raises(InvalidArgument, match="at least 10 gold hypotheses"):
        corrected(samples, [label(sample, 1.0) for sample in samples])
