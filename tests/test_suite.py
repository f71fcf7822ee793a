"""The files in `evals/suite/` run, or are valid for the tool that reads them and name what exists."""

import inspect
import io
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ApprovalEvent
from inspect_ai.util import registry_create
from inspect_flow import FlowTask
from inspect_flow.api import load_spec

import inspect_discoverybench as tasks
from tests.conftest import UV

REPOSITORY = Path(__file__).parents[1]
SUITE = REPOSITORY / "evals" / "suite"
HAWK = "hawk==3.7.2"


def check_task(name: str, arguments: dict[str, Any]) -> None:
    """Raise if there is no such task, or if it has no such arguments."""
    package, _, task = name.partition("/")
    assert package == "discoverybench"
    assert arguments["sandbox"] == "k8s"
    inspect.signature(getattr(tasks, task)).bind(**arguments)


def test_inspect_flow_accepts_the_spec() -> None:
    spec = load_spec(str(SUITE / "flow.yaml"))
    assert isinstance(spec.tasks, list)
    assert len(spec.tasks) == 4
    for task in spec.tasks:
        assert isinstance(task, FlowTask)
        assert isinstance(task.args, dict)
        check_task(str(task.name), task.args)


@pytest.mark.usefixtures("package_index")
def test_hawk_accepts_the_eval_set(tmp_path: Path) -> None:
    """Hawk requires Python 3.13, so only the schema in its package is used."""
    command = [UV, "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), "--python-version", "3.13"]
    subprocess.run([*command, "--python", sys.executable, HAWK], check=True)
    schema = json.loads((tmp_path / "hawk" / "api" / "EvalSetConfig.schema.json").read_text("utf-8"))
    config = yaml.safe_load((SUITE / "hawk.yaml").read_text("utf-8"))
    jsonschema.validate(config, schema)
    # Hawk accepts unknown keys at the top.
    assert config.keys() <= schema["properties"].keys()


def test_the_eval_set_names_what_exists() -> None:
    config = yaml.safe_load((SUITE / "hawk.yaml").read_text("utf-8"))
    for group in config["tasks"]:
        for item in group["items"]:
            check_task(f"{group['name']}/{item['name']}", item["args"])
    for group in config["solvers"]:
        for item in group["items"]:
            registry_create("solver", f"{group['name']}/{item['name']}", **item.get("args", {}))


def smoke_command(job: str) -> list[str]:
    """The arguments of `python` in a job of the workflow."""
    workflow = yaml.safe_load((SUITE / "smoke.yml").read_text("utf-8"))
    [command] = [step["run"] for step in workflow["jobs"][job]["steps"] if step.get("run", "").startswith("python ")]
    return shlex.split(command)[1:]


def nightly(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a copy of the script in the current folder. Returns its exit code."""
    shutil.copy(SUITE / "nightly.py", "nightly.py")
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as raised:
        runpy.run_path(arguments[0], run_name="__main__")
    assert isinstance(raised.value.code, int)
    return raised.value.code


def test_the_script_fails_below_its_threshold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = smoke_command("offline")
    assert nightly(command, monkeypatch) == 0
    assert (
        "discoverybench/demo 3-A, discoverybench/baseline: HMS 0.300 over 8 samples, 0 unscored"
        in capsys.readouterr().out
    )
    # The same folder: `eval_set` reads the complete log again.
    assert nightly([*command, "--min-hms", "0.9"], monkeypatch) == 1
    assert capsys.readouterr().err.endswith("HMS 0.300 is below 0.9\n")


@pytest.mark.usefixtures("engine", "upstream", "sweep")
def test_the_real_path_in_docker_scores_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert nightly(smoke_command("docker"), monkeypatch) == 0
    assert "HMS 1.000 over 5 samples, 0 unscored" in capsys.readouterr().out


@pytest.mark.parametrize(("key", "decision"), [("a", "approve"), ("r", "reject")])
def test_a_person_approves_code_but_not_the_answer(key: str, decision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{key}\n" * 20))
    [log] = inspect_eval(
        tasks.demo(), model="discoverybench/baseline", limit=1, approval=str(SUITE / "approval.yaml"), display="plain"
    )
    assert log.status == "success"
    assert log.samples
    approvals = [event for event in log.samples[0].events if isinstance(event, ApprovalEvent)]
    decisions = {(event.call.function, event.approver, event.decision) for event in approvals}
    assert decisions == {("python", "human", decision), ("submit", "auto", "approve")}


def test_the_entry_of_the_register_names_what_exists() -> None:
    [task] = yaml.safe_load((SUITE / "register.yaml").read_text("utf-8"))["tasks"]
    text = (REPOSITORY / task["task_path"]).read_text("utf-8")
    assert f"\n@task\ndef {task['name']}(" in text


def test_the_lock_has_the_versions_of_development() -> None:
    pin = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
    locked, tested = (
        set(pin.findall((REPOSITORY / name).read_text("utf-8"))) for name in ("requirements.lock", "constraints.txt")
    )
    assert ("inspect-ai", "0.3.285") in locked
    assert locked <= tested
