"""The image of the sandbox: its name, and the record of the one that a sample used."""

import hashlib
from pathlib import Path

import anyio
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, sandbox, store_as

from inspect_discoverybench.errors.exceptions import EngineFailed
from inspect_discoverybench.sandbox.engine import inspect_container
from inspect_discoverybench.sandbox.shipped_files import shipped

BUILD_INPUTS = ("Dockerfile", "requirements.txt", "init.py")
"""The files in `sandbox/` that determine the image. `sandbox/.dockerignore` excludes all others from the build."""


def image() -> str:
    """Name and tag of the image. The tag is a digest of the build inputs, so no outdated image is used."""
    digest = build_digest(shipped("sandbox"))
    return f"inspect-discoverybench-sandbox:{digest[:12]}"


def build_digest(folder: Path) -> str:
    """SHA-256 of the build inputs in a folder, as hexadecimal digits. It does not depend on the line endings."""
    digest = hashlib.sha256()
    for name in BUILD_INPUTS:
        content = (folder / name).read_bytes().replace(b"\r\n", b"\n")
        # All digests have the same length. So a byte that moves from one file to the next changes the result.
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


class SandboxImage(StoreModel):
    """The image of the sample's container, kept in the log."""

    image_id: str | None = None
    """The engine's id of the image, such as `sha256:…`; None if the sandbox is not a Docker container."""


@solver
def record_image() -> Solver:
    """Record the id of the image in the store of each sample.

    The tag of an image can be moved to another image, and a retry may run on another machine. So each sample records
    the id. All containers of a task have the same image, so the id is looked up once.
    """
    lock = anyio.Lock()
    ids: list[str | None] = []

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # The first sample looks up the id, and the others wait for it. From then on, `ids` has one element: the id, or
        # None if it is unknown.
        async with lock:
            if not ids:
                ids.append(await _image_id())
        if ids[0] is not None:
            store_as(SandboxImage).image_id = ids[0]
        return state

    return solve


async def _image_id() -> str | None:
    """The id of the image, or None if it is unknown: the record must not make a sample fail."""
    try:
        connection = await sandbox().connection()
        if connection.type != "docker" or not connection.container:
            return None
        container = await inspect_container(connection.container)
    # Providers without containers raise NotImplementedError. A missing sandbox or program is an OSError. If the command
    # `docker compose ps` fails, Inspect raises RuntimeError.
    except (NotImplementedError, OSError, RuntimeError, EngineFailed):
        return None
    return container.image_id
