"""Data files: where they may be, and whether those in a sandbox are the ones that were checked.

The data files must be the same in the sandbox as when the task was built. Inspect copies `Sample.files`. If one of
these paths no longer exists when the sample starts, Inspect writes the path itself into the file, without an error.
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.metadata_files import METADATA_NAME
from inspect_discoverybench.errors.exceptions import DataError

_RESERVED_NAME = re.compile(r"trial-\d+(?:/|$)")
"""Matches a path in a folder such as `trial-2`. The solver `reflexion` creates such a folder for each trial."""

_CHECKSUMS = """
if ! command -v sha256sum && ! command -v shasum; then
    echo "neither sha256sum nor shasum was found" >&2
    exit 127
fi >/dev/null
for name do
    { sha256sum || shasum -a 256; } <"$name" || echo unreadable
done
"""
"""A shell script that prints one line for each file: its SHA-256, or that it cannot be read.

Each file is read from standard input, so that its line has no name: names can contain line breaks. With
`sandbox=local`, the script may run on macOS, which has `shasum`."""


def locate(folder: Path, name: str) -> Path:
    """Find a data file. For a link, the path of the link is returned, because its name tells the type of the file.

    Args:
        folder: Folder of the metadata file.
        name: Name of the data file in the metadata and in the sandbox: a path relative to the folder.

    Raises:
        DataError: The file does not exist, or its name is not a path inside the folder, is reserved, or is that of a
            metadata file.
    """
    subject = f"{folder}: datasets: the data file {name!r}"
    relative = PurePosixPath(name)
    path = folder / name
    try:
        # From Python 3.13 on, only a strict `resolve` raises an error for a loop of links. It also raises one for a
        # missing file, so it is strict only for links: a missing file gets the message below.
        target = path.resolve(strict=path.is_symlink())
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a name that is too long or has a null byte
        raise DataError(f"{subject} cannot be found ({error}). Rename it, or remove the link.") from error

    # A link to a file such as /proc/self/environ would carry this machine's secrets into the sandbox.
    is_outside = not target.is_relative_to(folder.resolve())
    if is_outside or relative.is_absolute() or ".." in relative.parts:
        raise DataError(
            f"{subject} is not inside the folder of its metadata file, or is a link to a file outside. Copy it there "
            "and use its relative path."
        )
    if "::" in str(folder):  # https://filesystem-spec.readthedocs.io/en/latest/features.html#url-chaining
        raise DataError(f"{folder}: Inspect cannot copy files from a folder with '::' in its path. Rename the folder.")
    # Inspect reads the text before a colon as the name of a sandbox. A name with a backslash is a path with folders on
    # Windows, and the name of one file elsewhere.
    if _RESERVED_NAME.match(str(relative)) or ":" in name or "\\" in name:
        raise DataError(f"{subject} has a reserved name, or ':' or '\\' in its name. Rename it.")
    if not path.is_file():
        raise DataError(f"{subject} does not exist, or is not a regular file. Add it.")
    if _is_metadata(folder, target):
        raise DataError(f"{subject} is a metadata file, which the agent must not see. Remove it from `datasets`.")
    return path


def _is_metadata(folder: Path, path: Path) -> bool:
    """Whether a file is a metadata file by its name, or a hard link to a metadata file in this folder or below it."""
    if METADATA_NAME.fullmatch(path.name.casefold()):
        return True

    has_other_names = path.stat().st_nlink > 1
    if not has_other_names:
        return False
    metadata_files = folder.rglob("metadata_*.json")
    # `rglob` also finds links whose target does not exist. They cannot be compared.
    return any(path.samefile(other) for other in metadata_files if other.exists())


@solver
def verify_data_files() -> Solver:  # inspect-evals-lint: ignore[IETS005] -- tests run it as the setup of every task
    """Compare the data files in the sandbox with the checksums in the metadata, with one sandbox call per sample.

    Samples without checksums in their metadata are not checked.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = state.metadata or {}
        checksums: dict[str, str] = metadata.get("data_checksums", {})
        changed = await changed_files(checksums) if checksums else []
        if changed:
            raise DataError(
                f"The data file {metadata['dataset']}/{changed[0]} differs from the file that was checked when "
                "the task was built, or is missing. Restore it on this machine (for released data, `discoverybench "
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
    command = ["sh", "-c", _CHECKSUMS, "sh", *checksums]
    result = await sandbox().exec(command, cwd=folder, timeout=600)
    lines = result.stdout.splitlines()
    if not result.success or len(lines) != len(checksums):
        reason = result.stderr.strip()[-500:]
        raise DataError(
            f"The data files cannot be checked in the sandbox (exit code {result.returncode}): {reason}. "
            "The sandbox needs `sh` and `sha256sum`."
        )

    changed = []
    for name, line in zip(checksums, lines, strict=True):
        checksum, _, _ = line.partition(" ")
        if checksum != checksums[name]:
            changed.append(name)
    return changed
