"""The state of a sandbox before the agent's code runs, to which Reflexion returns between trials."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

import anyio
from inspect_ai.util import sandbox

from inspect_discoverybench.errors import SessionFailed
from inspect_discoverybench.session.restoration import READ_BYTES
from inspect_discoverybench.session.session import PythonSession, interpreter, is_local, require_not_lost

RESTORE_SECONDS = 120
"""Time limit of a restoration in seconds, enough to copy 20 data files."""

WRITABLE_FOLDERS = ("~", "/tmp", "/var/tmp", "/dev/shm")
"""Folders that a container's user can write to, in addition to the working folder."""


@dataclass(frozen=True)
class Snapshot:
    """The data files and processes of a sandbox.

    Attributes:
        folder: Absolute path of the working folder.
        data_files: Contents of the data files by name.
        processes: Ids of the sandbox's own processes. Empty in a local sandbox, where no process is ended.
    """

    folder: str
    data_files: dict[str, bytes]
    processes: tuple[int, ...]

    @classmethod
    async def take(cls, names: Sequence[str]) -> "Snapshot":
        """Read the data files and list the processes.

        Raises:
            SessionFailed: The sandbox has no Python, or a data file cannot be read.
        """
        folder, processes = json.loads(await _script(".", "describe"))
        data_files = {name: await _read_data_file(name) for name in names}
        return cls(folder, data_files, () if is_local() else tuple(processes))

    async def restore(self) -> bool:
        """End all processes, empty all writable folders and copy the data files again.

        In a local sandbox only the session is ended and only the working folder is emptied.

        Returns:
            Whether this succeeded. The agent's code can prevent it.

        Raises:
            SandboxLost: The sandbox was lost because of the infrastructure.
        """
        try:
            with anyio.fail_after(RESTORE_SECONDS):
                await PythonSession().stop()
                folders = [self.folder, *(() if is_local() else WRITABLE_FOLDERS)]
                # Run outside the working folder, which may no longer be accessible.
                await _script("/", "clear", json.dumps([self.processes, folders]))
                for name, content in self.data_files.items():
                    await sandbox().write_file(name, content)
        except (OSError, RuntimeError, SessionFailed):
            await require_not_lost()
            # The sandbox worked when the snapshot was taken, so the agent's code is the cause.
            return False
        return True


async def _read_data_file(name: str) -> bytes:
    """Read a data file in parts: `exec` returns at most 10 MB, and `read_file` cannot see folders in memory."""
    content = b""
    while True:
        part = await _script(".", "read", name, str(len(content)))
        try:
            decoded = base64.b64decode(part.strip(), validate=True)
        except binascii.Error as error:
            raise SessionFailed(f"The data file {name} cannot be read from the sandbox: {error}") from error
        content += decoded
        if len(decoded) < READ_BYTES:
            return content


async def _script(folder: str, *arguments: str) -> str:
    """Run `restoration.py` in the sandbox and return its output.

    Raises:
        SessionFailed: The script failed.
    """
    source = files(__package__).joinpath("restoration.py").read_text("utf-8")
    # Without a time limit of `exec`, whose process in the container would be ended with all others.
    result = await sandbox().exec([interpreter(), "-I", "-S", "-", *arguments], input=source, cwd=folder)
    if not result.success:
        raise SessionFailed(f"The sandbox cannot run Python (exit code {result.returncode}): {result.stderr[-500:]!r}")
    return result.stdout
