"""Reads and restores a sandbox.

This file runs inside the sandbox and uses only the standard library:

    python - describe           prints JSON: [working folder, ids of all processes but this one]
    python - read FILE START    prints up to 4 MB of a file from a byte on, in base64
    python - clear JSON         [processes to keep, folders to empty]; ends all others if any are to be kept
"""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import time

READ_BYTES = 4_000_000
END_SECONDS = 20


def processes() -> list[int]:
    """Ids of all processes except those that have ended, this one and those that started it."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue  # it has just ended
        if state not in (b"Z", b"X"):
            parents[int(name)] = int(parent)
    own: int | None = os.getpid()
    while own in parents:
        own = parents.pop(own)
    return list(parents)


def end_processes(keep: list[int]) -> None:
    """End all processes but these, including those that start others all the time."""
    deadline = time.monotonic() + END_SECONDS
    while others := [process for process in processes() if process not in keep]:
        if time.monotonic() > deadline:
            sys.exit(f"{len(others)} processes do not end")
        # A stopped process starts no other.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in others:
                try:  # noqa: SIM105 - as in the client, contextlib is slow to import
                    os.kill(process, number)
                except OSError:
                    pass  # it has just ended, or belongs to another user
        time.sleep(0.01)


def empty(folder: str) -> None:
    """Remove everything in a folder that can be removed."""
    if os.stat(folder).st_uid == os.getuid():
        os.chmod(folder, os.stat(folder).st_mode | 0o700)
    # Neither command follows symbolic links.
    subprocess.run(["chmod", "-R", "u+rwx", "."], cwd=folder, capture_output=True, check=False)
    subprocess.run(["find", ".", "-mindepth", "1", "-delete"], cwd=folder, capture_output=True, check=False)


def main() -> None:
    """One of the three commands."""
    command, *arguments = sys.argv[1:]
    if command == "describe":
        print(json.dumps([os.getcwd(), processes()]))
    elif command == "read":
        with open(arguments[0], "rb") as file:
            file.seek(int(arguments[1]))
            print(base64.b64encode(file.read(READ_BYTES)).decode())
    else:
        keep, folders = json.loads(arguments[0])
        if keep:
            end_processes(keep)
            subprocess.run(["sh", "-c", "ipcrm --all"], capture_output=True, check=False)  # System V shared memory
        for folder in map(os.path.expanduser, folders):
            # Not every sandbox has all of them.
            if folder == folders[0] or os.path.isdir(folder):
                empty(folder)


if __name__ == "__main__":
    main()
