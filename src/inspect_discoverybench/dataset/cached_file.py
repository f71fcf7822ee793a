"""Files that the package makes for a task, and that must outlive the process."""

import hashlib
import os
from pathlib import Path


def cached_file(name: str, content: bytes) -> Path:
    """Write a file into the cache folder, into a folder named by its checksum, and return its path.

    A retry or a shard that makes the same file again has it at the same path.
    """
    # Slow to import.
    import pooch  # type: ignore[import-untyped]

    checksum = hashlib.sha256(content).hexdigest()
    file = Path(pooch.os_cache("inspect-discoverybench")) / checksum / name
    # Users may share the cache folder, and usually cannot replace each other's files. A file that has this content is
    # used as it is.
    if file.is_file() and file.read_bytes() == content:
        return file
    return write_whole(file, content)


def write_whole(file: Path, content: bytes) -> Path:
    """Write a file that other processes see only when it is complete. Its folder need not exist."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # Another process may write the same file at the same time. Each process writes a partial file of its own.
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    partial.write_bytes(content)
    return partial.replace(file)
