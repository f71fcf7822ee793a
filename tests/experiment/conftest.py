"""What the tests of experiments share."""

from pathlib import Path

import pytest

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
