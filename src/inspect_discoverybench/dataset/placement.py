"""Places data files in the sandbox, after verifying that they have not changed since the task was built.

Inspect's own copying takes two or more sandbox calls per file. If a path no longer exists when the sample starts, it
writes the path itself into the file, without an error.
"""

import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import anyio.to_thread
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.source import local_root, remedy
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing

TIMEOUT = 600
"""Time limit in seconds for all data files of a sample."""


class DataFileKey(NamedTuple):
    """Identifies a data file: the folder of its study, its name, and its checksum when the task was built."""

    dataset: str
    name: str
    checksum: str


def placed_by_setup(samples: list[Sample]) -> tuple[list[Sample], Solver]:
    """Let the task's setup place the data files of samples, with one sandbox call per sample.

    Args:
        samples: Samples whose `files` are paths on this machine.

    Returns:
        The samples without `files`, and the setup.
    """
    # Keyed by metadata instead of sample id, so that copies of samples under other ids also get their files.
    paths = {
        DataFileKey(metadata.dataset, name, metadata.data_checksums[name]): Path(path)
        for sample in samples
        for metadata in [sample.metadata_as(SampleMetadata)]
        for name, path in (sample.files or {}).items()
    }

    # `paths` is not an argument of the solver: arguments are logged, and would reveal the paths on this machine.
    @solver(name="place_data_files")
    def place_data_files() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            metadata = state.metadata_as(SampleMetadata)
            archive = await anyio.to_thread.run_sync(_archive, metadata, paths)
            await _unpack(metadata, archive)
            return state

        return solve

    return [sample.model_copy(update={"files": None}) for sample in samples], place_data_files()


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


def _archive(metadata: SampleMetadata, paths: Mapping[DataFileKey, Path]) -> bytes:
    """Read and verify the data files of a sample, and pack them.

    Args:
        metadata: Metadata of the sample.
        paths: Data files.

    Raises:
        DataMissing: A data file cannot be read.
        DataCorrupt: A data file has changed.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, checksum in metadata.data_checksums.items():
            content = _verified(metadata, name, paths[DataFileKey(metadata.dataset, name, checksum)])
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _verified(metadata: SampleMetadata, name: str, path: Path) -> bytes:
    subject = f"The data file {metadata.dataset}/{name}"
    retry = f"{_remedy(metadata)} Then run `inspect eval-retry` on the log, or repeat `discoverybench run`."
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataMissing(f"{subject} cannot be read: {error.strerror}. {retry}") from error
    if hashlib.sha256(content).hexdigest() != metadata.data_checksums[name]:
        raise DataCorrupt(f"{subject} has changed since the task was built. {retry}")
    return content


async def _unpack(metadata: SampleMetadata, archive: bytes) -> None:
    # Through `sh`, because some providers raise an exception if a program does not exist. With `exec`, because Inspect
    # ends only `sh` when a sample in a local sandbox is cancelled, and then waits for `tar`, which waits for its input.
    result = await sandbox().exec(["sh", "-c", "exec tar -xf -"], input=archive, timeout=TIMEOUT)
    if not result.success:
        size = -(-len(archive) // 2**20)
        raise DataError(
            f"The data files of {metadata.sample_id} cannot be placed in the sandbox (exit code {result.returncode}): "
            f"{result.stderr.strip()[-500:]}. The sandbox needs `tar` and {size} MiB of disk space."
        )


def _remedy(metadata: SampleMetadata) -> str:
    if metadata.split in ("custom", "demo"):
        return "Restore the file on this machine."
    try:
        return remedy(local_root())
    except DataMissing as error:  # the folder with the released data was removed
        return error.message
