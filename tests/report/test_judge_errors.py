"""HMS corrected for the judge's errors."""

from types import SimpleNamespace
from typing import Any

import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.report.means import HIGH, HMS, LOW
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import contents, result, rows

SOLVED = [result(f"solved {number // 2}", 1.0, epoch=number % 2) for number in range(40)]  # 20 tasks in two epochs
FAILED = [result(f"failed {number}", 0.0, context=0.0) for number in range(60)]
SILENT = [result(f"silent {number}", 0.0, outcome="no submission") for number in range(20)]


def labels(samples: list[ResultRow], true_hms: float | None) -> list[Any]:
    """Labels of samples, as `LabelledSample` has them."""
    labels = []
    for sample in samples:
        label = SimpleNamespace(
            log=sample.run.task_id,
            sample_id=sample.sample.id,
            epoch=sample.sample.epoch,
            score=sample.score.score,
            true_hms=true_hms,
            is_incomplete=true_hms is None,
        )
        labels.append(label)
    return labels


def corrected(samples: list[ResultRow], labels: list[Any]) -> Section:
    return contents(samples, labels=labels).sections[-1]


def test_a_lenient_judge_is_corrected_downwards() -> None:
    """The judge says that 20 of 100 tasks are solved. By the labels, a quarter of these failed, so that 15 remain.

    Half of the samples with a submission are labelled. Those without one need no label.
    """
    drawn = [
        # Of the 40 samples of solved tasks, 20 are labelled: 5 as failed, and 15 as solved.
        *labels(SOLVED[:5], 0.0),
        *labels(SOLVED[5:20], 1.0),
        # Of the 60 samples of failed tasks, 30 are labelled, all as failed.
        *labels(FAILED[:30], 0.0),
    ]
    section = corrected(SOLVED + FAILED + SILENT, drawn)
    [means] = rows(section, HMS, "corrected")
    assert means == pytest.approx((20, 15))

    [(low, high)] = rows(section, f"corrected {LOW}", f"corrected {HIGH}")
    assert low < 15 < high
    assert rows(section, "samples", "labelled") == [(120, 50)]


def test_labels_of_too_few_gold_hypotheses_are_refused() -> None:
    few = labels(SOLVED[:9], 1.0)  # two epochs of each task, so these are samples of five gold hypotheses
    with pytest.raises(InvalidArgument, match="at least 10 gold hypotheses"):
        corrected(SOLVED, few)


def test_incomplete_labels_are_counted() -> None:
    complete = labels(SOLVED, 1.0)
    incomplete = labels(FAILED[:3], None)
    all_labels = complete + incomplete
    section = corrected(SOLVED + FAILED, all_labels)
    assert "Labels that do not determine HMS are left out: 3." in section.text
