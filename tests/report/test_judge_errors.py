"""HMS corrected for the judge's errors."""

import csv
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from inspect_discoverybench.human_study.labels import LabelKey, LabelledSample, read_labels
from inspect_discoverybench.report.aggregates import HIGH, LOW
from inspect_discoverybench.report.judges import judge_error_section
from inspect_discoverybench.report.report_columns import add_report_columns
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.scorer.facets import FACET_KEYS
from tests.report.frames import frame
from tests.synthetic_logs import Run, write_logs

LETTERS = {1.0: "A", 0.5: "B", 0.0: "C"}
STEPS = ("gold_context", "predicted_context", "context_match", "variables", "relationship")


def labelled(logs: list[Path], folder: Path, every: int, wrong_every: int) -> list[LabelledSample]:
    """Label every n-th sample. Of the labelled samples with relationship A, every m-th is in truth a C."""
    samples = read_results(logs).samples
    keys: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    solved = 0
    for number, values in enumerate(samples[samples.outcome == "scored"].iloc[::every].to_dict("records")):
        row = SimpleNamespace(**{str(name): value for name, value in values.items()})
        relationship = LETTERS[row.relationship]
        solved += relationship == "A"
        truth = "C" if relationship == "A" and solved % wrong_every == 0 else relationship
        identity = {
            "item": f"item{number:03d}",
            "log": row.task_id,
            "sample_id": row.id,
            "epoch": row.epoch,
            "score": row.score,
            "gold": row.gold_hypothesis,
            "hms": row.hms,
            **{facet: getattr(row, facet) for facet in FACET_KEYS},
        }
        keys.append(identity)
        labels.append(
            {"item": identity["item"], "annotator": "Ann", **dict.fromkeys(STEPS[:4], "right")}
            | {
                "relationship": "right" if truth == relationship else "wrong",
                "true_relationship": "" if truth == relationship else truth,
            }
        )
    folder.mkdir()
    for name, rows, columns in (
        ("key.csv", keys, LabelKey.model_fields),
        ("labels.csv", labels, ("item", "annotator", *STEPS, "true_relationship")),
    ):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
    return read_labels([folder])


@pytest.mark.parametrize("missed", [0, 0.5])
def test_the_scored_epochs_of_a_task_share_its_weight(missed: float) -> None:
    """20 tasks have HMS 0 in one epoch, and 20 have HMS 1 in three. The judge is right, or misses partial scores."""
    epochs = [(number, epoch) for number in range(40) for epoch in range(3) if number % 2 or not epoch]
    rows = [{"id": f"t{number}", "epoch": epoch, "task_id": "log", "hms": number % 2.0} for number, epoch in epochs]
    values = [{"sample_id": row["id"], "epoch": row["epoch"], "true_hms": row["hms"] or missed} for row in rows]
    labels: Any = [SimpleNamespace(log="log", score="HMS", **each) for each in values]
    table = judge_error_section(frame(rows), labels).table
    assert [*table["HMS × 100"], *table["corrected"]] == pytest.approx([50, 50, *[50 + 50 * missed] * 2])


def test_a_lenient_judge_is_corrected_downwards(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.4, no_submission=0.2)
    logs = write_logs([run], tmp_path / "logs", samples=120)
    labels = labelled(logs, tmp_path / "labels", every=1, wrong_every=4)
    samples = add_report_columns(read_results(logs).samples)
    true = {label.sample_id: label.true_hms or 0.0 for label in labels}
    mean = 100 * sum(true.values()) / len(samples)
    row = judge_error_section(samples, labels).table.iloc[0]
    assert row["corrected"] == pytest.approx(mean, abs=0.5)
    assert row["corrected"] < row["HMS × 100"] - 3
    assert row[f"corrected {LOW}"] < mean < row[f"corrected {HIGH}"]
    assert row["samples"] == 120
    assert row["labelled"] == len(labels) < 120
    failed = samples[(samples.context == 0) & (samples.outcome == "scored")]
    section = judge_error_section(samples, [label for label in labels if label.sample_id not in {*failed.id}])
    row = section.table.iloc[0]
    assert row["HMS × 100"] == pytest.approx(100 * samples.hms.mean())
    assert row["corrected"] == pytest.approx(mean, abs=0.5)
    assert (row["samples"], row["left out"]) == (120, len(failed))
    assert "Left out, because none of them is labelled: 4 × context 0, variables partial, relationship " in section.text
