"""`discoverybench doctor` on a working installation and on broken ones."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from inspect_discoverybench.sandbox import image, shipped
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
    document = json.loads(doctor(*arguments, "--json", exit_code=exit_code).stdout)
    assert document["ok"] is (exit_code == 0)
    return {check["name"]: check for check in document["checks"]}


def statuses(checks: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: check["status"] for name, check in checks.items()}


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
    assert statuses(checks) | {"compose": "either"} == {
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
    assert checks["session"]["message"].startswith("needs engine")
    assert "OPENAI_API_KEY" in checks["model key"]["message"]
    assert "--model-role grader=" in checks["judge key"]["remedy"]


def test_an_old_engine_old_packages_and_a_missing_image(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "/nowhere/data")
    installed(tmp_path, "pooch", "0.1.0")
    monkeypatch.syspath_prepend(tmp_path)
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    versions = 'case "$1" in version) echo {engine};; compose) echo v2.30.1;; *) exit 1;; esac'
    program.write_text("#!/bin/sh\n" + versions.format(engine="20.10.1"), "utf-8")
    program.chmod(0o755)
    checks = findings(exit_code=1)
    assert checks["engine"]["message"] == "Docker Engine 20.10.1 is older than 24.0.6"
    assert checks["compose"]["message"] == "Compose v2.30.1"
    assert "pooch 0.1.0 is installed, but >=1.8.2 is required" in checks["packages"]["message"]
    assert checks["packages"]["remedy"] == "Run: pip install --upgrade inspect-discoverybench"
    assert checks["data"]["message"].startswith("DISCOVERYBENCH_DATA_DIR=/nowhere/data is not a folder")
    assert checks["data"]["remedy"].startswith("Use a clone of ")
    program.write_text("#!/bin/sh\n" + versions.format(engine="26.1.5+dfsg1"), "utf-8")
    checks = findings(exit_code=1)
    assert checks["engine"]["status"] == "ok"
    assert checks["image"]["status"] == "warning"
    assert checks["image"]["message"] == f"{image()} is not built; the first run builds it"
    assert checks["image"]["remedy"] == f"Run: docker build --tag {image()} {shipped('sandbox')}"
    assert checks["session"]["message"] == "needs image"


def test_a_changed_data_file(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "data"
    shutil.copytree(upstream, root, copy_function=os.symlink)
    [metadata] = sorted((root / "discoverybench/real/test").glob("*/metadata_0.json"))[:1]
    metadata.unlink()
    metadata.write_text("{}", "utf-8")
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(root))
    data = findings("--sandbox", "local", exit_code=1)["data"]
    assert data["status"] == "failure"
    assert data["message"].endswith(f"{metadata.relative_to(root)} differs from the released file")
    assert data["remedy"].startswith("Use a clone of ")


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (lambda _: Refused(f"Incorrect API key provided: {SECRET}.", status=401), "failure", "rejects the API key"),
        (lambda _: Refused("The model `ghost` does not exist", status=404), "failure", "does not have this model"),
        (lambda _: Refused(f"Bad header {SECRET}"), "failure", "Bad header [LOCAL_API_KEY]"),
        (lambda _: "  ", "warning", "returned an empty reply"),
        (lambda _: "ready", "ok", "(15 tokens)"),
    ],
    ids=["401", "404", "400", "empty", "ready"],
)
def test_one_real_call(monkeypatch: pytest.MonkeyPatch, answer: Any, status: str, message: str) -> None:
    with serve(answer) as endpoint:
        checks = over_http(monkeypatch, endpoint.url, "--model", exit_code=int(status == "failure"))
    assert checks["session"]["status"] == "ok"
    assert checks["model key"]["status"] == "ok"
    assert checks["model call"]["status"] == status
    assert message in checks["model call"]["message"]


def right(request: Request) -> str:
    """A judge that sees that one hypothesis negates the other."""
    match question(request):
        case "extract":
            context = slots(request)["hypothesis"].partition(",")[0]
            return json.dumps({"hypothesis": [{"text": "t", "context": context, "explanation": "e"}]})
        case "variables":
            return json.dumps({"sizeA": 3, "sizeB": 3, "intersection": 3, "explanation": "e"})
    return truthful(request)


def agreeing(request: Request) -> str:
    """A judge that sees no difference."""
    return right(request).replace('"answer": "C"', '"answer": "A"')


@pytest.mark.parametrize(
    ("answer", "status", "message"),
    [
        (right, "ok", "judged a pair correctly"),
        (agreeing, "warning", "judged a pair incorrectly"),
        (lambda _: "I like it.", "failure", "no valid reply"),
        (lambda _: 401, "failure", "rejects the API key"),
    ],
    ids=["right", "wrong", "invalid", "401"],
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
    result = doctor("--sandbox", "local", "--json", option, model, exit_code=exit_code)
    assert SECRET not in result.output
    return {check["name"]: check for check in json.loads(result.stdout)["checks"]}


def test_a_cluster_needs_its_provider_and_a_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere/config")
    checks = findings("--sandbox", "k8s", exit_code=1)
    assert checks["cluster"]["status"] == "failure"
    assert checks["cluster"]["remedy"]
    assert checks["session"]["message"] == "needs cluster"


def test_an_unknown_option_or_sandbox_is_exit_code_2() -> None:
    assert "'chroot' is not one of 'docker', 'k8s', 'local'" in doctor("--sandbox", "chroot", exit_code=2).stderr
