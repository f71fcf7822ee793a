"""The data files of a sample, which must be the same in the sandbox as when the task was built.

Inspect copies `Sample.files`. If a path no longer exists when the sample starts, it writes the path itself into the
file, without an error.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.source import local_root, remedy
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing

TIMEOUT = 600
"""Time limit in seconds for the checksums of all data files of a sample."""

# Without names in the output, which can contain line breaks. The second program is that of macOS.
_CHECKSUMS = 'for name do { sha256sum || shasum -a 256; } <"$name" || echo unreadable; done'


def checksum(path: Path) -> str:
    """SHA-256 of a file on this machine, as hexadecimal digits.

    Raises:
        DataMissing: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error


@solver
def verify_data_files() -> Solver:
    """Compare the data files in the sandbox with the checksums in the metadata, with one sandbox call per sample.

    Samples without checksums in their metadata are not checked.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if (state.metadata or {}).get("data_checksums"):
            await _verify(state.metadata_as(SampleMetadata))
        return state

    return solve


async def _verify(metadata: SampleMetadata) -> None:
    for name in await changed_files(metadata.data_checksums):
        raise DataCorrupt(
            f"The data file {metadata.dataset}/{name} differs from the file that was checked when the task was built, "
            f"or is missing. {_remedy(metadata)} Then run `inspect eval-retry` on the log, or repeat "
            "`discoverybench run`."
        )


async def changed_files(checksums: Mapping[str, str], folder: str | None = None) -> list[str]:
    """Compare files in the sandbox with their checksums, with one sandbox call.

    Args:
        checksums: SHA-256 of each file by name.
        folder: Folder of the files; None for the sandbox's working folder.

    Returns:
        Names of the files that differ or are missing.

    Raises:
        DataError: The sandbox cannot compute checksums.
    """
    # Through `sh`, because some providers raise an exception if a program does not exist.
    result = await sandbox().exec(["sh", "-c", _CHECKSUMS, "sh", *checksums], cwd=folder, timeout=TIMEOUT)
    found = [line.partition(" ")[0] for line in result.stdout.splitlines()]
    if not result.success or len(found) != len(checksums):
        raise DataError(
            f"The data files cannot be checked in the sandbox (exit code {result.returncode}): "
            f"{result.stderr.strip()[-500:]}. The sandbox needs `sh` and `sha256sum`."
        )
    return [name for (name, recorded), now in zip(checksums.items(), found, strict=True) if now != recorded]


def _remedy(metadata: SampleMetadata) -> str:
    if metadata.split in ("custom", "demo"):
        return "Restore the file on this machine."
    try:
        return remedy(local_root())
    except DataMissing as error:  # the folder with the released data was removed
        return error.message
