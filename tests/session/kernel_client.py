"""Runs the session's client as the sandbox does: as a program."""

import inspect
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from inspect_discoverybench.session import client, kernel


class Session:
    """A session whose cells run in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The path of a socket in pytest's own folder would be too long.
        self.files = tempfile.TemporaryDirectory(prefix="session-")
        for name, program in (("client.py", client), ("kernel.py", kernel)):
            Path(self.files.name, name).write_text(inspect.getsource(program), "utf-8")
        self.client("start")

    def command(self, name: str, *arguments: str) -> list[str]:
        owner = "0"  # the session does not end with an evaluation, but by `stop`
        return [sys.executable, "-I", "-S", f"{self.files.name}/client.py", name, self.files.name, owner, *arguments]

    def client(self, name: str, *arguments: str, code: str = "") -> subprocess.CompletedProcess[bytes]:
        source = code.encode("utf-8", "surrogatepass")
        command = self.command(name, *arguments)
        return subprocess.run(command, cwd=self.folder, input=source, capture_output=True, timeout=60, check=False)

    def begin(self, code: str) -> subprocess.Popen[bytes]:
        """Start a client that runs a cell, without waiting for its end."""
        command = self.command("run", "20", "10000")
        client = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert client.stdin
        client.stdin.write(code.encode())
        client.stdin.close()
        client.stdin = None  # so that `communicate` does not write to it
        return client

    def stop(self) -> None:
        self.client("stop")
        self.files.cleanup()

    def run(self, code: str, timeout: float = 20, max_output: int = 10_000) -> dict[str, Any]:
        process = self.client("run", str(timeout), str(max_output), code=code)
        assert process.returncode == 0, process.stderr
        reply: dict[str, Any] = json.loads(process.stdout)
        return reply


def kernels(folder: Path) -> list[int]:
    """Processes that serve a session in this folder or a folder in it, even if it was removed."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode().split("\0")
            working = (process / "cwd").readlink().as_posix()
        except OSError:
            continue  # ended, or a zombie
        if any(argument.endswith("/kernel.pyc") for argument in command) and working.startswith(str(folder)):
            pids.append(int(process.name))
    return pids
