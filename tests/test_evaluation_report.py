"""The evaluation report, from logs of the demo."""

from pathlib import Path

import evaluation_report
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.solver import SolverSpec


def run(solver: str, model: str, folder: Path, temperature: float = 0.0) -> EvalLog:
    [log] = inspect_eval(
        "discoverybench/demo",
        model=model,
        solver=SolverSpec(f"discoverybench/{solver}"),
        model_roles={"grader": get_model("discoverybench/lexical", config=GenerateConfig(temperature=temperature))},
        limit=2,
        log_dir=str(folder),
    )
    assert log.status == "success"
    return log


def test_the_report_has_results_and_what_repeats_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = run("gold", "none", tmp_path)
    run("no_data_guess", "discoverybench/baseline", tmp_path)
    report = evaluation_report.evaluation_report([str(tmp_path)])
    date = gold.eval.created[:10]
    assert report.startswith("Task version 3-A, inspect-discoverybench 0.1.0, inspect_ai 0.3")
    assert "Judge: `discoverybench/lexical`." in report
    rows = [line for line in report.splitlines() if line.startswith("| demo")]
    assert rows[0].startswith("| demo | `gold` | none | 100.0 (")
    assert rows[0].endswith(f" | 2 of 8 | 0, 0 | – | {date} |")
    assert rows[1].startswith("| demo | `no_data_guess` | `discoverybench/baseline` | 0.0 (0.0–")
    command = "inspect eval discoverybench/demo --solver discoverybench/gold --model none"
    assert f"{command} --model-role grader=discoverybench/lexical --limit 2" in report.splitlines()

    monkeypatch.setattr("sys.argv", ["evaluation_report.py", str(tmp_path)])
    run("gold", "none", tmp_path, temperature=0.5)
    assert evaluation_report.main() == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("Error: The logs have several judges: discoverybench/lexical, discoverybench/lexical (")
