"""Shared fixtures of the tests of experiments."""

from pathlib import Path

import pytest

from tests.experiment.experiments import GOLD, SMALL


@pytest.fixture(autouse=True)
def experiment_files(tmp_path: Path) -> None:
    """`small.yaml` has four runs with two samples each, and `gold.yaml` one of them, which submits gold hypotheses."""
    (tmp_path / "small.yaml").write_text(SMALL, "utf-8")
    (tmp_path / "gold.yaml").write_text(GOLD, "utf-8")
