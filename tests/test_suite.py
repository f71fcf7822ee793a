"""The files in `evals/suite/` run, or are valid for the tool that reads them and name what exists."""

import importlib.util
import inspect
import io
import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import ModuleType
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
from inspect_discoverybench.dataset.released import ARCHIVE_URL
from tests.conftest import UV

REPOSITORY = Path(__file__).parents[1]
SUITE = REPOSITORY / "evals" / "suite"
HAWK = "hawk==3.7.2"
INSPECT_EVALS = "inspect-evals==0.26.0"


def check_task(name: str, arguments: dict[str, Any] | None) -> None:
    """Raise if there is no such task, or if it has no such arguments."""
    inspect.signature(getattr(tasks, name)).bind(**(arguments or {}))


def test_inspect_flow_accepts_the_spec() -> None:
    spec = load_spec(str(SUITE / "flow.yaml"))
    assert isinstance(spec.tasks, list)
    assert len(spec.tasks) == 4
    for task in spec.tasks:
        assert isinstance(task, FlowTask)
        package, _, name = str(task.name).partition("/")
        assert package == "discoverybench"
        assert isinstance(task.args, dict)
        assert task.args["sandbox"] == "k8s"
        check_task(name, task.args)


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
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(config | {"tasks": [{"package": "inspect-discoverybench"}]}, schema)


def test_the_eval_set_names_what_exists() -> None:
    config = yaml.safe_load((SUITE / "hawk.yaml").read_text("utf-8"))
    assert {group["name"] for group in (*config["tasks"], *config["solvers"])} == {"discoverybench"}
    for item in (item for group in config["tasks"] for item in group["items"]):
        check_task(item["name"], item["args"])
        assert item["args"]["sandbox"] == "k8s"
    for item in (item for group in config["solvers"] for item in group["items"]):
        registry_create("solver", f"discoverybench/{item['name']}", **item.get("args", {}))


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
        "discoverybench/demo 3-A, discoverybench/baseline: HMS 0.812 over 8 samples, 0 unscored"
        in capsys.readouterr().out
    )
    # The same folder: `eval_set` reads the complete log again.
    assert nightly([*command, "--min-hms", "0.9"], monkeypatch) == 1
    assert capsys.readouterr().err.endswith("HMS 0.812 is below 0.9\n")


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


def load(path: Path) -> ModuleType:
    """A module by its path, without what its package requires."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Pydantic and dataclasses look the module up.
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:`__get_validators__` is deprecated")
@pytest.mark.usefixtures("package_index")
def test_the_register_accepts_its_entry_and_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [UV, "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path), "--python", sys.executable]
    subprocess.run([*command, INSPECT_EVALS], check=True)
    for name in ("metadata", "source_url", "task_resolver"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    register = load(tmp_path / "inspect_evals" / "metadata.py")
    package = yaml.safe_load(files(tasks).joinpath("eval.yaml").read_text("utf-8"))
    register.InternalEvalMetadata(id="inspect_discoverybench", **package)
    with pytest.raises(ValueError, match="group"):
        register.InternalEvalMetadata(id="inspect_discoverybench", **package | {"group": "Data Science"})
    entry = yaml.safe_load((SUITE / "register.yaml").read_text("utf-8"))
    metadata = register.ExternalEvalMetadata(id="discoverybench", **entry)
    # What a maintainer submits leads to the entry's task.
    [address] = re.findall(r"`(https://github\.com/\S+#L\d+)`", (REPOSITORY / "docs" / "suite.md").read_text("utf-8"))
    source = load(tmp_path / "register_tooling" / "source_url.py").parse_source_url(address)
    assert source.repository_url == entry["source"]["repository_url"]
    assert source.task_path == metadata.tasks[0].task_path
    text = (REPOSITORY / source.task_path).read_text("utf-8")
    entry_task = load(tmp_path / "register_tooling" / "task_resolver.py").resolve_task(
        text, line_anchor=source.line_anchor
    )
    assert entry_task.name == metadata.tasks[0].name


def test_the_external_assets_are_those_that_are_used() -> None:
    package = yaml.safe_load(files(tasks).joinpath("eval.yaml").read_text("utf-8"))
    [base] = re.findall(r"^ARG BASE=(.+)$", (REPOSITORY / "sandbox" / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert [asset["source"] for asset in package["external_assets"]] == [ARCHIVE_URL, base]


def test_the_lock_has_the_versions_of_development() -> None:
    pin = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
    locked, tested = (
        set(pin.findall((REPOSITORY / name).read_text("utf-8"))) for name in ("requirements.lock", "constraints.txt")
    )
    assert ("inspect-ai", "0.3.285") in locked
    assert locked <= tested
