"""Verification that the data files in a sandbox are those that were checked when the task was built.

Inspect reads a sample's files when the sample starts. If a path no longer exists or cannot be read, Inspect writes the
path itself into the file, without an error. The contents are therefore verified in the sandbox before the first model
call.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.data_path import ARCHIVE
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.source import local_root, remedy
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing

MISSING = "missing"
UNREADABLE = "unreadable"
TIMEOUT = 600
"""Time limit in seconds for all data files of a sample."""

# Unpacks the archive, if there is one, and prints one line per file, starting with its checksum.
# macOS (sandbox `local`) has only `shasum`.
_CHECKSUMS = f"""
if [ -f {ARCHIVE} ]; then tar -xf {ARCHIVE}; rm {ARCHIVE}; fi
if command -v sha256sum > /dev/null; then sum=sha256sum
elif command -v shasum > /dev/null; then sum='shasum -a 256'
else echo 'sha256sum: not found' >&2; exit 127; fi
for file do
  if [ -f "$file" ]; then $sum 2> /dev/null < "$file" || echo {UNREADABLE}; else echo {MISSING}; fi
done
"""


@solver
def verify_data_files() -> Solver:
    """Unpack the data files in the sandbox and compare them with the checksums in the sample's metadata, in one `exec`.

    Use it in the task's `setup`, so that it runs before every solver.

    Raises:
        DataMissing: A data file is missing or unreadable in the sandbox.
        DataCorrupt: The contents of a data file have changed.
        DataError: The sandbox cannot compute checksums.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = state.metadata_as(SampleMetadata)
        expected = metadata.data_checksums
        actual = await _sandbox_checksums(metadata)
        for name, checksum in expected.items():
            if actual[name] != checksum:
                raise _integrity_error(metadata, name, actual[name])
        return state

    return solve


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


async def _sandbox_checksums(metadata: SampleMetadata) -> Mapping[str, str]:
    names = list(metadata.data_checksums)
    result = await sandbox().exec(["sh", "-c", _CHECKSUMS, "sh", *names], timeout=TIMEOUT)
    lines = [line.partition(" ")[0] for line in result.stdout.splitlines()]
    if len(lines) != len(names):
        raise DataError(
            f"The data files of {metadata.sample_id} cannot be verified in the sandbox (exit code "
            f"{result.returncode}): {result.stderr.strip()[-500:]}. The sandbox needs `sh` and `sha256sum`."
        )
    return dict(zip(names, lines, strict=True))


def _integrity_error(metadata: SampleMetadata, name: str, state: str) -> DataError:
    subject = f"The data file {metadata.dataset}/{name}"
    retry = f"{_remedy(metadata)} Then run `inspect eval-retry` on the log, or repeat `discoverybench run`."
    if state in (MISSING, UNREADABLE):
        return DataMissing(f"{subject} is {state} in the sandbox. {retry}")
    return DataCorrupt(
        f"{subject} in the sandbox differs from the file that was checked when the task was built: "
        f"it was since changed or removed, or could not be read. {retry}"
    )


def _remedy(metadata: SampleMetadata) -> str:
    if metadata.split in ("custom", "demo"):
        return "Restore the file on this machine."
    try:
        return remedy(local_root())
    except DataMissing as error:  # the folder with the released data was removed
        return error.message
