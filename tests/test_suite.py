"""The nightly script of `evals/suite/` with the arguments of its workflow."""

import runpy
import shlex
import sys
from pathlib import Path

import pytest
import yaml

SUITE = Path(__file__).parents[1] / "evals" / "suite"


def run_script(command: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit code of a script of this folder, such as `python nightly.py --limit 3`."""
    _, name, *options = shlex.split(command)
    monkeypatch.setattr(sys, "argv", [name, *options])
    path = SUITE / name
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    return end.value.code


def test_the_nightly_script_fails_below_its_threshold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = SUITE / "smoke.yml"
    text = file.read_text("utf-8")
    workflow = yaml.safe_load(text)
    offline = workflow["jobs"]["offline"]
    last_step = offline["steps"][-1]
    command = last_step["run"]
    assert run_script(command, monkeypatch) == 0

    above_the_score = f"{command} --min-hms 0.9"
    assert run_script(above_the_score, monkeypatch) == 1
    output = capsys.readouterr()
    assert "HMS 0.425 over 8 samples, 0 unscored" in output.out
    assert output.err.endswith("HMS 0.425 is below 0.9\n")
