"""The Docker sandbox of the tasks: its image is built once, and a run leaves no other image behind."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import get_model
from inspect_ai.solver import SolverSpec
from inspect_ai.util import ComposeBuild, ComposeConfig, ComposeService, SandboxEnvironmentSpec

from inspect_discoverybench import custom, demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.sandbox.shipped_files import shipped
from tests.docker_images import image_ids

EXAMPLE = Path(__file__).parents[2] / "examples/lighthouses"
GOLD = SolverSpec("discoverybench/gold")


def service(spec: SandboxEnvironmentSpec | None) -> ComposeService:
    assert spec
    assert spec.type == "docker"
    assert isinstance(spec.config, ComposeConfig)
    return spec.config.services["default"]


def shell(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]), "utf-8")
    path.chmod(0o755)


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `docker` program that has the image, and a file of the commands it was called with."""
    calls = tmp_path / "calls"
    shell(tmp_path / "docker", f'echo "$@" >> {calls}')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return calls


def test_an_existing_image_is_used_and_a_missing_one_is_built(tmp_path: Path, docker: Path) -> None:
    settings = service(demo(sandbox="docker").sandbox)
    assert docker.read_text("utf-8").split() == ["image", "inspect", image()]
    assert (settings.image, settings.build, settings.pull_policy) == (image(), None, "never")
    # Otherwise Inspect would look for it in a registry.
    assert settings.extensions["x-local"] is True
    shell(tmp_path / "docker", "exit 1")
    settings = service(demo(sandbox="docker").sandbox)
    assert (settings.image, settings.build) == (image(), ComposeBuild(context=str(shipped("sandbox"))))
    assert settings.pull_policy is None
    assert "x-local" not in settings.extensions


def test_another_image_is_never_built(tmp_path: Path, docker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = service(demo(sandbox="docker", image="team/sandbox:1").sandbox)
    assert docker.read_text("utf-8").split() == ["image", "inspect", "team/sandbox:1"]
    assert (settings.image, settings.build, settings.pull_policy) == ("team/sandbox:1", None, "never")
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", "team/sandbox:2")
    assert service(demo(sandbox="docker").sandbox).image == "team/sandbox:2"
    assert service(demo(sandbox="docker", image="team/sandbox:1").sandbox).image == "team/sandbox:1"
    # One that Docker does not have is pulled.
    shell(tmp_path / "docker", "exit 1")
    settings = service(demo(sandbox="docker").sandbox)
    assert (settings.image, settings.build, settings.pull_policy) == ("team/sandbox:2", None, None)
    assert "x-local" not in settings.extensions


def test_arguments_of_the_sandbox_must_fit_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgument, match="image=a:1 requires sandbox=docker or sandbox=k8s, got sandbox=local"):
        demo(image="a:1")
    with pytest.raises(InvalidArgument, match=r"build=true .* got image=a:1"):
        demo(sandbox="docker", image="a:1", build=True)
    for arguments, line in (
        ({"sandbox": "none"}, "sandbox=none is not supported"),
        ({"sandbox": "k8s", "build": True}, r"build=true requires sandbox=docker .*, got sandbox=k8s"),
    ):
        with pytest.raises(InvalidArgument, match=line):
            demo(**arguments)
    settings = service(demo(sandbox="docker", build=True).sandbox)
    assert settings.build == ComposeBuild(context=str(shipped("sandbox")))
    # The variable is for all runs, so it does not apply to the local sandbox.
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", "a:1")
    sandbox = demo().sandbox
    assert sandbox
    assert sandbox.type == "local"


@pytest.mark.usefixtures("docker")
def test_other_settings_come_from_the_compose_file() -> None:
    file = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))["services"]["default"]
    settings = service(demo(sandbox="docker").sandbox).model_dump(exclude_none=True)
    ours = ("image", "build", "pull_policy", "x-local")
    assert {key: settings[key] for key in settings if key not in ours} == {
        key: file[key] for key in file if key not in ours
    }
    assert (file["network_mode"], file["cap_drop"]) == ("none", ["ALL"])


def test_the_tag_changes_with_the_files_of_the_image(tmp_path: Path) -> None:
    shutil.copytree(shipped("sandbox"), tmp_path / "sandbox")
    assert image(tmp_path / "sandbox") == image()
    seen = {image()}
    for name in ("Dockerfile", "requirements.txt", "init.py"):
        with (tmp_path / "sandbox" / name).open("a", encoding="utf-8") as file:
            file.write("# changed\n")
        seen.add(image(tmp_path / "sandbox"))
        # As a checkout on Windows has it.
        content = (tmp_path / "sandbox" / name).read_bytes()
        (tmp_path / "sandbox" / name).write_bytes(content.replace(b"\n", b"\r\n"))
    assert len(seen) == 4
    last = image(tmp_path / "sandbox")
    assert last in seen
    (tmp_path / "sandbox" / ".DS_Store").write_bytes(b"\0")
    assert image(tmp_path / "sandbox") == last


PUSH = Path(__file__).parents[2] / ".ci" / "image-push"
NAME = "registry.example.org/team/sandbox:1"


def push() -> subprocess.CompletedProcess[str]:
    return subprocess.run([PUSH, "registry.example.org/team", "sandbox:1"], capture_output=True, text=True, check=False)


def test_the_image_is_pushed_for_both_platforms_from_a_digest_of_its_base(tmp_path: Path, docker: Path) -> None:
    # The registry has the base, and the image when it has been built.
    lookup = f'case "$*" in *imagetools*{NAME}) grep -q " build " {docker} || exit 1;; esac'
    shell(tmp_path / "docker", f'echo "$@" >> {docker}', lookup, "echo sha256:abc")
    result = push()
    assert (result.returncode, result.stdout) == (0, f"{NAME}@sha256:abc\n")
    [build] = [line for line in docker.read_text("utf-8").splitlines() if " build " in line]
    assert build == (
        "buildx build --platform linux/amd64,linux/arm64 --build-arg BASE=python:3.13-slim-trixie@sha256:abc "
        f"--tag {NAME} --push sandbox"
    )


def run(*tasks: Task) -> EvalLog:
    logs = inspect_eval(list(tasks), model="none", solver=GOLD, limit=1, max_tasks=2)
    assert [(log.status, log.error) for log in logs] == [("success", None)] * len(tasks)
    return read_eval_log(logs[0].location)


@pytest.mark.usefixtures("engine")
@pytest.mark.timeout(900)
def test_a_run_leaves_no_image_behind() -> None:
    """Compose puts the name of its project into an image, so every build makes another; the last one has the tag."""
    run(demo(sandbox="docker"))
    before = image_ids(image())
    assert len(before) == 1
    own = custom(path=str(EXAMPLE), sandbox="docker")
    log = run(demo(sandbox="docker"), task_with(own, model_roles={"grader": get_model("discoverybench/lexical")}))
    assert image_ids(image()) == before
    assert service(log.eval.sandbox).build is None
    [again] = eval_retry(log)
    assert (again.status, again.eval.task_id) == ("success", log.eval.task_id)
    assert image_ids(image()) == before
