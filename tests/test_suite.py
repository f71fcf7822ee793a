"""The nightly script of `evals/suite/`."""

import runpy
import sys
from pathlib import Path

import pytest

NIGHTLY = Path(__file__).parents[1] / "evals" / "suite" / "nightly.py"


@pytest.mark.parametrize(
    ("options", "code", "result", "errors"),
    [
        ("--min-hms 0.25", 0, "HMS 0.425 over 8 samples, 0 unscored", ""),
        ("--min-hms 0.9", 1, "HMS 0.425 over 8 samples, 0 unscored", "HMS 0.425 is below 0.9\n"),
        # This judge's replies have no valid form.
        (
            "--grader discoverybench/baseline",
            1,
            "HMS nan over 8 samples, 8 unscored",
            "8 samples are unscored; score them again",
        ),
    ],
)
def test_the_nightly_script_fails_below_its_threshold_and_for_unscored_samples(
    options: str,
    code: int,
    result: str,
    errors: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["nightly.py", *options.split()])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(NIGHTLY), run_name="__main__")
    assert end.value.code == code
    output = capsys.readouterr()
    assert result in output.out
    assert errors in output.err
