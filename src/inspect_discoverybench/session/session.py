"""The host side of the Python session: one per sample, in the sample's sandbox."""

import os
import re
import shutil
import sys
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.resources import files
from weakref import WeakKeyDictionary

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxUnavailableError,
    background,
    sandbox,
    store_as,
)

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError
from inspect_discoverybench.session.client import NOT_RUN
from inspect_discoverybench.session.loss import MAX_REASON, require_not_lost
from inspect_discoverybench.session.reply import CellResult, clean, read_reply
from inspect_discoverybench.session.state import SessionState, is_local

DEFAULT_CELL_SECONDS = 300
"""Default time limit of one cell in seconds."""

DEFAULT_OUTPUT_BYTES = 10_000
"""Default maximum output of one cell in bytes."""

CLIENT_SECONDS = 30
"""Time beyond the cell's limit for the client to replace a lost kernel, or to kill one that ignores its interrupt."""

START_SECONDS = 40
"""Time limit for starting a kernel, and for creating a temporary folder, in seconds."""

STOP_SECONDS = 10
"""Time limit for ending a kernel, and for a check that the sandbox runs commands, in seconds."""

CANNOT_OPEN = 2
"""Python's exit code if the script does not exist."""

MAX_PARENT_LENGTH = 65
"""Maximum number of characters in the path of a temporary directory in which the session's folder is created. The path
of the socket in the session's folder then has fewer than 100 characters. The system's limit for it is 103 on macOS and
107 on Linux."""

_NEW_FOLDER = f"""\
import tempfile
parent = tempfile.gettempdir()
folder = tempfile.mkdtemp(prefix="discoverybench-", dir=parent if len(parent) <= {MAX_PARENT_LENGTH} else "/tmp")
"""
"""Creates a folder that only its user can open, in the sandbox's temporary directory: TMPDIR, `/tmp`, `/var/tmp` or the
working folder, whichever is the first that can be written to. If the path of this directory is longer than
`MAX_PARENT_LENGTH`, the folder is created in `/tmp`."""

_INSTALL_PROGRAM = f"""\
import os, py_compile, sys
{_NEW_FOLDER}
for name, source in zip(("client", "kernel"), sys.stdin.buffer.read().split(b"\\0")):
    with open(os.path.join(folder, name + ".py"), "wb") as file:
        file.write(source)
    py_compile.compile(file.name, file.name + "c", doraise=True)
    os.remove(file.name)
client = os.path.join(folder, "client.pyc")
os.execv(sys.executable, [sys.executable, "-I", "-S", client, "start", folder, sys.argv[1]])
"""
"""Compiles the client and the kernel, so that no call has to, and starts the kernel. One `exec` of the sandbox does
both."""

_STARTED = re.compile(r"ready (\S+) (/.+)\n")
"""What the client prints when the kernel has started: its host and its folder."""

_early_start: ContextVar[anyio.Event | None] = ContextVar("early_start", default=None)
"""The event that tells a sample that the start of its kernel in the background has ended, successfully or not. None if
no kernel of the sample is started in the background."""

_locks: WeakKeyDictionary[SandboxEnvironment, anyio.Lock] = WeakKeyDictionary()
"""A lock for each sandbox. Cells of agents that work in parallel, such as subagents, take turns. Two first cells would
each start a kernel, and a client that waits long for a busy kernel takes it for lost and ends it."""


