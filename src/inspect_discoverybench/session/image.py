"""The image that a sample's container was started from, as the Docker engine reports it."""

from contextlib import suppress

import anyio
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, sandbox, store_as, subprocess


class SandboxImage(StoreModel):
    """The image of the sample's container, kept in the log."""

    image_id: str | None = None
    """The engine's id of the image, such as `sha256:…`; None if the sandbox is not a Docker container."""


@solver
def record_image() -> Solver:
    """Record the id of the image in the store of each sample.

    The tag of an image can be assigned to another one, and a retry may run on another machine, so the id belongs to the
    sample. The containers of a task have the same image, so it is looked up once.
    """
    lock = anyio.Lock()
    ids: list[str | None] = []

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with lock:
            if not ids:
                ids.append(await _image_id())
        if ids[0] is not None:
            store_as(SandboxImage).image_id = ids[0]
        return state

    return solve


async def _image_id() -> str | None:
    """The id of the image, or None if it is unknown: the record must not make a sample fail."""
    # Providers without containers raise NotImplementedError; a missing sandbox, program or response is an OSError.
    with suppress(NotImplementedError, OSError, RuntimeError):
        connection = await sandbox().connection()
        if connection.type == "docker" and connection.container:
            command = ["docker", "container", "inspect", "--format", "{{.Image}}", connection.container]
            result = await subprocess(command, timeout=10)
            return result.stdout.strip() if result.success else None
    return None
