"""The nightly script of `evals/suite/` with the arguments of its workflow."""

import runpy
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from inspect_discoverybench import demo
from tests.experiment.experiments import logs

SUITE = Path(__file__).parents[1] / "evals" / "suite"


def run_nightly(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit code of the script with these arguments."""
    monkeypatch.setattr(sys, "argv", ["nightly.py", *arguments])
    with pytest.raises(SystemExit) as raised:
        runpy.run_path(str(SUITE / "nightly.py"), run_name="__main__")
    return raised.value.code


def test_the_nightly_script_fails_below_its_threshold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    workflow = yaml.safe_load((SUITE / "smoke.yml").read_text("utf-8"))
    command = workflow["jobs"]["offline"]["steps"][-1]["run"]
    arguments = shlex.split(command.removeprefix("python nightly.py"))
    assert run_nightly(monkeypatch, *arguments) == 0
    assert run_nightly(monkeypatch, *arguments, "--min-hms", "0.9") == 1
    output = capsys.readouterr()
    assert "HMS 0.425 over 8 samples, 0 unscored" in output.out
    assert output.err.endswith("HMS 0.425 is below 0.9\n")


def test_the_nightly_script_draws_its_samples_at_random_and_the_same_ones_each_night(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = []
    for night in ("monday", "tuesday"):
        assert run_nightly(monkeypatch, "--limit", "3", "--min-hms", "0", "--log-dir", night) == 0
        [log] = logs(night)
        samples.append(log.eval.dataset.sample_ids)
    monday, tuesday = samples
    first = [sample.id for sample in demo().dataset[:3]]
    assert monday == tuesday
    assert len(monday or []) == 3
    assert monday != first
