"""Checks of Docker: the engine, Compose and the image."""

import os
import re
import shlex
import subprocess
from typing import TYPE_CHECKING

from inspect_ai.util import ComposeConfig

from inspect_discoverybench.doctor.check import Finding, Status
from inspect_discoverybench.errors import CheckFailed
from inspect_discoverybench.sandbox import IMAGE_NAME, image, sandbox_spec
from inspect_discoverybench.shipped import shipped

# The Docker SDK is slow to import.
if TYPE_CHECKING:
    from docker import DockerClient

MIN_ENGINE = "24.0.6"
MIN_COMPOSE = "2.21.0"
"""The oldest versions that Inspect supports."""

REQUEST_SECONDS = 10


def check_engine() -> Finding:
    """Whether a Docker engine responds, in a version that Inspect supports."""
    engine = _client().version()
    installed = str(engine["Version"])
    if _numbers(installed) < _numbers(MIN_ENGINE):
        return Finding(
            Status.FAILURE, f"Docker Engine {installed} is older than {MIN_ENGINE}", "Install a newer Docker Engine."
        )
    return Finding(Status.OK, f"Docker Engine {installed} ({engine['Os']}/{engine['Arch']})")


def check_compose() -> Finding:
    """Whether the `docker` program has Compose, in a version that Inspect supports."""
    command = ["docker", "compose", "version", "--short"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=REQUEST_SECONDS, check=False)
    installed = done.stdout.strip()
    if done.returncode or not installed:
        return Finding(
            Status.FAILURE, "the `docker` program has no Compose plugin", "Install the Docker Compose plugin."
        )
    if _numbers(installed) < _numbers(MIN_COMPOSE):
        return Finding(
            Status.FAILURE, f"Compose {installed} is older than {MIN_COMPOSE}", "Install a newer Docker Compose plugin."
        )
    return Finding(Status.OK, f"Compose {installed}")


def check_image() -> Finding:
    """Whether the engine has the image of this version. Its tag is a digest of the files from which it is built."""
    from docker.errors import ImageNotFound

    reference, client = _reference(), _client()
    try:
        sandbox_image = client.images.get(reference)
    except ImageNotFound:
        if reference != image():
            return Finding(Status.WARNING, f"{reference} is not on this machine", f"Run: docker pull {reference}")
        tags = sorted(tag for other in client.images.list(name=IMAGE_NAME) for tag in other.tags)
        old = f" ({', '.join(tags)} was built from different files)" if tags else ""
        return Finding(Status.WARNING, f"{reference} is not built{old}; the first run builds it", build_command())
    size = sandbox_image.attrs["Size"] / 1e6
    matches = ", matches its Dockerfile" if reference == image() else ""
    return Finding(Status.OK, f"{reference}{matches} ({sandbox_image.short_id}, {size:.0f} MB)")


def build_command() -> str:
    """The command that builds the image."""
    return f"Run: docker build --tag {image()} {shlex.quote(str(shipped('sandbox')))}"


def _reference() -> str:
    """The image that tasks use."""
    config = sandbox_spec("docker").config
    if not isinstance(config, ComposeConfig) or config.services["default"].image is None:
        raise CheckFailed("The Docker sandbox has no image.")
    return config.services["default"].image


def _client() -> "DockerClient":
    """A client for the engine that the `docker` program uses: `DOCKER_HOST`, or else its current context."""
    import docker
    from docker.context import ContextAPI

    context = None if os.environ.get("DOCKER_HOST") else ContextAPI.get_current_context()
    if context is None or not context.Host:
        return docker.from_env(timeout=REQUEST_SECONDS)
    return docker.DockerClient(base_url=context.Host, tls=context.TLSConfig, timeout=REQUEST_SECONDS)


def _numbers(text: str) -> tuple[int, ...]:
    """The first three numbers of a version such as `26.1.5+dfsg1`."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])
