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

CELL_SECONDS = 300
"""Default time limit of one cell."""

OUTPUT_BYTES = 10_000
"""Default cap of one cell's output."""

# Starting a kernel and killing one that ignores its interrupt are the client's business; only a client that hangs
# itself gets here.
CLIENT_SECONDS = 90
CANNOT_OPEN = 2  # Python's exit code when the file that it should run is not there


class SessionState(StoreModel):
    """What the log keeps of a sample's session."""

    folder: str | None = None
    """Folder of the session in the sandbox; None until the first cell."""

    installations: int = 0
    """How often the kernel's file was written; the agent's code can remove or change what lies in its own sandbox."""

    cells: int = 0
    """Cells run so far."""

    restarts: int = 0
    """Times that the kernel, and with it every variable, was lost."""


@validated(frozen=True)
class CellResult:
    """What one cell did.

    Attributes:
        status: `ok`; `error` (it raised, the traceback is in the output); `interrupted` (time limit, variables
            kept); `killed` (time limit, and it ignored the interrupt) or `died`: variables are lost.
        output: What it printed, and the representation of its last expression.
        restarted: The kernel of earlier cells was gone; this cell ran in a new one.
        figures: The figures that it left open, as PNG in base64; none unless they are asked for.
    """

    status: Literal["ok", "error", "interrupted", "killed", "died"]
    output: str
    restarted: bool
    figures: tuple[Annotated[str, Field(pattern="^[A-Za-z0-9+/]+=*$")], ...] = ()


@dataclass(frozen=True)
class PythonSession:
    """A Python session that keeps variables between cells.

    It needs only `exec` and `write_file` of the sandbox, so it works on every Inspect provider.

    Attributes:
        cell_seconds: Time limit of one cell.
        output_bytes: Cap of one cell's output; what exceeds it is cut from the middle, with a notice.
        figures: Whether a cell returns the matplotlib figures that are open at its end, and closes them.
    """

    cell_seconds: int = CELL_SECONDS
    output_bytes: int = OUTPUT_BYTES
    figures: bool = False

    async def run(self, code: str) -> CellResult:
        """Run one cell, at most once.

        Raises:
            SessionFailed: The sandbox has no Python, or it cannot start the kernel.
            ProcessLookupError: The sample has no sandbox.
        """
        state = store_as(SessionState)
        if state.folder is None:
            await self._install(state)
        try:
            cell = await self._cell(state, code)
        except TimeoutError:
            await self.stop()
            cell = CellResult("killed", "", restarted=False)
        state.cells += 1
        state.restarts += cell.restarted
        return cell

    async def stop(self) -> None:
        """End the kernel, if there is one; the next cell starts from nothing."""
        state = store_as(SessionState)
        if state.folder is not None:
            # The agent's code may have removed the folder, or closed it to itself.
            with suppress(OSError, RuntimeError):
                await self._kernel(state, "stop")
            state.folder = None

    async def _cell(self, state: SessionState, code: str) -> CellResult:
        try:
            return await self._call_or_mend(state, code)
        except (OSError, RuntimeError):
            # The first installation went well, so the agent's code has closed its own folder to itself; unless the
            # sandbox runs nothing at all any more.
            if not (await sandbox().exec(["true"], cwd="/")).success:
                raise
            return CellResult("died", "", restarted=False)

    async def _call_or_mend(self, state: SessionState, code: str) -> CellResult:
        result = await self._call(state, code)
        if result.returncode == CANNOT_OPEN:
            # The client is gone, so the cell has not run.
            await self._install(state)
            result = await self._call(state, code)
            cell = _reply(result)
            if cell is not None:
                return replace(cell, restarted=state.cells > 0)
        cell = _reply(result)
        if cell is None:
            # The cell may have run, so it is not run again. Does the sandbox still run anything?
            await self._install(state)
            if _reply(await self._call(state, "")) is None:
                reason = result.stderr.strip()[-500:] or result.stdout.strip()[-500:]
                raise SessionFailed(
                    f"The sandbox cannot run a Python session (exit code {result.returncode}): {reason}"
                )
            cell = CellResult("died", "", restarted=False)
        return cell

    async def _install(self, state: SessionState) -> None:
        """Write the kernel into a new folder: what became of an old one is the agent's affair."""
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
        # Isolated, and without site-packages: the client starts in milliseconds.
        return await sandbox().exec(
            [_python(), "-I", "-S", f"{state.folder}/kernel.py", command, str(state.folder)],
            input=request,
            timeout=self.cell_seconds + CLIENT_SECONDS,
            timeout_retry=False,
        )


def _python() -> str:
    """The interpreter that has the packages: in a local sandbox the one that runs Inspect."""
    # The class behind the proxy that records events; the base class is asked for since any provider may come.
    provider = registry_info(type(sandbox().as_type(SandboxEnvironment))).name  # type: ignore[type-abstract]
    return sys.executable if provider.endswith("/local") else "python3"


def _reply(result: ExecResult[str]) -> CellResult | None:
    try:
        return CellResult(**json.loads(result.stdout)) if result.success else None
    except (ValueError, TypeError, ValidationError):
        return None
