"""The section that compares HMS with the score `prediction`."""

import math

import pytest

from inspect_discoverybench.report.prediction import prediction_section
from tests.report.frames import frame, scores


def test_the_correlation_is_over_tasks() -> None:
    hms = {"a": 0.0, "b": 0.5, "c": 1.0, "d": 1.0}
    skills = {"a": 0.1, "b": 0.2, "c": 0.9, "d": 0.3}
    rows = [{**row, "prediction": skills[row["id"]]} for row in scores(hms)]
    # Epochs are averaged, and a sample without a prediction is left out.
    rows += [{**row, "epoch": 2} for row in rows] + scores({"e": 1.0})
    section = prediction_section(frame(rows))
    assert section
    [row] = section.table.to_dict("records")
    assert row["tasks"] == 4
    assert row["HMS × 100"] == pytest.approx(62.5)
    assert row["prediction × 100"] == pytest.approx(37.5)
    assert row["Spearman’s rho"] == pytest.approx(0.949, abs=0.001)


def test_equal_values_have_no_correlation() -> None:
    rows = [{**row, "prediction": 1.0} for row in scores({"a": 0.0, "b": 0.5, "c": 1.0})]
    section = prediction_section(frame(rows))
    assert section
    assert math.isnan(section.table["Spearman’s rho"][0])


def test_there_is_no_section_without_predictions() -> None:
    assert prediction_section(frame(scores({"a": 0.0, "b": 1.0}))) is None
