"""Which Docker engine is asked, and what happens if it cannot be."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import anyio
import pytest

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import EngineFailed
from inspect_discoverybench.sandbox.engine import inspect_container
from tests.command_line import discoverybench
from tests.docker_engine import DockerEngine, docker_engine

pytestmark = pytest.mark.usefixtures("docker_command")

REAL_ENGINE = "unix:///var/run/docker.sock"
NOWHERE = "unix:///nowhere/docker.sock"


@pytest.fixture
def engine_on_loopback() -> Iterator[DockerEngine]:
    with docker_engine() as engine:
        yield engine


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Docker's settings, without any, as the command `docker` has it after its first use."""
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    (tmp_path / "config.json").write_text("{}", "utf-8")
    return tmp_path


def create_context(settings: Path, name: str, address: str) -> Path:
    """Create a context as `docker context create` does; the file that describes it."""
    endpoint = {"Host": address, "SkipTLSVerify": False}
    description = {"Name": name, "Metadata": {}, "Endpoints": {"docker": endpoint}}
    file = settings / "contexts" / "meta" / sha256(name.encode()).hexdigest() / "meta.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(description), "utf-8")
    return file


def use_context(settings: Path, name: str, address: str) -> Path:
    """Create a context and make it the current one."""
    (settings / "config.json").write_text(json.dumps({"currentContext": name}), "utf-8")
    return create_context(settings, name, address)


def docker_check() -> str:
    """The line of `discoverybench doctor` on Docker."""
    lines = discoverybench("doctor").stdout.splitlines()
    # The status of a check is in the first seven columns.
    [line] = [line for line in lines if line[7:].startswith("docker: ")]
    return line


def is_found() -> bool:
    """Whether a task finds the image of its sandbox, so that it is not built."""
    sandbox = demo(sandbox="docker").sandbox
    assert sandbox
    return sandbox.config.services["default"].build is None


def test_the_current_context_is_asked(settings: Path, engine_on_loopback: DockerEngine) -> None:
    use_context(settings, "lab", engine_on_loopback.address)
    assert docker_check().startswith("ok     docker: Docker 26.1.5 has the image ")
    assert is_found()


def test_a_context_of_the_environment_takes_precedence(
    settings: Path, engine_on_loopback: DockerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_context(settings, "lab", engine_on_loopback.address)
    use_context(settings, "broken", NOWHERE)
    assert not is_found()
    monkeypatch.setenv("DOCKER_CONTEXT", "lab")
    assert is_found()


def test_a_host_of_the_environment_takes_precedence_over_contexts(
    settings: Path, engine_on_loopback: DockerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_context(settings, "broken", NOWHERE)
    monkeypatch.setenv("DOCKER_CONTEXT", "broken")
    monkeypatch.setenv("DOCKER_HOST", engine_on_loopback.address)
    assert is_found()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DOCKER_HOST", "ssh://me@far.example"),
        ("DOCKER_CONTEXT", "far"),
    ],
)
def test_an_engine_over_ssh_is_not_asked(
    settings: Path, variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_context(settings, "far", "ssh://me@far.example")
    monkeypatch.setenv(variable, value)
    check = docker_check()
    assert check.startswith("ok     docker: Docker's engine is reached over SSH (ssh://far.example")
    assert check.endswith("To check it, run: docker version")
    assert not is_found()


UNUSABLE = {
    NOWHERE: "Docker does not respond at unix:///nowhere/docker.sock: ",
    "tcp://127.0.0.1:1": "Docker does not respond at tcp://127.0.0.1:1: ",
    "tcp://127.0.0.1:port": "Docker does not respond at tcp://127.0.0.1:port: ",
    "carrier://pigeon": "Docker does not respond at carrier://pigeon: Invalid bind address protocol",
}


@pytest.mark.parametrize("address", UNUSABLE)
def test_an_engine_that_does_not_respond_fails_the_check_and_has_no_image(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    check = docker_check()
    assert check.startswith(f"failed docker: {UNUSABLE[address]}")
    assert check.endswith("`discoverybench/demo` does not need it.")
    assert not is_found()


def test_a_password_in_the_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "https://me:open-sesame@127.0.0.1:1")
    check = docker_check()
    assert check.startswith("failed docker: Docker does not respond at https://127.0.0.1:1 (sha256:")
    assert "sesame" not in check


@pytest.mark.usefixtures("slow")
def test_an_engine_that_accepts_connections_and_says_nothing_does_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        check = docker_check()
    assert "Docker does not respond at tcp://127.0.0.1:" in check
    assert "timed out" in check


@pytest.mark.usefixtures("settings")
def test_a_context_that_is_not_found_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "absent")
    assert docker_check().startswith("ok     docker: The client library does not find Docker's context,")
    assert not is_found()


@pytest.mark.usefixtures("engine", "settings")
def test_the_contexts_that_the_docker_command_makes_lead_to_the_real_engine() -> None:
    """The other tests write the files of contexts themselves."""
    subprocess.run(["docker", "context", "create", "here", "--docker", f"host={REAL_ENGINE}"], check=True)
    subprocess.run(["docker", "context", "use", "here"], check=True)
    assert docker_check().startswith("ok     docker: Docker ")
    assert is_found()
    subprocess.run(["docker", "context", "use", "default"], check=True)
    assert is_found()


@pytest.mark.parametrize("contents", ["{", "[]", '{"Name": "lab"}'])
def test_a_damaged_context_fails_the_check(settings: Path, contents: str) -> None:
    file = use_context(settings, "lab", NOWHERE)
    file.write_text(contents, "utf-8")
    assert docker_check().startswith("failed docker: Docker's settings cannot be read: ")


async def test_other_samples_go_on_while_an_engine_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.getsockname()[1]}")
        with anyio.move_on_after(0.1) as other_samples:
            await inspect_container("any", seconds=3)
    assert other_samples.cancelled_caught


@pytest.mark.usefixtures("slow")
def test_the_library_is_not_imported_for_a_task_without_a_container() -> None:
    program = (
        "import sys; from inspect_discoverybench import demo; "
        "assert demo().sandbox.type == 'local'; assert 'docker' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


async def test_a_container_that_does_not_exist_is_named(
    engine_on_loopback: DockerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine_on_loopback.address)
    with pytest.raises(EngineFailed, match="No such object: containers/absent"):
        await inspect_container("absent")


def test_without_the_command_of_docker_the_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert docker_check().startswith("failed docker: The command docker, which starts containers, is not on")
