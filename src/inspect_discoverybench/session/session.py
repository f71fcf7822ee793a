"""The host side of the Python session: one per sample, in the sample's sandbox."""

import os
import re
import sys
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.resources import files

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxUnavailableError,
    StoreModel,
    background,
    registry_info,
    sandbox,
    store_as,
    subprocess,
)

from inspect_discoverybench.errors.exceptions import SandboxLost, SessionFailed
from inspect_discoverybench.session.client import NOT_RUN
from inspect_discoverybench.session.reply import CellResult, clean, read_reply

DEFAULT_CELL_SECONDS = 300
"""Default time limit of one cell in seconds."""

DEFAULT_OUTPUT_BYTES = 10_000
"""Default maximum output of one cell in bytes."""

# Time beyond the cell's limit for the client to start a lost kernel, or to kill one that ignores its interrupt.
CLIENT_SECONDS = 30
START_SECONDS = 40
STOP_SECONDS = 10
CANNOT_OPEN = 2  # Python's exit code if the script does not exist

LOOKUP_SECONDS = 60
"""Time limit for Docker's response in seconds. A busy engine may take several."""

_CONTAINER_ID = re.compile(r"[0-9a-f]{12}")

_INSTALL = """\
import os, py_compile, sys
folder, owner = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for name, source in zip(("client", "kernel"), sys.stdin.buffer.read().split(b"\\0")):
    with open(os.path.join(folder, f"{name}.py"), "wb") as file:
        file.write(source)
    py_compile.compile(file.name, f"{file.name}c", doraise=True)
    os.remove(file.name)
client = os.path.join(folder, "client.pyc")
os.execv(sys.executable, [sys.executable, "-I", "-S", client, "start", folder, owner])
"""
"""Compiles the client and the kernel and starts the kernel, in one `exec`."""

_starting: ContextVar[anyio.Event | None] = ContextVar("starting", default=None)
"""Set when the start in the background of the running sample has ended, successfully or not."""


class SessionState(StoreModel):
    """The state of a sample's session, kept in the log."""

    working_folder: str | None = None
    """Folder in which cells run; None for the sandbox's own working folder."""

    folder: str | None = None
    """Folder of the session's own files, in the working folder; None until the first cell."""

    host: str | None = None
    """Host name of the sandbox, in Docker the id of the container; None until a kernel has started. Later failures of
    the session are caused by the agent's code."""

    installations: int = 0
    """Number of times the client and the kernel were written. The agent's code can delete or change it."""

    cells: int = 0
    """Number of cells run."""

    restarts: int = 0
    """Number of times the kernel and all variables were lost."""


@dataclass(frozen=True)
class PythonSession:
    """A Python session that keeps variables between cells.

    It uses only the sandbox's `exec`, so it works with every Inspect sandbox provider. Damage that the agent's code
    does to its session costs the session, never the eval.

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
            SessionFailed: The sandbox has no Python or cannot start the kernel, before any cell has run.
            SandboxLost: The sandbox was lost because of the infrastructure.
            SandboxUnavailableError: The agent's code has ended the sandbox.
            ProcessLookupError: The sample has no sandbox.
        """
        await _started()
        state = store_as(SessionState)
        try:
            cell = await self._run(state, code)
        except (_Unusable, SandboxUnavailableError) as failure:
            await require_not_lost()
            if isinstance(failure, SandboxUnavailableError):
                raise  # Inspect makes it an error of the tool call
            if state.host is None:
                raise SessionFailed(f"The sandbox cannot run a Python session ({failure})") from None
            await self.stop()
            cell = CellResult("unusable", str(failure), restarted=False)
        state.cells += 1
        state.restarts += cell.restarted
        return cell

    async def stop(self) -> None:
        """End the kernel, if any. The next cell starts a new session."""
        await _started()
        state = store_as(SessionState)
        if state.folder is not None:
            with suppress(_Unusable, SandboxUnavailableError):
                await _python([f"{state.folder}/client.pyc", "stop", state.folder], None, STOP_SECONDS)
            state.folder = None

    async def move_to(self, folder: str) -> None:
        """End the kernel, if any. The next cell starts a new session with this working folder."""
        await self.stop()
        store_as(SessionState).working_folder = folder

    async def end(self) -> None:
        """End the kernel in a local sandbox, which does not end processes itself. Others end with their sandbox."""
        await _started()
        if store_as(SessionState).folder is not None and is_local():
            await self.stop()

    def start_early(self) -> None:
        """Start the kernel in the background, while the model thinks about its first step.

        A failure is ignored here: the first cell starts the session again and reports it.
        """
        started = anyio.Event()
        _starting.set(started)
        background(self._start_early, started)

    async def _start_early(self, started: anyio.Event) -> None:
        try:
            # The end of the sample waits for a start in progress, so that the clean-up finds the kernel.
            with anyio.CancelScope(shield=True), suppress(_Unusable, SandboxUnavailableError, ProcessLookupError):
                await self._start(store_as(SessionState))
        finally:
            started.set()

    async def _run(self, state: SessionState, code: str) -> CellResult:
        if state.folder is None:
            await self._start(state)
        result = await self._call(state, code)
        if restarted := result.returncode in (CANNOT_OPEN, NOT_RUN):
            # The session's files or its kernel cannot be used, so the cell has not run.
            await self.stop()
            await self._start(state)
            result = await self._call(state, code)
        cell = read_reply(result.stdout, self.output_bytes, self.figures) if result.success else None
        if cell is None:
            raise _Unusable(_reason(result))
        # Before the first cell there were no variables to lose.
        return replace(cell, restarted=(restarted or cell.restarted) and state.cells > 0)

    async def _start(self, state: SessionState) -> None:
        """Start a kernel in a new folder; the agent's code may have made the old one unusable."""
        state.installations += 1
        folder = ".session" if state.installations == 1 else f".session-{state.installations}"
        sources = [files(__package__).joinpath(name).read_text("utf-8") for name in ("client.py", "kernel.py")]
        result = await _python(["-c", _INSTALL, folder, _owner()], "\0".join(sources), START_SECONDS)
        if not result.stdout.startswith("ready "):
            raise _Unusable(_reason(result))
        state.folder = folder
        state.host = state.host or result.stdout.split()[1]

    async def _call(self, state: SessionState, code: str) -> ExecResult[str]:
        limits = [str(self.cell_seconds), str(self.output_bytes), str(int(self.figures))]
        # A model's text may contain lone surrogates.
        source = code.encode("utf-8", "surrogatepass")
        command = [f"{state.folder}/client.pyc", "run", str(state.folder), _owner(), *limits]
        return await _python(command, source, self.cell_seconds + CLIENT_SECONDS)


