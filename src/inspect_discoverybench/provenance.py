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
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.prompts import Prompt, prompt_names
from inspect_discoverybench.sandbox import build_digest
from inspect_discoverybench.shipped import shipped

PROVENANCE_KEY = "provenance"
"""Key of the provenance in a task's metadata."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class Data(_Record):
    """The data of a task.

    Attributes:
        commit: Commit of the released data; None for other data.
        checksum: SHA-256 of all goals, gold hypotheses, descriptions and data files, before any filter; None if the
            task has no data.
    """

    commit: str | None
    checksum: str | None


class Image(_Record):
    """The image of the sandbox. The id of the image that a sample used is in the sample's store.

    Attributes:
        reference: Name and tag, or digest.
        build_digest: SHA-256 of the files that this version of the package builds its image from. The tag of this
            image starts with the same digits.
    """

    reference: str
    build_digest: str


class DefaultSolver(_Record):
    """The solver of the task. `--solver` replaces it.

    Attributes:
        name: Its name.
        settings: All its settings.
    """

    name: str
    settings: dict[str, Any]


class Provenance(_Record):
    """What the results of a log depend on.

    Attributes:
        package: Version of this package.
        data: The data.
        image: The image of the sandbox `docker` or `k8s`; None for other sandboxes.
        prompts: Fingerprints by name of the prompts that the task may use.
        default_solver: The solver; None if it has no settings besides the task's arguments.
    """

    package: str
    data: Data
    image: Image | None
    prompts: dict[str, str]
    default_solver: DefaultSolver | None

    @classmethod
    def of(
        cls,
        data: Data,
        sandbox: SandboxEnvironmentSpec | None,
        prompt_folders: Iterable[str],
        solver: Callable[..., Solver] | None = None,
    ) -> "Provenance":
        """Collect the provenance of a task.

        Args:
            data: The data.
            sandbox: The sandbox; None if the task has none.
            prompt_folders: Folders of the prompts that the task may use, such as `judge`.
            solver: The task's solver, used with its default settings.
        """
        names = [name for folder in prompt_folders for name in prompt_names(folder)]
        return cls(
            package=version("inspect-discoverybench"),
            data=data,
            image=_image(sandbox),
            prompts={name: Prompt.load(name).fingerprint for name in names},
            default_solver=_default_solver(solver) if solver else None,
        )

    def as_metadata(self) -> dict[str, Any]:
        """The entry of a task's metadata."""
        return {PROVENANCE_KEY: self.model_dump(mode="json")}


def _image(sandbox: SandboxEnvironmentSpec | None) -> Image | None:
    match sandbox:
        case SandboxEnvironmentSpec(config=ComposeConfig(services={"default": service})) if service.image:
            reference = service.image
        case SandboxEnvironmentSpec(type="k8s", config=str(values)):
            reference = yaml.safe_load(Path(values).read_text("utf-8"))["services"]["default"]["image"]
        case _:
            return None
    return Image(reference=reference, build_digest=build_digest(shipped("sandbox")))


def _default_solver(solver: Callable[..., Solver]) -> DefaultSolver:
    defaults = {name: parameter.default for name, parameter in inspect.signature(solver).parameters.items()}
    return DefaultSolver(name=f"discoverybench/{solver.__name__}", settings=defaults)
