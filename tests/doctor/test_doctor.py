"""`discoverybench doctor` on a working installation and on broken ones."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from inspect_discoverybench.sandbox.image import image
from tests.endpoint import Refused, Request, question, serve, slots, truthful
from tests.packages import installed

SECRET = "sesame-open-7731"


@pytest.fixture(autouse=True)
def few_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR", raising=False)


def doctor(*arguments: str, exit_code: int) -> Result:
    result = CliRunner().invoke(main, ["doctor", *arguments])
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    return result


def findings(*arguments: str, exit_code: int) -> dict[str, dict[str, Any]]:
    result = doctor(*arguments, "--json", exit_code=exit_code)
    assert SECRET not in result.output
    document = json.loads(result.stdout)
    assert document["ok"] is (exit_code == 0)
    return {check["name"]: check for check in document["checks"]}


@pytest.mark.usefixtures("engine")
def test_a_sound_installation(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell in a real container, the released data, and the offline models."""
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(upstream))
    arguments = ("--model", "discoverybench/baseline", "--grader", "discoverybench/lexical")
    lines = doctor(*arguments, exit_code=0).stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["ok"] * 11
    assert lines[0].startswith("ok       python      3.")
    assert f"ok       image       {image()} (sha256:" in lines[5]
    assert "an agent ran code in the sandbox docker" in lines[6]
    assert "judged a pair correctly" in lines[10]


def test_without_an_engine_data_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks that depend on the engine are skipped; the others run."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    checks = findings("--model", "openai/gpt-4o", exit_code=1)
    assert {name: check["status"] for name, check in checks.items()} | {"compose": "either"} == {
        "python": "ok",
        "packages": "ok",
        "data": "warning",
        "engine": "failure",
        "compose": "either",
        "image": "skipped",
        "session": "skipped",
        "model key": "failure",
        "model call": "skipped",
        "judge key": "warning",
    }
    assert checks["data"]["remedy"] == "Run: discoverybench data fetch"
    assert "Install and start Docker" in checks["engine"]["remedy"]
    assert checks["image"]["message"] == "needs engine"
    assert "OPENAI_API_KEY" in checks["model key"]["message"]


def test_an_old_engine_and_old_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "/nowhere/data")
    installed(tmp_path, "pooch", "0.1.0")
    monkeypatch.syspath_prepend(tmp_path)
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    program.write_text("#!/bin/sh\ncase $1 in version) echo 20.10.1;; compose) echo v2.21;; esac", "utf-8")
    program.chmod(0o755)
    checks = findings(exit_code=1)
    assert checks["engine"]["message"] == "Docker Engine 20.10.1 is older than 24.0.6"
    assert checks["compose"]["message"] == "Compose v2.21"
    assert "pooch 0.1.0 is installed, but >=1.8.2 is required" in checks["packages"]["message"]
    assert checks["data"]["message"].startswith("DISCOVERYBENCH_DATA_DIR=/nowhere/data is not a folder")


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (lambda _: Refused(f"Incorrect API key provided: {SECRET}.", status=401), "failure", "rejects the API key"),
        (lambda _: Refused(f"Bad header {SECRET}"), "failure", "Bad header [LOCAL_API_KEY]"),
        (lambda _: "  ", "warning", "returned an empty reply"),
        (lambda _: "ready", "ok", "replied in"),
    ],
    ids=["401", "400", "empty", "ready"],
)
def test_one_real_call(monkeypatch: pytest.MonkeyPatch, answer: Any, status: str, message: str) -> None:
    with serve(answer) as endpoint:
        checks = over_http(monkeypatch, endpoint.url, "--model", exit_code=int(status == "failure"))
    assert (checks["session"]["status"], checks["model call"]["status"]) == ("ok", status)
    assert message in checks["model call"]["message"]


def right(request: Request) -> str:
    """A judge that sees that one variable differs."""
    match question(request):
        case "extract":
            context = slots(request)["hypothesis"].partition(",")[0]
            return json.dumps({"hypothesis": [{"text": "t", "context": context, "explanation": "e"}]})
        case "variables":
            return json.dumps({"sizeA": 3, "sizeB": 3, "intersection": 2, "explanation": "e"})
    return truthful(request)


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (right, "ok", "judged a pair correctly"),
        (
            lambda request: right(request).replace('"intersection": 2', '"intersection": 3'),
            "warning",
            "judged a pair incorrectly",
        ),
        (lambda _: "I like it.", "failure", "no valid reply"),
    ],
    ids=["right", "wrong", "invalid"],
)
def test_one_audited_pair(monkeypatch: pytest.MonkeyPatch, answer: Any, status: str, message: str) -> None:
    with serve(answer) as endpoint:
        checks = over_http(monkeypatch, endpoint.url, "--grader", exit_code=int(status == "failure"))
    assert checks["judge pair"]["status"] == status
    assert message in checks["judge pair"]["message"]
    assert bool(checks["judge pair"]["remedy"]) is (status != "ok")


def over_http(monkeypatch: pytest.MonkeyPatch, url: str, option: str, exit_code: int) -> dict[str, dict[str, Any]]:
    monkeypatch.setenv("LOCAL_API_KEY", SECRET)
    monkeypatch.setenv("LOCAL_BASE_URL", url)
    # A new name for each address, because Inspect caches models by name.
    model = f"openai-api/local/{url.rpartition(':')[2].removesuffix('/v1')}"
    return findings("--sandbox", "local", option, model, exit_code=exit_code)


def test_a_cluster_needs_its_provider_and_a_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere/config")
    checks = findings("--sandbox", "k8s", exit_code=1)
    assert checks["cluster"]["status"] == "failure"
    assert checks["cluster"]["remedy"]
    assert checks["session"]["message"] == "needs cluster"
