"""What the results of a task depend on, recorded in its log."""

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.sandbox.image import build_digest
from inspect_discoverybench.sandbox.shipped_files import shipped


def provenance(
    *,
    checksum: str | None,
    prompt_folders: Iterable[str],
    commit: str | None = None,
    sandbox: SandboxEnvironmentSpec | None = None,
) -> dict[str, Any]:
    """What the results of a task depend on, as JSON values for the metadata in its log (docs/versions.md).

    Inspect records the rest: task arguments, model settings, and the settings of every solver (`log.plan`).

    Args:
        checksum: SHA-256 of all goals, gold hypotheses, descriptions and data files, before any filter; None if the
            task has no data.
        prompt_folders: Folders of the prompts that the task may use, such as `judge`.
        commit: Commit of the released data; None for other data.
        sandbox: The sandbox. The id of the image that a sample used is in the sample's store.
    """
    prompts: dict[str, str] = {}
    for folder in prompt_folders:
        for name in prompt_names(folder):
            prompts[name] = Prompt.load(name).fingerprint

    image = None
    reference = _image_reference(sandbox)
    if reference is not None:
        image = {"reference": reference, "build_digest": build_digest(shipped("sandbox"))}

    return {
        "provenance": {
            "package": version("inspect-discoverybench"),
            "data": {"commit": commit, "checksum": checksum},
            "image": image,
            "prompts": prompts,
        }
    }


def _image_reference(sandbox: SandboxEnvironmentSpec | None) -> str | None:
    """The image of the agents' container, in Docker or Kubernetes. A local sandbox has none."""
    match sandbox:
        case SandboxEnvironmentSpec(config=ComposeConfig(services={"default": service})):
            return service.image
        case SandboxEnvironmentSpec(type="k8s", config=str(values_path)):
            values = yaml.safe_load(Path(values_path).read_text("utf-8"))
            return str(values["services"]["default"]["image"])
    return None
