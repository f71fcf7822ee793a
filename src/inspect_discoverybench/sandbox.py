"""The sandbox that runs the agents' code: Docker with an image that is built once, or this machine."""

import hashlib
import subprocess
from pathlib import Path

import yaml
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.shipped import shipped

NAME = "inspect-discoverybench-sandbox"
BUILD_INPUTS = ("Dockerfile", "requirements.txt")
"""The files of sandbox/ that determine the image. `sandbox/.dockerignore` keeps all others out of the build."""

LOOKUP_SECONDS = 10


def sandbox_spec(provider: str, build: bool = False) -> SandboxEnvironmentSpec:
    """The sandbox of a task.

    Args:
        provider: `docker` or `local`.
        build: Build the image even if it exists; by default it is built only if it is missing.

    Raises:
        InvalidArgument: `provider` is neither, or there is no image to build.
    """
    if provider == "docker":
        return SandboxEnvironmentSpec("docker", _compose(image(), build))
    if provider != "local":
        raise InvalidArgument(
            f"sandbox={provider} is not a sandbox of this task; possible are: docker, local. "
            "Any other provider goes with Inspect's own option --sandbox PROVIDER:CONFIG."
        )
    if build:
        raise InvalidArgument(f"build=true requires sandbox=docker, got sandbox={provider}.")
    return SandboxEnvironmentSpec("local")


def image() -> str:
    """Name and tag of the image that `sandbox/` builds."""
    return image_of(shipped("sandbox"))


def image_of(folder: Path) -> str:
    """Name and tag of the image that a build folder builds.

    The tag is a digest of the build's inputs, so an image from before a change is never used after it.
    """
    digest = hashlib.sha256()
    for name in BUILD_INPUTS:
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return f"{NAME}:{digest.hexdigest()[:12]}"


def _compose(name: str, build: bool) -> ComposeConfig:
    """The configuration of `compose.yaml` with this image, and with a `build` section only where one is needed.

    Inspect builds whatever has this section at the start of each run. Compose writes the name of its project into the
    image, and each run is another project, so each build would make another image and leave the last one untagged.
    """
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    service = compose["services"]["default"]
    service["image"] = name
    if build or not _exists(name):
        # An absolute path: Inspect resolves it against the user's folder.
        service["build"] = {"context": str(shipped("sandbox"))}
    else:
        del service["build"]
        # The image is in no registry. `x-local` tells Inspect, `pull_policy` tells Compose.
        service |= {"pull_policy": "never", "x-local": True}
    return ComposeConfig.model_validate(compose)


def _exists(name: str) -> bool:
    """Whether the engine that Inspect will use has the image; without an answer, Inspect explains what is wrong."""
    try:
        # The program and not the Docker SDK: it takes the same context as Compose, and the SDK takes longer to import.
        lookup = subprocess.run(
            ["docker", "image", "inspect", name], capture_output=True, timeout=LOOKUP_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return lookup.returncode == 0
