"""The sandbox that runs the agents' code: a Docker container, or the local machine."""

import hashlib
import subprocess
from pathlib import Path

import yaml
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.shipped import shipped

IMAGE_NAME = "inspect-discoverybench-sandbox"
BUILD_INPUTS = ("Dockerfile", "requirements.txt", "init.py")
"""The files in `sandbox/` that determine the image. `sandbox/.dockerignore` excludes all others from the build."""

LOOKUP_TIMEOUT = 10
"""Seconds."""


def sandbox_spec(provider: str, build: bool = False) -> SandboxEnvironmentSpec:
    """Make the sandbox specification of a task.

    Args:
        provider: `docker` or `local`.
        build: Build the Docker image even if it exists. By default it is built only if it is missing.

    Raises:
        InvalidArgument: The provider is not supported, or `build` is set for the local sandbox.
    """
    if provider == "docker":
        return SandboxEnvironmentSpec("docker", _compose(image(), build))
    if provider != "local":
        raise InvalidArgument(
            f"sandbox={provider} is not supported. Possible values: docker, local. "
            "For other providers, use Inspect's option --sandbox PROVIDER:CONFIG."
        )
    if build:
        raise InvalidArgument(f"build=true requires sandbox=docker, got sandbox={provider}.")
    return SandboxEnvironmentSpec("local")


def image() -> str:
    """Name and tag of the image that is built from `sandbox/`."""
    return image_name(shipped("sandbox"))


def image_name(folder: Path) -> str:
    """Name and tag of the image that is built from a folder.

    The tag is a digest of the build inputs, so an outdated image is never used.
    """
    digest = hashlib.sha256()
    for name in BUILD_INPUTS:
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return f"{IMAGE_NAME}:{digest.hexdigest()[:12]}"


def _compose(name: str, build: bool) -> ComposeConfig:
    """Read `compose.yaml` and set the image. The section `build` is kept only if the image must be built.

    With this section, Inspect would build the image at the start of each run. Compose writes the project name into the
    image, and each run is a new project, so each build would leave an untagged image behind.
    """
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    service = compose["services"]["default"]
    service["image"] = name
    if build or not _exists(name):
        # An absolute path, because Inspect resolves relative paths against the current directory.
        service["build"] = {"context": str(shipped("sandbox"))}
    else:
        del service["build"]
        # Do not look for the image in a registry: `x-local` is read by Inspect, `pull_policy` by Compose.
        service |= {"pull_policy": "never", "x-local": True}
    return ComposeConfig.model_validate(compose)


def _exists(name: str) -> bool:
    """Whether Docker has the image. If Docker does not respond, the answer is no, and Inspect reports the problem."""
    try:
        # The command uses the same context as Compose, and the Docker SDK takes long to import.
        lookup = subprocess.run(
            ["docker", "image", "inspect", name], capture_output=True, timeout=LOOKUP_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return lookup.returncode == 0
