"""Shared fixtures of the tests of experiments."""

from pathlib import Path

import pytest

from inspect_discoverybench.experiment.run import dry_run
from tests.experiment.command import MATRIX


@pytest.fixture
def file(tmp_path: Path) -> str:
    """An experiment of four runs with two samples each."""
    (tmp_path / "small.yaml").write_text(MATRIX, "utf-8")
    return "small.yaml"


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the developer reaches a test."""
    monkeypatch.delenv("INSPECT_EVAL_MODEL_COST_CONFIG", raising=False)


@pytest.fixture(autouse=True)
def dry_run_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dry-run in this process: tests have no display that Inspect could keep, and a process takes three seconds."""
    if "command_line" not in request.fixturenames:
        monkeypatch.setattr("inspect_discoverybench.cli.run.dry_run_in_subprocess", dry_run)
