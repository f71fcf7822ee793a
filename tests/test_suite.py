"""The nightly script and the flow spec of `evals/suite/`."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from inspect_discoverybench.results.frame import read_results
from tests.conftest import UV

SUITE = Path(__file__).parents[1] / "evals" / "suite"
NIGHTLY = SUITE / "nightly.py"


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("options", "code", "result", "errors"),
    [
        # The mean of the scores in tests/offline/test_baseline.py.
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


FLOW = """
import sys
sys.path.append(sys.argv[1])  # after the packages of this environment
from inspect_flow.api import load_spec, run
run(load_spec("flow.yaml"))
"""


def test_the_shipped_flow_spec_runs_and_its_agents_are_told_apart(package_index: None, tmp_path: Path) -> None:
    """inspect-flow makes the solver a part of the task, so that the header of the log does not name it."""
    spec = yaml.safe_load((SUITE / "flow.yaml").read_text("utf-8"))
    spec["options"]["limit"] = 1
    spec["defaults"]["task"]["model_roles"] = {"grader": "discoverybench/lexical"}
    solvers = [None, {"name": "discoverybench/codegen", "args": {"actions": "text"}}, "discoverybench/no_data_guess"]
    tasks = []
    # Three of the tasks are enough: each gets another agent.
    for task, solver in zip(spec["tasks"], solvers, strict=False):
        offline = {**task, "name": "discoverybench/demo", "args": {}, "model": "discoverybench/baseline"}
        tasks.append(offline if solver is None else {**offline, "solver": solver})
    spec["tasks"] = tasks
    Path("flow.yaml").write_text(yaml.safe_dump(spec), "utf-8")

    packages = tmp_path / "packages"
    # inspect-flow itself calls the program uv.
    environment = os.environ | {"PATH": f"{Path(UV).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([UV, "--quiet", "pip", "install", "--target", packages, "inspect-flow"], check=True, timeout=200)
    subprocess.run([sys.executable, "-c", FLOW, str(packages)], check=True, timeout=200, env=environment)

    rows = read_results([spec["log_dir"]]).rows
    ran = {(row.sample.agent, row.sample.agent_arguments) for row in rows}
    assert ran == {("react", ()), ("codegen", ("actions=text",)), ("no_data_guess", ())}
