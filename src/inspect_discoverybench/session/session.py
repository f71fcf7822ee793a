"""The host side of the Python session: one per sample, in the sample's sandbox."""

import json
import sys
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from inspect_ai.util import ExecResult, SandboxEnvironment, StoreModel, registry_info, sandbox, store_as
from pydantic import ValidationError
from pydantic.dataclasses import dataclass as validated

from inspect_discoverybench.errors import SessionFailed

CELL_SECONDS = 300
"""Default time limit of one cell."""

OUTPUT_BYTES = 10_000
"""Default cap of one cell's output."""

FOLDER = ".session"
KERNEL = f"{FOLDER}/kernel.py"
# The client kills a kernel that ignores its interrupt; only a client that hangs itself gets here.
CLIENT_SECONDS = 60


class SessionState(StoreModel):
    """What the log keeps of a sample's session."""

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
    """

    status: Literal["ok", "error", "interrupted", "killed", "died"]
    output: str
    restarted: bool


@dataclass(frozen=True)
class PythonSession:
    """A Python session that keeps variables between cells.

    It needs only `exec` and `write_file` of the sandbox, so it works on every Inspect provider.

    Attributes:
        cell_seconds: Time limit of one cell.
        output_bytes: Cap of one cell's output; what exceeds it is cut from the middle, with a notice.
    """

    cell_seconds: int = CELL_SECONDS
    output_bytes: int = OUTPUT_BYTES

    async def run(self, code: str) -> CellResult:
        """Run one cell.

        Raises:
            SessionFailed: The sandbox has no Python, or it could not start the kernel.
            ProcessLookupError: The sample has no sandbox.
        """
        state = store_as(SessionState)
        request = json.dumps({"code": code, "timeout": self.cell_seconds, "max_output": self.output_bytes})
        if state.cells == 0:
            await self._install()
        try:
            result = await self._kernel("run", request)
            cell = _reply(result)
            if cell is None:
                # The agent's code can remove or change what lies in its own sandbox: install it once more.
                await self._install()
                await self._kernel("stop")
                result = await self._kernel("run", request)
                cell = _reply(result)
                if cell is None:
                    raise SessionFailed(f"The sandbox cannot run a Python session: {result.stderr[-500:]}")
                cell = CellResult(cell.status, cell.output, restarted=state.cells > 0)
        except TimeoutError:
            await self._kernel("stop")
            cell = CellResult("killed", "", restarted=False)
        state.cells += 1
        state.restarts += cell.restarted
        return cell

    async def stop(self) -> None:
        """End the kernel, if there is one; the next cell starts from nothing."""
        if store_as(SessionState).cells:
            await self._kernel("stop")

    async def _install(self) -> None:
        await sandbox().write_file(KERNEL, files(__package__).joinpath("kernel.py").read_text("utf-8"))

    async def _kernel(self, command: str, request: str | None = None) -> ExecResult[str]:
        # Isolated, and without site-packages: the client starts in milliseconds.
        return await sandbox().exec(
            [_python(), "-I", "-S", KERNEL, command, FOLDER],
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
