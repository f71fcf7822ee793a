"""The Docker sandbox of the tasks: its image is built once, and a run leaves no other image behind."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai.solver import SolverSpec
from inspect_ai.util import ComposeBuild, ComposeConfig, ComposeService, SandboxEnvironmentSpec

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.image import BUILD_INPUTS, build_digest, image
from inspect_discoverybench.sandbox.shipped_files import shipped
from tests.docker_engine import DockerEngine, docker_engine
from tests.docker_images import sandbox_image_ids

GOLD = SolverSpec("discoverybench/gold")

IMAGE_SETTINGS = ("image", "build", "pull_policy", "x-local")
"""Settings of a service that depend on the image and on whether Docker has it."""


class Source(NamedTuple):
    """Where the image of a service comes from.

    Attributes:
        build: How it is built; None if it is not built.
        pull_policy: `never` tells Compose not to look for it in a registry.
        is_local: `x-local`, which tells Inspect not to look for it in a registry.
    """

    build: ComposeBuild | None = None
    pull_policy: str | None = None
    is_local: bool = False


FROM_REGISTRY = Source()
BUILT = Source(build=ComposeBuild(context=str(shipped("sandbox"))))
PRESENT = Source(pull_policy="never", is_local=True)


def service(**arguments: Any) -> ComposeService:
    """The service of the demo in Docker with these arguments."""
    task = demo(sandbox="docker", **arguments)
    return service_of(task.sandbox)


def service_of(spec: SandboxEnvironmentSpec | None) -> ComposeService:
    assert spec
    assert spec.type == "docker"
    assert isinstance(spec.config, ComposeConfig)
    return spec.config.services["default"]


def source(settings: ComposeService) -> Source:
    assert not isinstance(settings.build, str)
    return Source(settings.build, settings.pull_policy, settings.extensions.get("x-local", False))


@pytest.fixture
def docker(monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerEngine]:
    """An engine that has every image."""
    with docker_engine() as engine:
        monkeypatch.setenv("DOCKER_HOST", engine.address)
        yield engine


@pytest.fixture
def empty_docker(docker: DockerEngine) -> None:
    """An engine that has no image."""
    docker.has_images = False


def test_an_existing_image_is_used(docker: DockerEngine) -> None:
    settings = service()
    assert docker.questions == [f"images/{image()}/json"]
    assert settings.image == image()
    assert source(settings) == PRESENT


@pytest.mark.usefixtures("empty_docker")
def test_a_missing_image_is_built() -> None:
    settings = service()
    assert settings.image == image()
    assert source(settings) == BUILT


@pytest.mark.usefixtures("docker")
def test_an_existing_image_is_built_again_on_request() -> None:
    settings = service(build=True)
    assert source(settings) == BUILT


@pytest.mark.usefixtures("docker")
def test_another_image_is_used_if_docker_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = service(image="team/sandbox:1")
    assert settings.image == "team/sandbox:1"
    assert source(settings) == PRESENT

    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", "team/sandbox:2")
    by_variable = service()
    by_argument = service(image="team/sandbox:1")
    assert by_variable.image == "team/sandbox:2"
    assert by_argument.image == "team/sandbox:1"


@pytest.mark.usefixtures("empty_docker")
def test_another_image_is_pulled_and_never_built() -> None:
    settings = service(image="team/sandbox:1")
    assert settings.image == "team/sandbox:1"
    assert source(settings) == FROM_REGISTRY


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"image": "a:1"}, "image=a:1 requires sandbox=docker or sandbox=k8s, got sandbox=local"),
        ({"sandbox": "docker", "image": "a:1", "build": True}, r"build=true .* got image=a:1"),
        ({"sandbox": "none"}, "sandbox=none is not supported"),
        ({"sandbox": "k8s", "build": True}, r"build=true requires sandbox=docker .*, got sandbox=k8s"),
    ],
)
def test_arguments_of_the_sandbox_must_fit_each_other(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        demo(**arguments)


def test_a_refusal_to_build_names_the_variable_that_chose_another_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", "team/sandbox:2")
    with pytest.raises(InvalidArgument, match=r"got DISCOVERYBENCH_IMAGE=team/sandbox:2\. Omit one of them\."):
        demo(sandbox="docker", build=True)


def test_the_image_for_all_runs_is_ignored_in_the_local_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_IMAGE", "a:1")
    sandbox = demo().sandbox
    assert sandbox
    assert sandbox.type == "local"


@pytest.mark.usefixtures("docker")
def test_all_settings_but_those_of_the_image_come_from_the_compose_file() -> None:
    text = shipped("compose.yaml").read_text("utf-8")
    compose = yaml.safe_load(text)
    services = compose["services"]
    expected = services["default"]
    settings = service().model_dump(exclude_none=True)
    for name in IMAGE_SETTINGS:
        expected.pop(name, None)
        settings.pop(name, None)
    assert settings == expected
    assert expected["network_mode"] == "none"
    assert expected["cap_drop"] == ["ALL"]


@pytest.mark.parametrize("name", BUILD_INPUTS)
def test_the_tag_changes_with_the_files_of_the_image(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "sandbox"
    shutil.copytree(shipped("sandbox"), folder)
    original = build_digest(folder)
    assert image().endswith(original[:12])

    file = folder / name
    content = file.read_bytes() + b"# changed\n"
    file.write_bytes(content)
    changed = build_digest(folder)
    assert changed != original

    # Neither the line breaks of a checkout on Windows nor a file that is no input changes the digest.
    file.write_bytes(content.replace(b"\n", b"\r\n"))
    (folder / ".DS_Store").write_bytes(b"\0")
    assert build_digest(folder) == changed


@pytest.mark.usefixtures("engine")
@pytest.mark.timeout(900)
def test_a_run_leaves_no_image_behind() -> None:
    """Compose writes the name of its project into an image. So each build makes another image, and moves the tag to it.

    Here the image exists, so neither the run nor its retry builds one.
    """
    before = sandbox_image_ids()
    assert len(before) == 1
    task = demo(sandbox="docker")
    [log] = inspect_eval(task, model="none", solver=GOLD, limit=1)
    assert log.status == "success", log.error
    assert service_of(log.eval.sandbox).build is None
    [again] = eval_retry(log)
    assert again.status == "success"
    assert sandbox_image_ids() == before
