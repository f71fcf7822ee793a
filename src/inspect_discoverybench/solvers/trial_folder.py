"""The folder of a trial of Reflexion: a new one, into which the host writes the data files.

Processes of earlier trials may still run and change these files (docs/security.md).
"""

import base64
from collections.abc import Mapping, Sequence

import anyio
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.data_files import changed_files
from inspect_discoverybench.errors import DiscoveryBenchError, SandboxLost, SessionFailed, one_line
from inspect_discoverybench.session.session import PythonSession, require_not_lost

OPEN_SECONDS = 120
"""Time limit in seconds, enough to write 20 data files. The agent's code can make every step wait."""

PART_BYTES = 6_000_000
"""`exec` returns at most 10 MB, and `read_file` cannot see folders in memory."""

_READ_PART = 'exec <"$1"; tail -c "+$2" | head -c "$3" | base64'


async def read_data_files(names: Sequence[str]) -> dict[str, bytes]:
    """Read data files from the sandbox, before any code of the agent runs.

    Raises:
        SessionFailed: A file cannot be read.
    """
    contents = dict.fromkeys(names, b"")
    for name in names:
        part = None
        while part is None or len(part) == PART_BYTES:
            position = [str(len(contents[name]) + 1), str(PART_BYTES)]
            result = await sandbox().exec(["sh", "-c", _READ_PART, "sh", name, *position])
            if not result.success:
                raise SessionFailed(f"The data file {name} cannot be read from the sandbox: {result.stderr[-500:]}")
            part = base64.b64decode(result.stdout)
            contents[name] += part
    return contents


async def open_trial_folder(folder: str, data_files: Mapping[str, bytes], checksums: Mapping[str, str]) -> str | None:
    """Create the folder, write the data files into it, and make it the working folder of a new session.

    Args:
        folder: Name of the folder, which must not exist.
        data_files: Contents of the data files by name.
        checksums: Recorded SHA-256 of the data files by name.

    Returns:
        How the agent's code has prevented this; None if it succeeded.

    Raises:
        SandboxLost: The sandbox was lost because of the infrastructure.
    """
    try:
        with anyio.fail_after(OPEN_SECONDS):
            await PythonSession().move_to(folder)
            created = await sandbox().exec(["mkdir", folder])
            if not created.success:
                return " ".join(created.stderr.split())
            for name, content in data_files.items():
                await sandbox().write_file(f"{folder}/{name}", content)
            changed = await changed_files(checksums, folder)
    except SandboxLost:
        raise
    except (OSError, RuntimeError, DiscoveryBenchError) as error:
        await require_not_lost()
        # The sandbox worked before the agent's code ran.
        return one_line(error)
    return f"{', '.join(changed)} changed while the folder was prepared" if changed else None
