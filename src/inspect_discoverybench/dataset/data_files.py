"""The data files of a sample, which must be the same in the sandbox as when the task was built.

Inspect copies `Sample.files`. If a path no longer exists when the sample starts, it writes the path itself into the
file, without an error.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.metadata import METADATA_NAME
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing, InvalidMetadata

TIMEOUT = 600
"""Time limit in seconds for the checksums of all data files of a sample."""

# Without names in the output, which can contain line breaks. The second program is that of macOS.
_PROGRAM = 'for name do { sha256sum || shasum -a 256; } <"$name" || echo unreadable; done'


def locate(folder: Path, name: str) -> Path:
    """Find a data file.

    Args:
        folder: Folder of the metadata file.
        name: Name of the data file in the metadata and in the sandbox: a path relative to the folder.

    Raises:
        InvalidMetadata: The name is not a path inside the folder, is reserved, or is that of a metadata file.
        DataMissing: The file does not exist.
    """
    subject = f"{folder}: datasets: the data file {name!r}"
    relative, path = PurePosixPath(name), folder / name
    if relative.is_absolute() or ".." in relative.parts:
        raise InvalidMetadata(
            f"{subject} is not inside the folder of its metadata file. Copy or link it there and use its relative path."
        )
    # Inspect reads the part before a colon as the name of a sandbox.
    if ":" in name or "\\" in name:
        raise InvalidMetadata(f"{subject} has ':' or '\\' in its name. Rename it; separate folders with '/'.")
    if str(relative).startswith(".session"):
        raise InvalidMetadata(f"{subject} has a reserved name. Rename it.")
    if not path.is_file():
        problem = "is a folder. List its files instead" if path.is_dir() else "does not exist. Add it"
        raise DataMissing(f"{path}: the metadata describes this data file, but it {problem}.")
    if METADATA_NAME.fullmatch(path.resolve().name):
        raise InvalidMetadata(f"{subject} is a metadata file, which the agent must not see. Remove it from `datasets`.")
    return path


@solver
def verify_data_files() -> Solver:
    """Compare the data files in the sandbox with the checksums in the metadata, with one sandbox call per sample.

    Samples without checksums in their metadata are not checked.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        expected: dict[str, str] = (state.metadata or {}).get("data_checksums", {})
        for name in await changed_files(expected) if expected else []:
            raise DataCorrupt(
                f"The data file {state.metadata['dataset']}/{name} differs from the file that was checked when the "
                "task was built, or is missing. Restore it on this machine (for released data, `discoverybench "
                "data verify` says how). Then run `inspect eval-retry` on the log, or repeat `discoverybench run`."
            )
        return state

    return solve


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
    result = await sandbox().exec(["sh", "-c", _PROGRAM, "sh", *checksums], cwd=folder, timeout=TIMEOUT)
    found = [line.partition(" ")[0] for line in result.stdout.splitlines()]
    if not result.success or len(found) != len(checksums):
        raise DataError(
            f"The data files cannot be checked in the sandbox (exit code {result.returncode}): "
            f"{result.stderr.strip()[-500:]}. The sandbox needs `sh` and `sha256sum`."
        )
    return [name for (name, recorded), now in zip(checksums.items(), found, strict=True) if now != recorded]
