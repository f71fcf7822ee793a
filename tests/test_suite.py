"""The nightly script of `evals/suite/` with the arguments of its workflow."""

import runpy
import shlex
import sys
from pathlib import Path

import pytest
import yaml

SUITE = Path(__file__).parents[1] / "evals" / "suite"


def test_the_nightly_script_fails_below_its_threshold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    workflow = yaml.safe_load((SUITE / "smoke.yml").read_text("utf-8"))
    command = workflow["jobs"]["offline"]["steps"][-1]["run"]
    arguments = shlex.split(command.removeprefix("python nightly.py"))
    for threshold, exit_code in (([], 0), (["--min-hms", "0.9"], 1)):
        monkeypatch.setattr(sys, "argv", ["nightly.py", *arguments, *threshold])
        with pytest.raises(SystemExit) as raised:
            runpy.run_path(str(SUITE / "nightly.py"), run_name="__main__")
        assert raised.value.code == exit_code
    output = capsys.readouterr()
    assert "HMS 0.425 over 8 samples, 0 unscored" in output.out
    assert output.err.endswith("HMS 0.425 is below 0.9\n")
