"""The Docker engine: what the package asks of it. Inspect starts and ends the containers by the command `docker`."""

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio.to_thread

from inspect_discoverybench.errors.exceptions import EngineFailed, EngineNotAsked
from inspect_discoverybench.errors.provider_failures import one_sentence
from inspect_discoverybench.errors.redaction import public_url

if TYPE_CHECKING:  # the import takes 0.2 s
    from docker import DockerClient

AnswerT = TypeVar("AnswerT")

LOOKUP_SECONDS = 10
"""Default time limit for the engine's response in seconds."""


@dataclass(frozen=True)
class Container:
    """What the engine knows of a container, also after its end.

    Attributes:
        image_id: The engine's id of its image, `sha256:…`.
        status: Such as `running` or `exited`.
        exit_code: Exit code of process 1; 0 while it runs.
        out_of_memory: Whether the system has ended one of its processes because of the memory limit.
    """

    image_id: str
    status: str
    exit_code: int
    out_of_memory: bool


def engine_version() -> str:
    """Version of the engine.

    Raises:
        EngineFailed: The engine does not respond or cannot be asked.
    """
    return _ask(_version, LOOKUP_SECONDS)


def image_exists(name: str) -> bool:
    """Whether the engine has the image.

    False if the engine does not respond or cannot be asked. Inspect then tries to pull or build the image, which needs
    the engine, and reports the problem.
    """
    try:
        _ask(lambda engine: engine.images.get(name), LOOKUP_SECONDS)
    except EngineFailed:
        return False
    return True


async def inspect_container(name: str, seconds: int = LOOKUP_SECONDS) -> Container:
    """Look up a container by its name or id.

    Args:
        name: Name or id.
        seconds: Time limit for the engine's response.

    Raises:
        EngineFailed: There is no such container, or the engine does not respond or cannot be asked.
    """
    # In a thread, because the library blocks.
    look_up = partial(_container, name=name)
    return await anyio.to_thread.run_sync(_ask, look_up, seconds, abandon_on_cancel=True)


def _version(engine: "DockerClient") -> str:
    return str(engine.version()["Version"])


def _container(engine: "DockerClient", name: str) -> Container:
    attributes = engine.containers.get(name).attrs
    state = attributes["State"]
    return Container(attributes["Image"], state["Status"], state["ExitCode"], state["OOMKilled"])


def _ask(question: Callable[["DockerClient"], AnswerT], seconds: int) -> AnswerT:
    import docker
    from docker.errors import DockerException, NotFound

    endpoint = _endpoint()
    address = public_url(endpoint["base_url"])
    if address.startswith("ssh://"):
        raise EngineNotAsked(
            f"Docker's engine is reached over SSH ({address}), so it was not asked. "
            "Only the command docker connects over SSH."
        )

    try:
        with closing(docker.DockerClient(**endpoint, timeout=seconds)) as engine:
            return question(engine)
    except NotFound as error:
        raise EngineFailed(f"Docker at {address}: {one_sentence(str(error.explanation))}") from error
    # The library `requests` raises OSErrors. A port that is no number is a ValueError.
    except (DockerException, OSError, ValueError) as error:
        reason = str(error).replace(endpoint["base_url"], address)
        raise EngineFailed(f"Docker does not respond at {address}: {one_sentence(reason)}") from error


def _endpoint() -> dict[str, Any]:
    """Address and certificates of the engine that the command `docker` uses.

    As for the command, `DOCKER_HOST` takes precedence over `DOCKER_CONTEXT`, and `DOCKER_CONTEXT` over the context in
    Docker's settings: https://docs.docker.com/engine/manage-resources/contexts/. The library's `get_context` does not
    read `DOCKER_CONTEXT`, so the name of the context is passed. Without a name, `get_context` reads the settings.

    Raises:
        EngineNotAsked: The library does not find the context.
        EngineFailed: Docker's settings cannot be read.
    """
    from docker.context import ContextAPI
    from docker.utils import kwargs_from_env

    try:
        if os.environ.get("DOCKER_HOST"):
            return dict(kwargs_from_env())
        context = ContextAPI.get_context(os.environ.get("DOCKER_CONTEXT"))
    except Exception as error:  # the library raises many types, and `Exception` itself for a damaged file of a context
        raise EngineFailed(f"Docker's settings cannot be read: {one_sentence(error)}") from error

    # Without a `config.json` the library finds no context that the command has created:
    # https://github.com/docker/docker-py/blob/main/docker/context/config.py
    if context is None or not context.Host:
        raise EngineNotAsked("The client library does not find Docker's context, so no engine was asked.")
    return {"base_url": context.Host, "tls": context.TLSConfig}
