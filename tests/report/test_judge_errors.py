"""HMS corrected for the judge's errors."""

from types import SimpleNamespace
from typing import Any

import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.report.means import HIGH, LOW
from inspect_discoverybench.results.result import Result
from tests.typed_results import contents, result

SOLVED = [result(f"solved {number}", 1.0) for number in range(40)]
FAILED = [result(f"failed {number}", 0.0, context=0.0) for number in range(60)]


def label(sample: Result, true_hms: float | None) -> Any:
    """A label of a sample, as `LabelledSample` has it."""
    return SimpleNamespace(
        log=sample.run.task_id,
        sample_id=sample.sample.id,
        epoch=sample.sample.epoch,
        score=sample.score.score,
        true_hms=true_hms,
        is_incomplete=true_hms is None,
    )


def corrected(samples: list[Result], labels: list[Any]) -> Any:
    """The only row of the section."""
    section = contents(samples, labels=labels).sections[-1]
    assert len(section.table) == 1
    return section.table.iloc[0]


def test_a_lenient_judge_is_corrected_downwards() -> None:
    """A quarter of the samples to which the judge gives HMS 1 are 0 in truth. Samples without a submission are 0."""
    silent = [result(f"silent {number}", 0.0, outcome="no submission") for number in range(20)]
    labels = [label(sample, 0.0) for sample in FAILED]
    for number, sample in enumerate(SOLVED):
        true_hms = 0.0 if number % 4 == 0 else 1.0
        labels.append(label(sample, true_hms))

    row = corrected(SOLVED + FAILED + silent, labels)
    assert row["HMS × 100"] == pytest.approx(100 * 40 / 120)
    assert row["corrected"] == pytest.approx(100 * 30 / 120)
    assert row[f"corrected {LOW}"] < row["corrected"] < row[f"corrected {HIGH}"]
    assert (row["samples"], row["labelled"], row["left out"]) == (120, 100, 0)


def test_the_scored_epochs_of_a_task_share_its_weight() -> None:
    """60 tasks have HMS 0 in one epoch, of which the judge misses half; 40 have HMS 1 in two."""
    second = [result(f"solved {number}", 1.0, epoch=2) for number in range(40)]
    labels = [label(sample, 0.5) for sample in FAILED]
    labels += [label(sample, 1.0) for sample in SOLVED + second]
    row = corrected(SOLVED + second + FAILED, labels)
    assert row["HMS × 100"] == pytest.approx(40)
    assert row["corrected"] == pytest.approx(70)


def test_samples_whose_verdicts_have_no_label_keep_the_judges_score() -> None:
    labels = [label(sample, 0.5) for sample in SOLVED]
    row = corrected(SOLVED + FAILED, labels)
    assert row["corrected"] == pytest.approx(20)
    assert row["left out"] == 60


def test_labels_of_too_few_gold_hypotheses_are_refused() -> None:
    labels = [label(sample, 1.0) for sample in SOLVED[:9]]
    with pytest.raises(InvalidArgument, match="at least 10 gold hypotheses"):
        corrected(SOLVED, labels)


@pytest.mark.parametrize("incomplete", [1, 3])
def test_incomplete_labels_are_counted(incomplete: int) -> None:
    labels = [label(sample, 1.0) for sample in SOLVED]
    labels += [label(sample, None) for sample in FAILED[:incomplete]]
    section = contents(SOLVED + FAILED, labels=labels).sections[-1]
    assert f"Labels that do not determine HMS are left out: {incomplete}." in section.text


def test_complete_labels_need_no_count() -> None:
    labels = [label(sample, 1.0) for sample in SOLVED]
    assert "do not determine HMS" not in contents(SOLVED, labels=labels).sections[-1].text