class _Unusable(Exception):
    """The session gave no valid answer. The message is the reason."""


async def _started() -> None:
    """Wait for a start in the background, if there is one."""
    if (starting := _starting.get()) is not None:
        await starting.wait()


async def _python(arguments: list[str], source: bytes | str | None, seconds: int) -> ExecResult[str]:
    """Run Python in the sandbox's working folder, with `source` as its standard input.

    Raises:
        _Unusable: It did not end in time, or could not be run although the sandbox runs other commands.
        SandboxUnavailableError: The sandbox runs no commands.
    """
    # The interpreter with the data analysis packages. Isolated mode without site-packages starts in milliseconds.
    interpreter = sys.executable if is_local() else "python3"
    try:
        # A cell may sleep for minutes, so it holds none of the few processes that Inspect allows at a time.
        return await sandbox().exec(
            [interpreter, "-I", "-S", *arguments],
            input=source,
            cwd=store_as(SessionState).working_folder,
            timeout=seconds,
            timeout_retry=False,
            concurrency=False,
        )
    except TimeoutError:  # a subclass of OSError
        raise _Unusable(f"no answer within {seconds} s") from None
    except (OSError, RuntimeError, OutputLimitExceededError, UnicodeDecodeError) as error:
        # The agent's code may have closed the working folder, or replaced the client by a program that floods.
        with suppress(TimeoutError):
            await sandbox().exec(["true"], cwd="/", timeout=STOP_SECONDS, timeout_retry=False)
        raise _Unusable(clean(str(error))[-500:]) from None


async def require_not_lost() -> None:
    """Check, after a failure of the sandbox, that the infrastructure is not the cause. A local sandbox cannot be lost.

    The agent's code cannot stop Docker. It can end a container of `compose.yaml` only through the memory limit, where
    the system may choose process 1, and Docker records that the container ran out of memory. This asks Docker on this
    machine, so code in the sandbox cannot influence the answer.

    Raises:
        SandboxLost: The engine does not respond, or the sandbox has ended and the agent's code is not the cause.
    """
    if is_local():
        return
    host = store_as(SessionState).host
    reason = await (_container_loss(host) if host and _CONTAINER_ID.fullmatch(host) else _provider_loss(host is None))
    if reason:
        cause = " ".join(reason.split()).rstrip(".")[-500:]
        raise SandboxLost(
            f"The sandbox was lost: {cause}. The agent's code is not the cause, so the sample is not scored. "
            "Check that Docker or your sandbox provider is running, then run the sample again with "
            "`inspect eval-retry` or `discoverybench run`."
        )


async def _container_loss(container: str) -> str | None:
    """Why a container is not running; None if it is, or if it ran out of memory."""
    try:
        lookup = await subprocess(
            ["docker", "inspect", "--format", "{{.State.Status}} {{.State.OOMKilled}} {{.State.ExitCode}}", container],
            timeout=LOOKUP_SECONDS,
        )
    except TimeoutError:
        return f"Docker did not respond within {LOOKUP_SECONDS} s"
    if not lookup.success:
        return lookup.stderr.strip() or f"exit code {lookup.returncode}"
    status, out_of_memory, code = lookup.stdout.split()
    if status == "running" or out_of_memory == "true":
        return None
    return f"container {container} is {status} (exit code {code}) and did not run out of memory"


async def _provider_loss(untouched: bool) -> str | None:
    """Why another provider's sandbox runs no commands; None if it runs one, or if the agent's code may be the cause."""
    try:
        probe = await sandbox().exec(["true"], cwd="/", timeout=LOOKUP_SECONDS, timeout_retry=False)
    except SandboxUnavailableError as error:
        return str(error)
    except (OSError, RuntimeError) as error:  # the agent's code may have used up all processes, for example
        return str(error) if untouched else None
    return None if probe.success or not untouched else probe.stderr.strip() or f"exit code {probe.returncode}"


def _reason(result: ExecResult[str]) -> str:
    if result.success:
        return "the reply is not valid"
    text = clean(result.stderr[-2000:]).strip() or clean(result.stdout[-2000:]).strip()
    return f"exit code {result.returncode}" + (f": {text[-500:]}" if text else "")


def is_local() -> bool:
    """Whether the sandbox is this machine."""
    # `sandbox()` returns a proxy that records events. Unwrap it with the base class, as the provider can be any.
    provider = registry_info(type(sandbox().as_type(SandboxEnvironment))).name  # type: ignore[type-abstract]
    return provider.endswith("/local")


def _owner() -> str:
    """Process id of this evaluation if the sandbox sees it, so that the kernel can end with it; otherwise 0."""
    return str(os.getpid() if is_local() else 0)
