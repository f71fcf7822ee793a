"""The sandbox that runs the agents' code: a Docker container, a pod in a Kubernetes cluster, or the local machine."""

import os
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


def sandbox_spec(provider: str, build: bool = False, custom_image: str | None = None) -> SandboxEnvironmentSpec:
    """Make the sandbox specification of a task.

    A custom image is never built. By default the image is `DISCOVERYBENCH_IMAGE`; if that is not set, it is built from
    `sandbox/` if it is missing or `build` is true, and for `k8s` it is the published one.

    Raises:
        InvalidArgument: The provider is not supported, or an argument does not apply to it.
    """
    require_boolean("build", build)
    chosen = custom_image or os.environ.get(IMAGE_VARIABLE)
    if build and (provider != "docker" or chosen):
        got = f"image={chosen}" if provider == "docker" else f"sandbox={provider}"
        raise InvalidArgument(
            f"build=true requires sandbox=docker and the package's own image, got {got}. Omit one of them."
        )
    match provider:
        case "docker":
            return SandboxEnvironmentSpec("docker", _compose(chosen, build))
        case "k8s":
            return SandboxEnvironmentSpec("k8s", str(_helm_values(chosen)))
        case "local" if custom_image:
            raise InvalidArgument(f"image={custom_image} requires sandbox=docker or sandbox=k8s, got sandbox=local.")
        case "local":
            return SandboxEnvironmentSpec("local")
    raise InvalidArgument(
        f"sandbox={provider} is not supported. Possible values: docker, k8s, local. "
        "For other providers, use Inspect's option --sandbox PROVIDER:CONFIG."
    )


def _compose(chosen: str | None, build: bool) -> ComposeConfig:
    """Read `compose.yaml` and set the image. The section `build` is kept only if the image must be built.

    With this section, Inspect would build the image at the start of each run. Compose writes the project name into the
    image, and each run is a new project, so each build would leave an untagged image behind.
    """
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    service = compose["services"]["default"]
    service["image"] = chosen or image()
    is_built = not build and image_exists(service["image"])
    if is_built:
        # Do not look for the image in a registry: `x-local` is read by Inspect, `pull_policy` by Compose.
        service |= {"pull_policy": "never", "x-local": True}
    if is_built or chosen:
        del service["build"]
    else:
        # An absolute path, because Inspect resolves relative paths against the current directory.
        service["build"] = {"context": str(shipped("sandbox"))}
    return ComposeConfig.model_validate(compose)


def _helm_values(chosen: str | None) -> Path:
    """The values for the chart of inspect-k8s-sandbox: the shipped file, or a copy with another image.

    The provider reads values only from a file. `eval-retry` takes its path from the log, so the copy is in the cache
    folder.
    """
    if find_spec("k8s_sandbox") is None:
        raise InvalidArgument(
            "sandbox=k8s requires inspect-k8s-sandbox. To install it, run: pip install 'inspect-discoverybench[k8s]'"
        )
    shipped_values = shipped(VALUES)
    values = yaml.safe_load(shipped_values.read_text("utf-8"))
    service = values["services"]["default"]
    if chosen is None:
        if "@sha256:" in service["image"]:
            return shipped_values
        raise InvalidArgument(
            "sandbox=k8s requires an image that the cluster can pull, but this version has no published image. "
            f"Push it with `make image-push REGISTRY=…`, and pass -T image=NAME or set {IMAGE_VARIABLE}."
        )
    service["image"] = chosen
    text = yaml.safe_dump(values, sort_keys=False)
    return cached_file("helm-values.yaml", text.encode())
