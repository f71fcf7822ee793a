"""The state of a sample's session, and whether its sandbox is this machine."""

from inspect_ai.util import SandboxEnvironment, StoreModel, registry_info, sandbox
from pydantic import Field


class SessionState(StoreModel):
    """The state of a sample's session, kept in the log."""

    working_folder: str | None = None
    """Folder in which cells run; None for the sandbox's own working folder."""

    folder: str | None = None
    """Folder with the client, the kernel and its socket; None while there is no session."""

    temporary_folders: list[str] = Field(default_factory=list)
    """All folders that were created in the sandbox's temporary directory."""

    host: str | None = None
    """Host name of the sandbox, in Docker the id of the container; None until a kernel has started. From then on,
    failures of the session count as caused by the agent's code."""

    installations: int = 0
    """Number of times the client and the kernel were written. The agent's code can delete or change these files."""

    cells: int = 0
    """Number of cells run."""

    restarts: int = 0
    """Number of cells that ran in a new kernel because the kernel before it was lost, with all variables. A new session
    after an unusable result is not counted."""

    def add_temporary_folder(self, folder: str) -> None:
        """Record a folder in the temporary directory. In a local sandbox, the end of the session removes it."""
        self.temporary_folders = [*self.temporary_folders, folder]


def is_local() -> bool:
    """Whether the sandbox is this machine."""
    # `sandbox()` returns a proxy that records events. `as_type` unwraps it, and the base class fits every provider:
    # https://github.com/UKGovernmentBEIS/inspect_ai/blob/main/src/inspect_ai/util/_sandbox/events.py
    provider = registry_info(type(sandbox().as_type(SandboxEnvironment))).name  # type: ignore[type-abstract]
    return provider.endswith("/local")