@dataclass(frozen=True)
class PythonSession:
    """A Python session that keeps variables between cells.

    It uses only the sandbox's `exec`, so it works with every Inspect sandbox provider. If the agent's code damages its
    session, the session and its variables are lost, but the sample goes on.

    Attributes:
        cell_seconds: Time limit of one cell in seconds.
        output_bytes: Maximum output of one cell in bytes. Longer output is truncated in the middle, with a notice.
    """

    cell_seconds: int = DEFAULT_CELL_SECONDS
    output_bytes: int = DEFAULT_OUTPUT_BYTES

    async def run(self, code: str) -> CellResult:
        """Run one cell, after those that other agents of the sample have begun. A cell is never run twice.

        Raises:
            DiscoveryBenchError: The sandbox was lost because of the infrastructure, or it has never started a kernel,
                for example because it has no Python.
            SandboxUnavailableError: The agent's code has ended the sandbox.
            ProcessLookupError: The sample has no sandbox.
        """
        await _wait_for_early_start()
        async with _locks.setdefault(sandbox(), anyio.Lock()):
            return await self._run_in_turn(code)

    async def _run_in_turn(self, code: str) -> CellResult:
        state = store_as(SessionState)
        try:
            cell = await self._run(state, code)
        except SandboxUnavailableError:
            await require_not_lost()
            raise  # Inspect makes it an error of the tool call
        except _Unusable as failure:
            await require_not_lost()
            if state.host is None:  # no kernel has ever started, so the cause is not the agent's code
                raise DiscoveryBenchError(f"The sandbox cannot run a Python session ({failure})") from None
            await self.stop()
            cell = CellResult("unusable", str(failure), restarted=False)
        state.cells += 1
        state.restarts += cell.restarted
        return cell

    async def stop(self) -> None:
        """End the kernel, if any. The next cell starts a new session."""
        await _wait_for_early_start()
        state = store_as(SessionState)
        if state.folder is not None:
            with suppress(_Unusable, SandboxUnavailableError):
                await _python([f"{state.folder}/client.pyc", "stop", state.folder], seconds=STOP_SECONDS)
            state.folder = None

    async def move_to(self, folder: str) -> None:
        """End the kernel, if any. The next cell starts a new session with this working folder."""
        await self.stop()
        store_as(SessionState).working_folder = folder

    async def end(self) -> None:
        """In a local sandbox, end the kernel and remove the temporary folders.

        All other sandboxes end processes and remove files themselves.
        """
        await _wait_for_early_start()
        folders = store_as(SessionState).temporary_folders
        if not folders or not is_local():
            return
        await self.stop()
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)

    def start_early(self) -> None:
        """Start the kernel in the background, while the model thinks about its first step.

        A failure is ignored here: the first cell starts the session again and reports it.
        """
        ended = anyio.Event()
        _early_start.set(ended)
        background(self._start_early, ended)

    async def _start_early(self, ended: anyio.Event) -> None:
        try:
            # A start is completed even if the sample is cancelled. The kernel's folder is known only after the start,
            # and without it, `end`, which waits for the start, could not end the kernel.
            with anyio.CancelScope(shield=True):
                await self._start(store_as(SessionState))
        except (_Unusable, SandboxUnavailableError, ProcessLookupError):  # the last one: the sample has no sandbox
            pass  # the first cell starts the session again, and reports the failure
        finally:
            ended.set()

    async def _run(self, state: SessionState, code: str) -> CellResult:
        if state.folder is None:
            await self._start(state)
        result = await self._call(state, code)

        has_not_run = result.returncode in (CANNOT_OPEN, NOT_RUN)
        if has_not_run:  # the session's files or its kernel cannot be used
            await self.stop()
            await self._start(state)
            result = await self._call(state, code)

        cell = read_reply(result.stdout, self.output_bytes) if result.success else None
        if cell is None:
            raise _Unusable(_reason(result))
        # Before the first cell there were no variables to lose, so a new kernel does not count as a restart.
        restarted = (has_not_run or cell.restarted) and state.cells > 0
        return replace(cell, restarted=restarted)

    async def _start(self, state: SessionState) -> None:
        """Start a kernel in a new folder; the agent's code may have made the old one unusable."""
        state.installations += 1
        package = files(__package__)
        client = package.joinpath("client.py").read_text("utf-8")
        kernel = package.joinpath("kernel.py").read_text("utf-8")
        result = await _python(
            ["-c", _INSTALL_PROGRAM, _owner()],
            seconds=START_SECONDS,
            standard_input=f"{client}\0{kernel}",
        )
        started = _STARTED.fullmatch(result.stdout)
        if started is None:
            raise _Unusable(_reason(result))
        host, folder = started.groups()
        state.folder = folder
        state.add_temporary_folder(folder)
        # `require_not_lost` finds the container by the host. Only the host of the first start is trusted. Before a
        # later start, the agent's code may have changed what the client prints, for example by replacing the
        # interpreter.
        if state.host is None:
            state.host = host

    async def _call(self, state: SessionState, code: str) -> ExecResult[str]:
        command = [
            f"{state.folder}/client.pyc",
            "run",
            str(state.folder),
            _owner(),
            str(self.cell_seconds),
            str(self.output_bytes),
        ]
        # A model's text may contain lone surrogates.
        source = code.encode("utf-8", "surrogatepass")
        return await _python(command, seconds=self.cell_seconds + CLIENT_SECONDS, standard_input=source)


