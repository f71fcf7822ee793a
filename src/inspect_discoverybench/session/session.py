"""The host side of the Python session: one per sample, in the sample's sandbox."""

import json
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Annotated, Literal

from inspect_ai.util import ExecResult, SandboxEnvironment, StoreModel, registry_info, sandbox, store_as
from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass as validated

from inspect_discoverybench.errors import SessionFailed

DEFAULT_CELL_SECONDS = 300
"""Default time limit of one cell in seconds."""

DEFAULT_OUTPUT_BYTES = 10_000
"""Default maximum output of one cell in bytes."""

# Time on top of the cell's limit in which the client starts a kernel or kills one that ignores its interrupt.
CLIENT_SECONDS = 90
CANNOT_OPEN = 2  # Python's exit code if the script does not exist


class SessionState(StoreModel):
    """The state of a sample's session, kept in the log."""

    folder: str | None = None
    """Folder of the session in the sandbox; None until the first cell."""

    installations: int = 0
    """Number of times the kernel file was written. The agent's code can delete or change it."""

    cells: int = 0
    """Number of cells run."""

    restarts: int = 0
    """Number of times the kernel and all variables were lost."""


@validated(frozen=True)
class CellResult:
    """The result of one cell.

    Attributes:
        status: `ok`; `error` (an exception, with the traceback in the output); `interrupted` (time limit, variables
            kept); `killed` (time limit, interrupt ignored, variables lost); `died` (the process ended, variables
            lost).
        output: Everything the cell printed, and the repr of its last expression.
        restarted: Whether an earlier kernel was lost, so that this cell ran in a new one.
        figures: Open matplotlib figures as base64-encoded PNG; empty unless requested.
    """

    status: Literal["ok", "error", "interrupted", "killed", "died"]
    output: str
    restarted: bool
    figures: tuple[Annotated[str, Field(pattern="^[A-Za-z0-9+/]+=*$")], ...] = ()


@dataclass(frozen=True)
class PythonSession:
    """A Python session that keeps variables between cells.

    It uses only the sandbox's `exec` and `write_file`, so it works with every Inspect sandbox provider.

    Attributes:
        cell_seconds: Time limit of one cell in seconds.
        output_bytes: Maximum output of one cell in bytes. Longer output is truncated in the middle, with a notice.
        figures: Whether each cell returns its open matplotlib figures, and closes them.
    """

    cell_seconds: int = DEFAULT_CELL_SECONDS
    output_bytes: int = DEFAULT_OUTPUT_BYTES
    figures: bool = False

    async def run(self, code: str) -> CellResult:
        """Run one cell. A cell is never run twice.

        Raises:
            SessionFailed: The sandbox has no Python or cannot start the kernel.
            ProcessLookupError: The sample has no sandbox.
        """
        state = store_as(SessionState)
        if state.folder is None:
            await self._install(state)
        cell = await self._run(state, code)
        state.cells += 1
        state.restarts += cell.restarted
        return cell

    async def stop(self) -> None:
        """End the kernel, if any. The next cell starts a new session."""
        state = store_as(SessionState)
        if state.folder is not None:
            # The agent's code may have removed the folder or its permissions.
            with suppress(OSError, RuntimeError):
                await self._kernel(state, "stop")
            state.folder = None

    async def _run(self, state: SessionState, code: str) -> CellResult:
        """Run one cell. Damage that the agent's code does to its session costs the session, never the eval."""
        reinstalled = False
        try:
            result = await self._call(state, code)
            if result.returncode == CANNOT_OPEN:
                # The client's file is gone, so the cell has not run.
                await self._install(state)
                reinstalled = True
                result = await self._call(state, code)
            cell = _parse(result)
            if cell is None:
                # The cell may have run, so it is not run again.
                await self._install(state)
                await self._require_working_session(state, result)
                return CellResult("died", "", restarted=False)
        except TimeoutError:
            await self.stop()
            return CellResult("killed", "", restarted=False)
        except (OSError, RuntimeError):
            # The first installation worked, so the agent's code has made its folder unusable, unless the sandbox
            # no longer runs anything.
            if not (await sandbox().exec(["true"], cwd="/")).success:
                raise
            return CellResult("died", "", restarted=False)
        return replace(cell, restarted=state.cells > 0) if reinstalled else cell

    async def _require_working_session(self, state: SessionState, failed: ExecResult[str]) -> None:
        if _parse(await self._call(state, "")) is None:
            reason = failed.stderr.strip()[-500:] or failed.stdout.strip()[-500:]
            raise SessionFailed(f"The sandbox cannot run a Python session (exit code {failed.returncode}): {reason}")

    async def _install(self, state: SessionState) -> None:
        """Write the kernel into a new folder; the agent's code may have made the old one unusable."""
        if state.folder is not None:
            await self._kernel(state, "stop")
        state.installations += 1
        state.folder = ".session" if state.installations == 1 else f".session-{state.installations}"
        source = files(__package__).joinpath("kernel.py").read_text("utf-8")
        await sandbox().write_file(f"{state.folder}/kernel.py", source)

    async def _call(self, state: SessionState, code: str) -> ExecResult[str]:
        request = {
            "code": code,
            "timeout": self.cell_seconds,
            "max_output": self.output_bytes,
            "figures": self.figures,
        }
        return await self._kernel(state, "run", json.dumps(request))

    async def _kernel(self, state: SessionState, command: str, request: str | None = None) -> ExecResult[str]:
        # Isolated mode without site-packages starts in milliseconds.
        return await sandbox().exec(
            [interpreter(), "-I", "-S", f"{state.folder}/kernel.py", command, str(state.folder)],
            input=request,
            timeout=self.cell_seconds + CLIENT_SECONDS,
            timeout_retry=False,
        )


def interpreter() -> str:
    """The interpreter with the data analysis packages; in a local sandbox the one that runs Inspect."""
    # `sandbox()` returns a proxy that records events. Unwrap it with the base class, as the provider can be any.
    provider = registry_info(type(sandbox().as_type(SandboxEnvironment))).name  # type: ignore[type-abstract]
    return sys.executable if provider.endswith("/local") else "python3"


def _parse(result: ExecResult[str]) -> CellResult | None:
    try:
        return CellResult(**json.loads(result.stdout)) if result.success else None
    except (ValueError, TypeError, ValidationError):
        return None
