"""Provenance: what the results of a log depend on, recorded in the task's metadata when the task is built.

The task's version covers all of it (docs/versions.md). The record shows whether two logs of the same version also agree
in detail. Inspect records the rest: task arguments, model settings, and the settings of every solver
(`log.plan`).
"""

import inspect
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.solver import Solver
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.prompts import Prompt, prompt_names
from inspect_discoverybench.sandbox import build_digest, shipped


def provenance(
    *,
    checksum: str | None,
    prompt_folders: Iterable[str],
    commit: str | None = None,
    sandbox: SandboxEnvironmentSpec | None = None,
    solver: Callable[..., Solver] | None = None,
) -> dict[str, Any]:
    """The entry of a task's metadata. JSON.

    Args:
        checksum: SHA-256 of all goals, gold hypotheses, descriptions and data files, before any filter; None if the
            task has no data.
        prompt_folders: Folders of the prompts that the task may use, such as `judge`.
        commit: Commit of the released data; None for other data.
        sandbox: The sandbox. The id of the image that a sample used is in the sample's store.
        solver: The task's solver, which `--solver` replaces. All its default settings are recorded.
    """
    names = [name for folder in prompt_folders for name in prompt_names(folder)]
    image = _image(sandbox)
    parameters = inspect.signature(solver).parameters if solver else {}
    settings = {name: parameter.default for name, parameter in parameters.items()}
    record = {
        "package": version("inspect-discoverybench"),
        "data": {"commit": commit, "checksum": checksum},
        "image": image and {"reference": image, "build_digest": build_digest(shipped("sandbox"))},
        "prompts": {name: Prompt.load(name).fingerprint for name in names},
        "default_solver": solver and {"name": f"discoverybench/{solver.__name__}", "settings": settings},
    }
    return {"provenance": record}


def _image(sandbox: SandboxEnvironmentSpec | None) -> str | None:
    match sandbox:
        case SandboxEnvironmentSpec(config=ComposeConfig(services={"default": service})):
            return service.image
        case SandboxEnvironmentSpec(type="k8s", config=str(values)):
            return str(yaml.safe_load(Path(values).read_text("utf-8"))["services"]["default"]["image"])
    return None
