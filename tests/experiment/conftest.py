"""Shared fixtures of the tests of experiments."""

from pathlib import Path

import pytest

from inspect_discoverybench.experiment.eval_set import dry_run
from tests.experiment.experiments import GOLD, SMALL


@pytest.fixture(autouse=True)
def experiment_files(tmp_path: Path) -> None:
    """`small.yaml` has four runs with two samples each, and `gold.yaml` one of them, which submits gold hypotheses."""
    (tmp_path / "small.yaml").write_text(SMALL, "utf-8")
    (tmp_path / "gold.yaml").write_text(GOLD, "utf-8")


@pytest.fixture(autouse=True)
def dry_run_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dry-run in this process: tests have no display that Inspect could keep, and a process takes three seconds."""
    if "command_line" not in request.fixturenames:
        monkeypatch.setattr("inspect_discoverybench.experiment.execution.dry_run_in_subprocess", dry_run)
