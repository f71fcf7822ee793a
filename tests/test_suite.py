"""The files in `evals/suite/` are valid for Hawk and inspect-flow, and name tasks, solvers and arguments that exist."""

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from inspect_flow import FlowTask
from inspect_flow.api import load_spec

import inspect_discoverybench as tasks
from inspect_discoverybench import _registry as solvers
from tests.conftest import UV

SUITE = Path(__file__).parents[1] / "evals" / "suite"
HAWK = "hawk==3.7.2"


def check_call(owner: object, name: str, arguments: dict[str, Any] | None) -> None:
    """Raise if there is no such task or solver, or if it has no such arguments."""
    inspect.signature(getattr(owner, name)).bind(**(arguments or {}))


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
        check_call(tasks, name, task.args)


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
    for owner, groups in ((tasks, config["tasks"]), (solvers, config["solvers"])):
        for group in groups:
            assert group["name"] == "discoverybench"
            for item in group["items"]:
                check_call(owner, item["name"], item.get("args"))
    assert {item["args"]["sandbox"] for group in config["tasks"] for item in group["items"]} == {"k8s"}
