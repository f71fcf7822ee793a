"""The nightly script of `evals/suite/`."""

import runpy
import sys
from pathlib import Path

import pytest

NIGHTLY = Path(__file__).parents[1] / "evals" / "suite" / "nightly.py"


@pytest.mark.parametrize(
    ("min_hms", "code", "end_of_errors"),
    [
        ("0.25", 0, ""),
        ("0.9", 1, "HMS 0.425 is below 0.9\n"),
    ],
)
def test_the_nightly_script_fails_below_its_threshold(
    min_hms: str,
    code: int,
    end_of_errors: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["nightly.py", "--min-hms", min_hms])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(NIGHTLY), run_name="__main__")
    assert end.value.code == code
    output = capsys.readouterr()
    assert "HMS 0.425 over 8 samples, 0 unscored" in output.out
    assert output.err.endswith(end_of_errors)