async def create_temporary_folder() -> str:
    """Create a folder in the sandbox's temporary directory. The end of the session removes it.

    Raises:
        DiscoveryBenchError: The sandbox has no Python or no folder that can be written to.
    """
    try:
        result = await _python(["-c", f"{_NEW_FOLDER}print(folder)"], seconds=START_SECONDS)
    except _Unusable as failure:
        raise DiscoveryBenchError(f"The sandbox cannot create a temporary folder ({failure})") from None
    if not result.success:
        raise DiscoveryBenchError(f"The sandbox cannot create a temporary folder ({_reason(result)})")
    folder = result.stdout.strip()
    store_as(SessionState).add_temporary_folder(folder)
    return folder


class _Unusable(Exception):
    """The session gave no valid answer. The message is the reason."""


async def _wait_for_early_start() -> None:
    """Wait for a start in the background, if there is one."""
    ended = _early_start.get()
    if ended is not None:
        await ended.wait()


async def _python(arguments: list[str], *, seconds: int, standard_input: bytes | str | None = None) -> ExecResult[str]:
    """Run Python in the working folder of the session.

    Args:
        arguments: Its command-line arguments.
        seconds: Its time limit.
        standard_input: Its standard input; empty by default.

    Raises:
        _Unusable: It did not end in time, or could not be run although the sandbox runs other commands.
        SandboxUnavailableError: The sandbox runs no commands.
    """
    # The client starts the kernel with its own interpreter, which needs the data analysis packages. In a local sandbox,
    # only Inspect's interpreter is sure to have them.
    interpreter = sys.executable if is_local() else "python3"
    # The client itself needs no packages. In isolated mode without site-packages, it starts in milliseconds.
    command = [interpreter, "-I", "-S", *arguments]
    try:
        return await sandbox().exec(
            command,
            input=standard_input,
            cwd=store_as(SessionState).working_folder,
            timeout=seconds,
            timeout_retry=False,
            # A cell may sleep for minutes. So it does not count among the few processes that Inspect runs at a time.
            concurrency=False,
        )
    except TimeoutError:  # before OSError, of which it is a subclass
        raise _Unusable(f"no answer within {seconds} s") from None
    except (OSError, RuntimeError, OutputLimitExceededError, UnicodeDecodeError) as error:
        # The agent's code may have made the working folder inaccessible. Or it may have replaced the client by a
        # program whose output exceeds Inspect's limit. If the sandbox runs no commands at all, the command `true`
        # raises SandboxUnavailableError. If `true` only takes too long, the sandbox may be busy with the agent's code.
        with suppress(TimeoutError):
            await sandbox().exec(["true"], cwd="/", timeout=STOP_SECONDS, timeout_retry=False)
        raise _Unusable(clean(str(error))[-MAX_REASON:]) from None


def _reason(result: ExecResult[str]) -> str:
    """Why the result of a client is unusable."""
    if result.success:
        return "the reply is not valid"
    # Cleaning removes characters, so more than `MAX_REASON` are kept until then.
    text = clean(result.stderr[-2000:]).strip() or clean(result.stdout[-2000:]).strip()
    if not text:
        return f"exit code {result.returncode}"
    end = text[-MAX_REASON:]
    return f"exit code {result.returncode}: {end}"


def _owner() -> str:
    """Process id of this evaluation if the sandbox sees it; otherwise 0. The kernel ends with that process."""
    return str(os.getpid()) if is_local() else "0"
