"""The sandbox that runs the agents' code: a Docker container, a pod in a Kubernetes cluster, or the local machine."""

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import yaml
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.dataset.cached_file import cached_file
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import require_boolean
from inspect_discoverybench.sandbox.engine import image_exists
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.sandbox.shipped_files import shipped

IMAGE_VARIABLE = "DISCOVERYBENCH_IMAGE"
"""Environment variable: the image of tasks without the argument `image`."""

VALUES = "sandbox/helm-values.yaml"
"""The values for the chart of inspect-k8s-sandbox."""


@dataclass(frozen=True)
class SandboxOptions:
    """What a user says about the sandbox of a task.

    Attributes:
        provider: `docker`, `k8s` or `local`.
        build: Whether to build the package's Docker image even if it exists.
        image: Run this image instead of the package's.
    """

    provider: str
    build: bool = False
    image: str | None = None

    @property
    def other_image(self) -> str | None:
        """The image to run instead of the package's: the option, else `DISCOVERYBENCH_IMAGE`, else None."""
        return self.image or os.environ.get(IMAGE_VARIABLE)

    @property
    def runs_package_image(self) -> bool:
        """Whether code runs in the package's image. It is not known which data files other images can read."""
        return self.provider in ("docker", "k8s") and not self.other_image

    def specification(self) -> SandboxEnvironmentSpec:
        """Make Inspect's specification of the sandbox.

        Another image is never built. The package's image is built from `sandbox/` if it is missing or `build` is true;
        for `k8s` it is the published one.

        Raises:
            InvalidArgument: The provider is not supported, or an option does not apply to it.
        """
        require_boolean("build", self.build)
        if self.build:
            self._require_buildable()
        match self.provider:
            case "docker":
                return SandboxEnvironmentSpec("docker", _compose(self.other_image, self.build))
            case "k8s":
                return SandboxEnvironmentSpec("k8s", str(_helm_values(self.other_image)))
            # Only the option is refused. `DISCOVERYBENCH_IMAGE` is set for all runs, and does not apply here.
            case "local" if self.image:
                raise InvalidArgument(f"image={self.image} requires sandbox=docker or sandbox=k8s, got sandbox=local.")
            case "local":
                return SandboxEnvironmentSpec("local")
        raise InvalidArgument(
            f"sandbox={self.provider} is not supported. Possible values: docker, k8s, local. "
            "For other providers, use Inspect's option --sandbox PROVIDER:CONFIG."
        )

    def _require_buildable(self) -> None:
        conflict = None
        if self.provider != "docker":
            conflict = f"sandbox={self.provider}"
        elif self.image:
            conflict = f"image={self.image}"
        elif self.other_image:
            conflict = f"{IMAGE_VARIABLE}={self.other_image}"
        if conflict:
            raise InvalidArgument(
                f"build=true requires sandbox=docker and the package's own image, got {conflict}. Omit one of them."
            )


def _compose(other_image: str | None, build: bool) -> ComposeConfig:
    """Read `compose.yaml`, set the image, and remove the section `build` unless the image must be built.

    With this section, Inspect builds the image at the start of every run. Every run is a new Compose project, and
    Compose writes the name of the project into the image. So every run would make a new image with the same tag, and
    leave the previous one without a tag.

    Args:
        other_image: The image to run instead of the package's. It is never built.
        build: Whether to build the package's image even if it exists.
    """
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    service = compose["services"]["default"]
    service["image"] = other_image or image()
    uses_existing = not build and image_exists(service["image"])
    if uses_existing:
        # Do not look for the image in a registry: `x-local` is read by Inspect, `pull_policy` by Compose.
        service |= {"pull_policy": "never", "x-local": True}

    must_build = not other_image and not uses_existing
    if must_build:
        # An absolute path, because Inspect resolves relative paths against the current directory.
        service["build"] = {"context": str(shipped("sandbox"))}
    else:
        del service["build"]
    return ComposeConfig.model_validate(compose)


def _helm_values(other_image: str | None) -> Path:
    """The values for the chart of inspect-k8s-sandbox: the shipped file, or a copy with another image.

    The provider reads values only from a file. `eval-retry` takes the path of this file from the log, so a copy is kept
    in the cache folder.
    """
    if find_spec("k8s_sandbox") is None:
        raise InvalidArgument(
            "sandbox=k8s requires inspect-k8s-sandbox. To install it, run: pip install 'inspect-discoverybench[k8s]'"
        )
    shipped_values = shipped(VALUES)
    values = yaml.safe_load(shipped_values.read_text("utf-8"))
    service = values["services"]["default"]
    if other_image is None:
        # Once an image is published, the shipped values name it by its digest.
        if "@sha256:" in service["image"]:
            return shipped_values
        raise InvalidArgument(
            "sandbox=k8s requires an image that the cluster can pull, but this version has no published image. "
            f"Push it with `make image-push REGISTRY=…`, and pass -T image=NAME or set {IMAGE_VARIABLE}."
        )
    service["image"] = other_image
    text = yaml.safe_dump(values, sort_keys=False)
    return cached_file("helm-values.yaml", text.encode())
