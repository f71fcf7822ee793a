"""Whether the data files that arrive in a sandbox are the ones that were checked when the task was built.

Inspect reads a sample's files when the sample starts. A path that no longer exists, or that cannot be read, becomes the
*content* of the file, without an error. So the contents are compared inside the sandbox, before the first model call.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing

MISSING = "missing"
UNREADABLE = "unreadable"
TIMEOUT = 600
"""Seconds for all data files of a sample."""

# One line for each file, its checksum first. macOS, where the sandbox may be `local`, has `shasum` only.
_CHECKSUMS = f"""
if command -v sha256sum > /dev/null; then sum=sha256sum
elif command -v shasum > /dev/null; then sum='shasum -a 256'
else echo 'sha256sum: not found' >&2; exit 127; fi
for file do
  if [ -f "$file" ]; then $sum 2> /dev/null < "$file" || echo {UNREADABLE}; else echo {MISSING}; fi
done
"""


@solver
def verify_data_files() -> Solver:
    """Compare the data files in the sandbox with the checksums in the sample's metadata, in one `exec`.

    It belongs into the task's `setup`, so that it precedes every solver.

    Raises:
        DataMissing: A data file is not in the sandbox, or cannot be read there.
        DataCorrupt: A data file has other contents.
        DataError: The sandbox cannot compute checksums.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = state.metadata_as(SampleMetadata)
        expected = metadata.data_checksums
        actual = await _sandbox_checksums(metadata)
        for name, checksum in expected.items():
            if actual[name] != checksum:
                raise _error(f"{metadata.dataset}/{name}", actual[name])
        return state

    return solve


def checksum(path: Path) -> str:
    """SHA-256 of a file on this machine, as hexadecimal digits.

    Raises:
        DataMissing: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataMissing(f"{path} cannot be read: {error.strerror}.") from error


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


def _error(name: str, state: str) -> DataError:
    remedy = "Restore the file on this machine, then run `inspect eval-retry` on the log."
    if state in (MISSING, UNREADABLE):
        return DataMissing(f"The data file {name} is {state} in the sandbox. {remedy}")
    return DataCorrupt(
        f"The data file {name} in the sandbox differs from the one that was checked when the task was built. "
        f"It was changed or removed since then, or could not be read. {remedy}"
    )
